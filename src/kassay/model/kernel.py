# SPDX-License-Identifier: GPL-2.0-only
"""Kernel references, as users write them, and the identity of the kernel that was found."""

import re

from msgspec import UNSET, UnsetType, structs

from kassay.errors import BadInput, nearest
from kassay.model.build import BuildRef, BuildSource, build_text, parse_build
from kassay.model.kinds import kinds
from kassay.model.machine import STATE
from kassay.model.records import Record, Setting
from kassay.supply.arches import arches

_VERSION = re.compile(r"\d+\.\d+([.~+-][\w.~+-]*)?")


class KernelRef(Record, frozen=True, kw_only=True):
    """A reference in its parts: "arm64/debian:6.19.8" -> arch arm64, kind debian, locator 6.19.8."""

    text: str
    arch: str
    kind: str
    locator: str


class KernelFile(Record, frozen=True, kw_only=True):
    """One file, or directory, that a user named for a kernel."""

    name: str
    """Name of the file without its directory."""
    sha256: str
    """Hash of the file's content; for a directory, that of all names and contents below it."""


class KernelIdentity(Record, frozen=True, kw_only=True):
    """Identity of a kernel, wherever it came from. None means unknown."""

    ref: str
    """Kernel reference as the user wrote it."""
    arch: str
    release: str
    image_sha256: str | None
    """Hash of the image file as packaged."""
    compiler: str | None = None
    """Compiler, read from the image."""
    banner: str | None = None
    """Banner, read from the image."""
    package: str | None = None
    package_version: str | None = None
    flavour: str | None = None
    vmlinux_sha256: str | None = None
    """Hash of the uncompressed ELF inside the image (what is booted on x86_64)."""
    config_sha256: str | None = None
    symbols_sha256: str | None = None
    """Hash of the table "address type name", sorted by address."""
    symbol_count: int | None = None
    source: str = ""
    """Origin of the kernel, in words."""
    build: BuildSource | None = None
    """Sources of a kernel that kassay built."""
    configuration: tuple[Setting, ...] | None = None
    """The options of its .config that can be part of a result (model/configuration.py)."""
    config_source: str = ""
    """Origin of the .config if it is not the kernel's own package or directory, or the reason why it is not known."""
    files: tuple[KernelFile, ...] | UnsetType = UNSET
    """Files that the user named: packages, or modules, configuration and vmlinux beside an image."""


class KernelArtifact(Record, frozen=True, kw_only=True):
    """A kernel in the store: its identity and its read-only files, as absolute paths."""

    identity: KernelIdentity
    directory: str
    image: str
    """Image as packaged."""
    vmlinux: str | None = None
    """The uncompressed ELF; None if there is none (arm64)."""
    config: str | None = None
    symbols: str | None = None
    """Symbol table as text, one "address type name" per line."""
    packages: tuple[str, ...] = ()
    """Archive files that modules can be taken from."""
    pvh: bool | None = None
    """True if vmlinux can be entered directly (Xen note 18); None without a vmlinux."""
    lines: str | None = None
    """An ELF file with line tables; None if they are not known."""
    modules: tuple[str, ...] = ()
    """Packages, or a directory, that the user named and that modules are taken from. Empty for other kernels. Not
    stored."""


OWN_CPU = "@cpu="
"""Between a kernel's reference and the CPU that it alone runs on, where kernels are compared."""
_SETTING = re.compile(r"(?P<ref>.*)@(?P<name>[\w-]+)=")
_OF_ALL_KERNELS = (*STATE, "cpus", "memory", "nodes", "cmdline")
"""Settings that users try behind OWN_CPU's sign."""


def full_ref(text: str) -> str:
    """A reference in full: a bare version, 6.17 or arm64/6.17.8, is one of the Debian archive; others as they are."""
    arch, slash, version = text.strip().rpartition("/")
    bare = _VERSION.fullmatch(version) and (not slash or arch in arches())
    return f"{arch}{slash}debian:{version}" if bare else text


