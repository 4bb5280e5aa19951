# SPDX-License-Identifier: GPL-2.0-only
"""References -> one function's code in each: out of an object built for the purpose, or out of a kernel image."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from kassay import kernels
from kassay.building import git
from kassay.codegen.code import FunctionCode
from kassay.codegen.images import Image
from kassay.codegen.normalise import Listing, listing
from kassay.codegen.objects import contains, find_in_object, functions_of_object, nearest
from kassay.errors import BadInput, NotBuilt
from kassay.kernels.build import build_object
from kassay.model.build import parse_build
from kassay.model.codegen import Body, Part
from kassay.model.kernel import KernelArtifact, KernelRef, parse_ref, with_build
from kassay.model.progress import Progress, Tell


class ObjectFile(Protocol):
    """What a built object must say of itself; building.builder.BuiltObject does."""

    @property
    def path(self) -> Path: ...
    @property
    def compiler(self) -> str: ...
    @property
    def arch(self) -> str: ...
    @property
    def tree(self) -> str: ...


Builder = Callable[[KernelRef, str, Tell], ObjectFile]


class Found(NamedTuple):
    """One row. ref: of the kernel that this code is part of. function and code are None where there is none.
    defined: whether there is no code though the source file defines the function."""

    body: Body
    ref: KernelRef
    function: FunctionCode | None = None
    code: Listing | None = None
    kernel: KernelArtifact | None = None
    defined: bool = False


def with_compiler(ref: KernelRef, cc: str) -> KernelRef:
    """The same sources, by another compiler. Raises BadInput for a kernel that is not built here."""
    if ref.kind != "build":
        raise BadInput(f"{ref.text}: is no build: reference", "--source builds an object: name sources as build:TREE")
    return parse_ref(with_build(ref, msgspec.structs.replace(parse_build(ref.locator), cc=cc)), ref.arch)


def in_images(function: str, refs: Sequence[KernelRef], flavour: str, tell: Tell) -> list[Found]:
    """The function in each kernel. Raises BadInput when no kernel has it."""
    found, known = [], set[str]()
    for ref, kernel in zip(refs, kernels.fetch(refs, flavour, tell), strict=True):
        image = Image(kernel)
        found.append(_in_image(function, ref, kernel, image))
        if found[-1].function is None:
            known.update(image.functions())
    _must_be_somewhere(function, found, known)
    return found


def _in_image(function: str, ref: KernelRef, kernel: KernelArtifact, image: Image) -> Found:
    identity = kernel.identity
    blank = Body(
        reference=ref.text, outcome="inlined", compiler=identity.compiler, arch=identity.arch,
        image_sha256=identity.image_sha256, detail="no symbol of that name: inlined, or not compiled in",
    )  # fmt: skip
    try:
        code = image.find(function)
    except BadInput as error:
        return Found(msgspec.structs.replace(blank, outcome="ambiguous", detail=error.what), ref, kernel=kernel)
    return _compiled(blank, ref, code, function, kernel) if code is not None else Found(blank, ref, kernel=kernel)


def in_objects(
    function: str, source: str, refs: Sequence[KernelRef], compilers: Sequence[str], tell: Tell,
    build: Builder = build_object,
) -> list[Found]:  # fmt: skip
    """The function in one object per compiler and reference, compiler by compiler; without compilers, by each
    reference's own. A build that fails is a row. Raises NotBuilt when all fail, BadInput when no source has it."""
    wanted = [(cc, ref) for cc in compilers or ("",) for ref in refs]
    found, known, failed = [], set[str](), list[NotBuilt]()
    for number, (cc, ref) in enumerate(wanted):
        chosen = with_compiler(ref, cc or parse_build(ref.locator).cc)
        subject = f"{number + 1}/{len(wanted)}"
        tell(Progress(stage="object", subject=subject, text=f"{source} of {chosen.text}", done=number / len(wanted)))
        try:
            made = build(chosen, source, tell)
        except NotBuilt as error:
            failed.append(error)
            found.append(_not_built(ref, chosen, error))
            continue
        found.append(_in_object(function, source, ref, chosen, made))
        if found[-1].function is None:
            known.update(functions_of_object(made.path))
    if len(failed) == len(wanted):
        raise failed[0]
    _must_be_somewhere(function, found, known)
    return found


def _not_built(ref: KernelRef, chosen: KernelRef, error: NotBuilt) -> Found:
    body = Body(
        reference=ref.text, outcome="not-built", compiler=None, arch=ref.arch, cc=parse_build(chosen.locator).cc,
        detail=error.what,
    )  # fmt: skip
    return Found(body, chosen)


def _in_object(function: str, source: str, ref: KernelRef, chosen: KernelRef, made: ObjectFile) -> Found:
    blank = Body(
        reference=ref.text, outcome="inlined", compiler=made.compiler, arch=made.arch,
        cc=parse_build(chosen.locator).cc,
    )  # fmt: skip
    code = find_in_object(made.path, function)
    if code is not None:
        return _compiled(blank, chosen, code, function, None)
    text = _text_of(made.tree, source)
    if text is not None and not contains(text, function):
        return Found(msgspec.structs.replace(blank, outcome="absent", detail=f"{source} does not define it"), chosen)
    detail = f"{source} defines it" if text is not None else "no symbol of that name"
    body = msgspec.structs.replace(blank, detail=f"{detail}: inlined, or not compiled in")
    return Found(body, chosen, defined=text is not None)


def _text_of(tree: str, source: str) -> str | None:
    try:
        return git.git(("show", f"{tree}:{source}"))
    except git.GitFailed:
        return None


def _compiled(blank: Body, ref: KernelRef, code: FunctionCode, function: str, kernel: KernelArtifact | None) -> Found:
    listed = listing(code)
    own = code.parts[0]
    note = "" if own.name == function else f"only {own.name} is left of it: the rest is inlined"
    body = msgspec.structs.replace(
        blank, outcome="compiled", detail="", note=note, size=len(own.code), total=sum(len(p.code) for p in code.parts),
        parts=tuple(Part(name=part.name, size=len(part.code)) for part in code.parts), sha256=listed.sha256,
        bytes_sha256=listed.bytes_sha256, calls=listed.calls, instruction_count=len(listed.instructions),
        instructions=listed.instructions,
    )  # fmt: skip
    return Found(body, ref, code, listed, kernel)


def _must_be_somewhere(function: str, found: Sequence[Found], known: set[str]) -> None:
    """A name that nothing knows is a slip of the pen, unless a source file defines it."""
    if any(one.function or one.body.outcome == "ambiguous" for one in found):
        return
    if any(one.defined for one in found):
        return
    close = nearest(function, known)
    raise BadInput(
        f"{function}: no function of that name in {', '.join(dict.fromkeys(one.body.reference for one in found))}",
        f"functions that are there: {', '.join(close)}" if close else "it may be inlined everywhere: name its caller",
    )
