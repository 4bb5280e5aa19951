# SPDX-License-Identifier: GPL-2.0-only
"""References -> one function's code in each: from an object that is built for it, or from a kernel image."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from kassay.errors import BadInput, NotBuilt
from kassay.labs.codegen.objects import contains, find_in_object, functions_of_object, nearest
from kassay.model.build import parse_build
from kassay.model.codegen import Body, Part
from kassay.model.kernel import KernelArtifact, KernelRef, parse_ref, with_build
from kassay.model.progress import Progress, Tell
from kassay.supply import kernels
from kassay.supply.building import git
from kassay.supply.kernels.build import build_object
from kassay.supply.machine_code.code import FunctionCode
from kassay.supply.machine_code.images import Image
from kassay.supply.machine_code.listing import Listing, listing


class ObjectFile(Protocol):
    """The interface of a built object; building.builder.BuiltObject has it."""

    @property
    def path(self) -> Path: ...
    @property
    def compiler(self) -> str: ...
    @property
    def arch(self) -> str: ...
    @property
    def tree(self) -> str: ...


Builder = Callable[[KernelRef, str, Tell], ObjectFile]


class FoundCode(NamedTuple):
    """One row of the answer."""

    body: Body
    ref: KernelRef
    """Kernel that this code is part of."""
    function: FunctionCode | None = None
    """Function with its parts; None if there is no code."""
    code: Listing | None = None
    """Its instructions; None if there is no code."""
    kernel: KernelArtifact | None = None
    defined: bool = False
    """True if there is no code although the source file defines the function."""


def with_compiler(ref: KernelRef, cc: str) -> KernelRef:
    """The same sources, built by another compiler; "" for the reference's own.

    Raises BadInput for a kernel that is not built here.
    """
    if ref.kind != "build":
        raise BadInput(f"{ref.text}: is no build: reference", "--source builds an object: name sources as build:TREE")
    build = parse_build(ref.locator)
    return parse_ref(with_build(ref, msgspec.structs.replace(build, cc=cc or build.cc)), ref.arch)


def in_images(function: str, refs: Sequence[KernelRef], flavour: str, tell: Tell) -> list[FoundCode]:
    """The function in each kernel. Raises BadInput when no kernel has it."""
    rows, functions = [], set[str]()
    for ref, kernel in zip(refs, kernels.fetch(refs, flavour, tell), strict=True):
        image = Image(kernel)
        rows.append(_in_image(function, ref, kernel, image))
        if rows[-1].function is None:
            functions.update(image.functions())
    _must_be_somewhere(function, rows, functions)
    return rows


def _in_image(function: str, ref: KernelRef, kernel: KernelArtifact, image: Image) -> FoundCode:
    identity = kernel.identity
    blank = Body(
        reference=ref.text, outcome="inlined", compiler=identity.compiler, arch=identity.arch,
        image_sha256=identity.image_sha256, detail="no symbol of that name: inlined, or not compiled in",
    )  # fmt: skip
    try:
        code = image.find(function)
    except BadInput as error:
        return FoundCode(msgspec.structs.replace(blank, outcome="ambiguous", detail=error.what), ref, kernel=kernel)
    return _compiled(blank, ref, code, function, kernel) if code is not None else FoundCode(blank, ref, kernel=kernel)


def in_objects(
    function: str, source: str, refs: Sequence[KernelRef], compilers: Sequence[str], tell: Tell,
    build: Builder = build_object,
) -> list[FoundCode]:  # fmt: skip
    """The function in one object per compiler and reference, compiler by compiler; without compilers, by each
    reference's own. A failed build is a row, too. Raises NotBuilt when all fail, BadInput when no source has it."""
    wanted = [(cc, ref) for cc in compilers or ("",) for ref in refs]
    rows, functions, failed = [], set[str](), list[NotBuilt]()
    for number, (cc, ref) in enumerate(wanted):
        chosen = with_compiler(ref, cc)
        subject = f"{number + 1}/{len(wanted)}"
        tell(Progress(stage="object", subject=subject, text=f"{source} of {chosen.text}", done=number / len(wanted)))
        try:
            built = build(chosen, source, tell)
        except NotBuilt as error:
            failed.append(error)
            rows.append(_not_built(ref, chosen, error))
            continue
        rows.append(_in_object(function, source, ref, chosen, built))
        if rows[-1].function is None:
            functions.update(functions_of_object(built.path))
    if len(failed) == len(wanted):
        raise failed[0]
    _must_be_somewhere(function, rows, functions)
    return rows


def _not_built(ref: KernelRef, chosen: KernelRef, error: NotBuilt) -> FoundCode:
    body = Body(
        reference=ref.text, outcome="not-built", compiler=None, arch=ref.arch, cc=parse_build(chosen.locator).cc,
        detail=error.what,
    )  # fmt: skip
    return FoundCode(body, chosen)


def _in_object(function: str, source: str, ref: KernelRef, chosen: KernelRef, built: ObjectFile) -> FoundCode:
    blank = Body(
        reference=ref.text, outcome="inlined", compiler=built.compiler, arch=built.arch,
        cc=parse_build(chosen.locator).cc,
    )  # fmt: skip
    code = find_in_object(built.path, function)
    if code is not None:
        return _compiled(blank, chosen, code, function, None)
    text = _text_of(built.tree, source)
    if text is not None and not contains(text, function):
        return FoundCode(
            msgspec.structs.replace(blank, outcome="absent", detail=f"{source} does not define it"), chosen
        )
    detail = f"{source} defines it" if text is not None else "no symbol of that name"
    body = msgspec.structs.replace(blank, detail=f"{detail}: inlined, or not compiled in")
    return FoundCode(body, chosen, defined=text is not None)


def _text_of(tree: str, source: str) -> str | None:
    try:
        return git.git(("show", f"{tree}:{source}"))
    except git.GitFailed:
        return None


def _compiled(
    blank: Body, ref: KernelRef, code: FunctionCode, function: str, kernel: KernelArtifact | None
) -> FoundCode:
    listed = listing(code)
    main = code.parts[0]
    note = "" if main.name == function else f"only {main.name} is left of it: the rest is inlined"
    body = msgspec.structs.replace(
        blank, outcome="compiled", detail="", note=note, size=len(main.code),
        total=sum(len(p.code) for p in code.parts),
        parts=tuple(Part(name=part.name, size=len(part.code)) for part in code.parts), sha256=listed.sha256,
        bytes_sha256=listed.bytes_sha256, calls=listed.calls, instruction_count=len(listed.instructions),
        instructions=listed.instructions,
    )  # fmt: skip
    return FoundCode(body, ref, code, listed, kernel)


def _must_be_somewhere(function: str, rows: Sequence[FoundCode], functions: set[str]) -> None:
    """Raises BadInput with similar names if no row has the function and no source file defines it."""
    if any(row.function or row.body.outcome == "ambiguous" for row in rows):
        return
    if any(row.defined for row in rows):
        return
    close = nearest(function, functions)
    raise BadInput(
        f"{function}: no function of that name in {', '.join(dict.fromkeys(row.body.reference for row in rows))}",
        f"functions that are there: {', '.join(close)}" if close else "it may be inlined everywhere: name its caller",
    )
