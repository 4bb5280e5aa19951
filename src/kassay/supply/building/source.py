# SPDX-License-Identifier: GPL-2.0-only
"""Sources that a reference names, as one tree of the store: a git tree, a directory or a release of the archive,
patched."""

import os
from pathlib import Path

import msgspec

from kassay.effects.files import cache_directory, expanded, sha256_bytes, write_atomic
from kassay.effects.lock import locked, waiting
from kassay.errors import BadInput
from kassay.model.build import BuildRef, BuildSource
from kassay.model.progress import Tell
from kassay.model.records import from_json, to_json
from kassay.supply.archive.versions import version_key
from kassay.supply.building import debian_source as archive
from kassay.supply.building import git
from kassay.supply.building.config import version_in
from kassay.supply.building.patches import check_patches, patched

_SOURCES = (".c", ".h", ".S")
_TEXTS = ("CREDITS", "MAINTAINERS", ".mailmap")
ARCHIVE = "debian-source:"
RELEASE = "release:"
"""In front of the version, in builds of a tarball that release_source.py verified."""


def source_tree(build: BuildRef, tell: Tell) -> tuple[str, BuildSource]:
    """The tree (sha1, in the store) of source and patches, and where it is from.

    Raises BadInput for what is not there, NotBuilt for a patch that does not apply.
    """
    if build.pin and not build.tree.startswith(ARCHIVE) and git.is_repository(expanded(build.tree)):
        # The repository has the tree's files, and may have been missing when the store was last used.
        git.link(expanded(build.tree))
    if build.pin and git.has_tree(build.pin):
        return build.pin, _noted(build)
    base, version = _base(build, tell)
    tree, subjects = patched(base, build.patches)
    if build.pin and tree != build.pin:
        raise BadInput(
            f"{build.tree}: these are not the sources of tree {build.pin[:12]}: they changed, or the kernel was built "
            "with patches that are not named here", "name the patches with +PATCH, or leave tree= out"
        )  # fmt: skip
    source = BuildSource(base=_written(build), version=version, patches=subjects, tree=tree)
    note(source)
    return tree, _with_configuration(source, build)


def to_fetch(build: BuildRef, tell: Tell) -> str:
    """The file that has to be downloaded before these sources can be read, with its size; "" if there is none."""
    if not build.tree.startswith(ARCHIVE) or (build.pin and git.has_tree(build.pin)):
        return ""
    exact = archive.exact_version(build.tree.removeprefix(ARCHIVE), tell)
    record = git.store() / "releases" / archive.file_name(exact)
    if record.is_file() and git.has_tree(record.read_text("utf-8").partition(" ")[0]):
        return ""
    file = archive.missing_file(exact, tell)
    return "" if file is None else f"{file.uri.rpartition('/')[2]}, {archive.size_text(file)}"


def check_source(build: BuildRef) -> None:
    """Raises BadInput for a tree, a revision or a patch that is not there. Fetches and stores nothing.

    Nothing is checked of a pinned build, whose sources may be in the store alone.
    """
    if build.pin:
        return
    _check_base(build)
    for path in build.patches:
        check_patches(expanded(path))


def note(source: BuildSource) -> None:
    """Stores where a tree is from, for references that pin the tree."""
    write_atomic(_note_path(source.tree, source.base), to_json(source))


def _base(build: BuildRef, tell: Tell) -> tuple[str, str]:
    """The tree before patches, and the version it is of."""
    _check_base(build)
    if build.tree.startswith(ARCHIVE):
        return release(archive.exact_version(build.tree.removeprefix(ARCHIVE), tell), tell)
    path = expanded(build.tree)
    if build.revision:
        commit = git.resolve(path, build.revision)
        return _kernel(git.tree_of(path, commit), build.tree, f"commit {commit[:12]}")
    tree = git.tree_of_files(path, tell, subject=build.tree)
    _check_links(tree, path)
    return _kernel(tree, build.tree, "working files")


def _check_links(tree: str, path: Path) -> None:
    """Raises BadInput for a symbolic link of the sources that leads out of them: what it leads to is not in the tree,
    so a kernel that was built before it changed would be taken for one with the change."""
    for name in git.links(tree):
        link = path / name
        is_source = "/" in name or link.suffix in _SOURCES or link.name in ("Makefile", "Kbuild", "Kconfig")
        if not is_source or not link.is_symlink():
            continue
        target = link.readlink()
        leads_to = Path(os.path.realpath(link))  # not Path.resolve(), which raises RuntimeError for a loop of links
        if target.is_absolute() or not leads_to.is_relative_to(path.resolve()):
            raise BadInput(f"build:{path}: {name} is a link to {target}, outside of the sources",
                           "copy what it leads to into the tree, or name the link in .git/info/exclude")  # fmt: skip


