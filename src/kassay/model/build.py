# SPDX-License-Identifier: GPL-2.0-only
"""A kernel to be built: what the user wrote, and what identifies the result."""

import re
from urllib.parse import quote, unquote

from msgspec import UNSET, UnsetType

from kassay.errors import BadInput
from kassay.model.records import Record

GRAMMAR = (
    "build:TREE[@REV][+PATCH...][,cc=gcc-12][,config=lab+FRAGMENT...][,align=64]; TREE is a git tree, a source "
    "directory, or debian-source:7.3"
)
_OPTIONS = ("cc", "config", "align", "tree")
_TREE = re.compile(r"[0-9a-f]{40}")
_RESERVED = "@+,%"


class BuildRef(Record, frozen=True, kw_only=True):
    """build:TREE@REV+PATCH,cc=...,config=BASE+FRAGMENT in its parts."""

    tree: str
    """A path, or "debian-source:VERSION"."""
    revision: str = ""
    """ "" for a git tree's working files as they are now."""
    patches: tuple[str, ...] = ()
    """Files of unified diffs or mails, or directories of them, applied in order."""
    cc: str = "gcc"
    """Name of the compiler's program."""
    config: str = "lab"
    """ "lab", "distro" or a file."""
    fragments: tuple[str, ...] = ()
    """Files, or "CONFIG_X=y" itself, in order."""
    pin: str = ""
    """Git tree that source and patches make together; "" if it is not known yet. A pinned reference means the same
    for as long as the store has it."""


class BuildIdentity(Record, frozen=True, kw_only=True):
    """Inputs of a build. Equal identities give equal images."""

    tree: str
    """Git tree (sha1) of the sources, patches included."""
    arch: str
    config_sha256: str
    """Hash of the requested configuration (all of .config's input)."""
    compiler: str
    """First line of `cc --version`."""
    compiler_sha256: str
    """Hash of the compiler. It tells apart two builds of the same version."""
    linker: str
    """Linker. It tells apart two builds of the same version."""
    builder: int
    """Version of kassay's own build steps."""


class BuildSource(Record, frozen=True, kw_only=True):
    """Source of a build, for readers."""

    base: str
    """Source tree, as the user wrote it."""
    version: str
    """Version of the tree: a release such as "7.3.4", or a commit."""
    tree: str
    """Git tree (sha1) of the sources with all patches."""
    patches: tuple[str, ...] = ()
    """Subject of each patch."""
    config: str = "lab"
    """Configuration that was asked for."""
    fragments: tuple[str, ...] = ()
    """Fragments of the configuration that were asked for."""
    absent: tuple[str, ...] | UnsetType = UNSET
    """Symbols that a fragment switches off and that the sources do not define. Not written if there is none."""


class PublicSource(Record, frozen=True, kw_only=True):
    """Sources without a user's changes, which anyone can get."""

    name: str
    """ "debian-source:7.3.4", or the address of a git repository."""
    version: str
    """Package and its version, or the commit (sha1) of the repository."""
    tree: str
    """Git tree (sha1) of the files."""
    sha256: str = ""
    """Hash of the archive's file; "" for a commit."""


def build_in(ref: str) -> BuildRef | None:
    """Parts of a reference "build:..."; None for a reference of another kind. Raises BadInput as parse_build() does."""
    return parse_build(ref.removeprefix("build:")) if ref.startswith("build:") else None


def parse_build(locator: str) -> BuildRef:
    """Reads what stands after "build:". Raises BadInput that shows the grammar.

    The characters @ + , % are written %40 %2B %2C %25 inside a path.
    """
    body, *options = locator.split(",")
    tree_and_revision, *patches = body.split("+")
    tree, at, revision = tree_and_revision.partition("@")
    given: dict[str, str] = {}
    for option in options:
        name, _, value = option.partition("=")
        if name not in _OPTIONS or not value or name in given:
            what = "given twice" if name in given else "not an option"
            raise BadInput(f"kernel 'build:{locator}': {option!r}: {what}", f"write {GRAMMAR}")
        given[name] = value
    config, *fragments = given.get("config", "lab").split("+")
    if not tree or (at and not revision) or not all((config, *patches, *fragments)):
        raise BadInput(f"kernel 'build:{locator}': a part is empty", f"write {GRAMMAR}")
    if given.get("align", "64") != "64":
        raise BadInput(f"kernel 'build:{locator}': align={given['align']}", "64 is what the kernel can be asked for")
    if "tree" in given and not _TREE.fullmatch(given["tree"]):
        raise BadInput(f"kernel 'build:{locator}': tree={given['tree']}", "tree= takes 40 hexadecimal digits")
    if "align" in given:
        fragments.append("CONFIG_DEBUG_FORCE_FUNCTION_ALIGN_64B=y")
    return BuildRef(
        tree=unquote(tree),
        revision=unquote(revision),
        patches=tuple(unquote(p) for p in patches),
        cc=given.get("cc", "gcc"),
        config=unquote(config),
        fragments=tuple(unquote(f) for f in fragments),
        pin=given.get("tree", ""),
    )


def build_text(build: BuildRef) -> str:
    """The shortest reference that parse_build() reads back to the same record, "build:" included."""
    aligned = build.fragments and build.fragments[-1] == "CONFIG_DEBUG_FORCE_FUNCTION_ALIGN_64B=y"
    fragments = build.fragments[:-1] if aligned else build.fragments
    text = "build:" + _quoted(build.tree)
    text += f"@{_quoted(build.revision)}" if build.revision else ""
    text += "".join(f"+{_quoted(patch)}" for patch in build.patches)
    text += f",cc={build.cc}" if build.cc != "gcc" else ""
    if build.config != "lab" or fragments:
        text += ",config=" + "+".join(_quoted(part) for part in (build.config, *fragments))
    text += ",align=64" if aligned else ""
    return text + (f",tree={build.pin}" if build.pin else "")


def _quoted(text: str) -> str:
    return "".join(quote(char, safe="") if char in _RESERVED else char for char in text)