def parse_ref(text: str, default_arch: str = "x86_64") -> KernelRef:
    """Reads one kernel reference. Raises BadInput that shows the grammar."""
    text = full_ref(text)
    if OWN_CPU in text:
        raise BadInput(f"kernel {text!r}: a kernel takes no CPU of its own here",
                       'write --cpu NAME; in an experiment file cpu = "NAME" beside ref')  # fmt: skip
    _refuse_setting(text)
    body, arch = text.strip(), default_arch
    head, slash, rest = body.partition("/")
    if slash and head in arches():
        body, arch = rest, head
    elif slash and re.fullmatch(r"[a-z0-9_]+", head) and rest.startswith(tuple(f"{name}:" for name in kinds())):
        raise BadInput(f"kernel {text!r}: unknown arch {head!r}", f"known: {', '.join(arches())}")
    name, colon, locator = body.partition(":")
    kind = kinds().get(name)
    if kind is None or (colon if kind.bare else not locator):
        near = nearest(name, kinds()) if colon and kind is None else None
        if name == "debian-source":
            near, locator = "build", body
        guess = f"did you mean {near}:{locator}? " if near else ""
        meant = kind or kinds().get(near or "")
        raise BadInput(f"kernel {text!r}: not a kernel reference",
                       f"{guess}write {meant.grammar}" if meant else _likely(body))  # fmt: skip
    kind.check(locator)
    return KernelRef(text=text, arch=arch, kind=name, locator=locator)


def _refuse_setting(text: str) -> None:
    """Raises BadInput for KERNEL@NAME=VALUE. Others are a revision or a path, if NAME is no setting."""
    setting = _SETTING.match(text)
    if setting is None:
        return
    name = setting["name"].replace("-", "_")
    if name in _OF_ALL_KERNELS or re.match(r"(\w+/)?debian:", full_ref(setting["ref"])):
        option = f"--{name.replace('_', '-')}"
        all_kernels = f"; use {option}, which applies to all kernels" if name in _OF_ALL_KERNELS else ""
        raise BadInput(f"kernel {text!r}: '@{setting['name']}=' is no setting of one kernel",
                       f"only @cpu=NAME can be set for a single kernel{all_kernels}")  # fmt: skip


def _likely(text: str) -> str:
    """Remedy for a text that names no kind: the probable meaning."""
    if text.endswith((".patch", ".diff", ".mbx", ".mbox")):
        return f"a patch stands behind the tree that it applies to: build:TREE+{text}"
    forms = ", ".join(f"{kind.name}{'' if kind.bare else ':'}" for kind in kinds().values())
    path = f" If it is a file or a git tree, write image:{text} or build:{text}." if "/" in text else ""
    return f"write 6.17 or debian:6.17, or one of {forms}.{path} docs/reference/kernels.md has all kinds"


def with_build(ref: KernelRef, build: BuildRef) -> str:
    """A build: reference with other parts; the arch that was written in front of it stays."""
    return ref.text.strip().partition("build:")[0] + build_text(build)


def with_compiler(text: str, arch: str, compiler: str) -> str:
    """A build: reference with another compiler. Raises BadInput for what is no build."""
    ref = parse_ref(text, arch)
    if ref.kind != "build":
        raise BadInput(f"{text}: no build: reference", "a compiler can be chosen for what kassay builds")
    return with_build(ref, structs.replace(parse_build(ref.locator), cc=compiler))


def exact_ref(kernel: KernelIdentity) -> str:
    """A reference that names this very kernel: of the archive, by its package version; of a build, by its sources; else
    as it was written."""
    arch, slash, body = kernel.ref.partition("/") if kernel.ref.partition("/")[0] in arches() else ("", "", kernel.ref)
    name, _, locator = body.partition(":")
    pinned = kinds()[name].pinned(locator, kernel) if name in kinds() else None
    return kernel.ref if pinned is None else f"{arch}{slash}{pinned}"


def short_ref(text: str, *, configured: bool) -> str | None:
    """Short name of a reference for reports, without its arch; None for a text that is no reference.

    configured: with the configuration of a build.
    """
    arch, slash, body = text.partition("/")
    name, _, locator = (body if slash and arch in arches() else text).partition(":")
    return kinds()[name].short(locator, configured) or text if name in kinds() and locator else None


# "x86_64-linux-gnu-gcc-14 (Debian 14.2.0-19) 14.2.0", "Debian clang version 18.1.8 (3)"
_COMPILER = re.compile(r"(?P<name>gcc|clang)\b[^()]*?(?:\([^()]*\)\s*)?(?P<version>\d+\.\d+(?:\.\d+)*)")


def name_and_version(text: str) -> str:
    """ "gcc 14.2.0"; the text itself where it has no such form."""
    match = _COMPILER.search(text)
    return f"{match['name']} {match['version']}" if match else text