def _check_base(build: BuildRef) -> None:
    """Raises BadInput for sources that this host does not have; a release of the archive may have to be fetched."""
    if build.tree.startswith(ARCHIVE):
        if build.revision:
            raise BadInput(f"build:{build.tree}@{build.revision}: a release of the archive has no revisions",
                           f"write build:{build.tree}")  # fmt: skip
        return
    path = expanded(build.tree)
    if build.tree.startswith(RELEASE):
        raise BadInput(f"build:{build.tree}: the cache has its sources no more",
                       f"name the tarball again: {build.tree},tarball=PATH")  # fmt: skip
    if not path.is_dir():
        raise BadInput(f"build:{build.tree}: {'not a directory' if path.exists() else 'does not exist'}",
                       "give a git tree, a directory of kernel sources, or debian-source:7.3")  # fmt: skip
    if build.revision:
        if not git.is_repository(path):
            raise BadInput(f"build:{build.tree}@{build.revision}: no git tree is there", "leave the revision out")
        git.resolve(path, build.revision)
    elif git.is_repository(path) and not (path / ".git").exists():
        raise BadInput(f"build:{build.tree}: a bare repository has no working files", "name a revision: build:TREE@REV")


def release(exact: str, tell: Tell, sha256: str = "") -> tuple[str, str]:
    """The tree and the provenance of a release of the archive ("7.3.4"); it is unpacked and read once.

    sha256: of the file that must be the one; "" for the best that the archive has.
    """
    record = git.store() / "releases" / archive.file_name(exact)
    if sha256 and not (record.is_file() and sha256 in record.read_text("utf-8")):
        record = record.with_name(archive.file_name(exact, sha256))
    # A second process must not read what the first one is unpacking or removing.
    with locked(record.with_name(f"{record.name}.lock"), waiting(tell, f"{ARCHIVE}{exact}", "another fetch of it")):
        if record.is_file():
            tree, _, provenance = record.read_text("utf-8").strip().partition(" ")
            if git.has_tree(tree):
                return tree, provenance
        unpacked, provenance = archive.debian_source(exact, tell, sha256)
        tree = git.tree_of_files(unpacked, tell, subject=f"{ARCHIVE}{exact}")
        write_atomic(record, f"{tree} {provenance}\n".encode())
        archive.discard(unpacked)
    return tree, provenance


def releases_at_hand() -> dict[str, str]:
    """Releases of the archive whose sources the store has, newest first, each with its tree. Fetches nothing."""
    records = sorted((cache_directory() / "sources" / "git" / "releases").glob("[0-9]*"))
    trees = {
        record.name.partition("+")[0]: record.read_text("utf-8").split()[0]
        for record in records
        if record.suffix != ".lock"
    }
    newest = sorted(trees, key=version_key, reverse=True)
    return {version: trees[version] for version in newest if git.has_tree(trees[version])}


def _kernel(tree: str, name: str, provenance: str) -> tuple[str, str]:
    return tree, f"{kernel_version(tree, name)}, {provenance}"


def kernel_version(tree: str, name: str) -> str:
    """Version in the sources' Makefile ("7.3.4"). Raises BadInput for sources of no kernel."""
    return version_in(git.read(tree, "Makefile") or "", f"build:{name}")


def _noted(build: BuildRef) -> BuildSource:
    """The source of a pinned tree as note() stored it; the content of a tree never changes."""
    try:
        source = from_json(_note_path(build.pin, _written(build)).read_bytes(), BuildSource)
    except (OSError, msgspec.MsgspecError):
        source = BuildSource(base=_written(build), version=kernel_version(build.pin, build.tree), tree=build.pin)
    return _with_configuration(source, build)


def _with_configuration(source: BuildSource, build: BuildRef) -> BuildSource:
    return msgspec.structs.replace(source, config=build.config, fragments=build.fragments)


def _written(build: BuildRef) -> str:
    """The base as the user wrote it."""
    return build.tree + (f"@{build.revision}" if build.revision else "")


def _note_path(tree: str, base: str) -> Path:
    """The file of note(); two bases of one tree do not overwrite each other."""
    return git.store() / "origins" / f"{tree}-{sha256_bytes(base.encode())[:8]}.json"


def change_kernel(base: str, head: str) -> bool:
    """True if two trees may give two kernels: they differ in more than texts."""
    return not all(map(_is_text, git.changed(base, head)))


def without_texts(tree: str) -> str:
    """Hash of a tree without texts: of all other files, their paths and modes. Equal ones give the same kernel."""
    files = (entry for entry in git.entries(tree) if not _is_text(entry.partition("\t")[2]))
    return sha256_bytes("\0".join(files).encode())


def _is_text(path: str) -> bool:
    """True for texts for people and for git. No Makefile, Kconfig or script of Linux 7.3 reads one for an image."""
    if path in _TEXTS or path.rpartition("/")[2] == ".gitignore":
        return True
    return path.startswith("Documentation/") and path.endswith((".rst", ".txt"))
