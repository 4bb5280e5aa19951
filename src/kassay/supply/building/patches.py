# SPDX-License-Identifier: GPL-2.0-only
"""Patches as diffs, mails, mailboxes or directories, and how they are applied to a tree."""

import gzip
import re
import shlex
import zlib
from collections.abc import Sequence
from pathlib import Path

from kassay.effects.files import expanded, readable, sha256_bytes, write_atomic
from kassay.errors import BadInput, NotBuilt
from kassay.model.records import Record
from kassay.supply.building import git
from kassay.supply.building.hunks import Hunk, hunks_of, parse
from kassay.supply.building.mails import Mail, is_mail, mails, ordered, patches_in

_GZIP = b"\x1f\x8b"
_SHOWN = 5
_SUFFIXES = (".patch", ".diff", ".mbox", ".mbx", ".eml")
_LEFT_BEHIND = ("~", ".orig", ".rej", ".bak")  # by editors and by patch
_FAILED = re.compile(r"patch failed: (.*):(\d+)$", re.MULTILINE)


class Patch(Record, frozen=True, kw_only=True):
    """One patch."""

    subject: str
    """Subject without "[PATCH n/m]". A diff without a mail has its file's name."""
    author: str
    origin: str
    """Place that it was read from."""
    diff: str
    """File in the source store that git apply reads, named by its sha256."""
    sha256: str
    files: tuple[str, ...]
    """Files that it changes."""
    hunks: int
    changes: tuple[int, int]
    """Number of lines added, and of lines removed."""
    message_id: str
    """Message-ID of its mail with brackets; "" if there is none."""

    @property
    def text(self) -> str:
        """The diff; bytes that are not UTF-8 as surrogates."""
        return Path(self.diff).read_bytes().decode("utf-8", "surrogateescape")


def read_patches(path: Path) -> tuple[Patch, ...]:
    """The patches of a unified diff, a mail, a mailbox (`b4 am`, `git format-patch --stdout`) or a directory of those.

    A directory is read in the order of its quilt `series` file, else of names. Mails are put into the order that their
    subjects tell, also across files that no `series` lists; covers and replies are left out. Raises BadInput: nothing
    there, or a patch of a series is missing.
    """
    return tuple(_stored(mail) for mail in _patch_mails(path))


def check_patches(path: Path) -> None:
    """Raises BadInput as read_patches() does; stores nothing."""
    _patch_mails(path)


def read_mails(path: Path) -> tuple[Mail, ...]:
    """Every mail of a series, covers and replies included; a bare diff counts as a mail. Raises BadInput."""
    return tuple(mail for file in patch_files(path) for mail in _read(file))


def _patch_mails(path: Path) -> Sequence[Mail]:
    if path.is_dir():
        listed = (path / "series").is_file()
        patch_mails = ordered([_read(file) for file in patch_files(path)], str(path), listed=listed)
    elif path.is_file():
        found = _read(path)  # a single mail is a file of `git format-patch`, which the user chose
        patch_mails = patches_in(found) if len(found) == 1 else ordered([found], str(path), listed=False)
    else:
        raise BadInput(f"{path}: no such patch", "name a diff, a mailbox as `b4 am` writes it, or a directory of them")
    if not patch_mails:
        raise BadInput(f"{path}: no patch in it", "name a diff, a mailbox as `b4 am` writes it, or a directory of them")
    return patch_mails


def apply(tree: str, patches: Sequence[Patch]) -> str:
    """The tree with the patches applied in order, as `git am` applies them: offsets are taken, fuzz is not.

    Raises NotBuilt that names patch, file and line and shows the refused hunk.
    """
    return steps(tree, patches)[-1]


def steps(tree: str, patches: Sequence[Patch]) -> tuple[str, ...]:
    """The tree, and what it is after each patch; see apply()."""
    if not patches:
        return (tree,)
    with git.own_index(tree) as index:
        return (tree, *(_applied(patch, number, index) for number, patch in enumerate(patches, 1)))


def _applied(patch: Patch, number: int, index: Path) -> str:
    bare = next((f"{file.path}:{hunk.old[0]}" for file, hunk in hunks_of(patch.text) if hunk.lacks_context), "")
    if bare:  # git would put added lines at the end of the file
        raise NotBuilt(f"patch {number} ({patch.subject}) has no context lines at {bare}, so its place is not certain",
                       "make it again with context: `git format-patch -U3`")  # fmt: skip
    try:
        git.apply(Path(patch.diff), index)
    except git.GitFailed as error:
        raise _refused(patch, number, index, error.what) from error
    return git.written(index)


def patched(tree: str, paths: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """(the tree with all patches of these files and directories, their subjects). Raises BadInput or NotBuilt."""
    patches = [patch for path in paths for patch in read_patches(expanded(path))]
    return apply(tree, patches), tuple(patch.subject for patch in patches)


def patch_files(path: Path) -> list[Path]:
    """The files of patches at a path, in their order: itself, or those that a directory has. Raises BadInput."""
    if not path.is_dir():
        return [path]
    series = path / "series"
    if series.is_file():
        lines = series.read_text("utf-8", "surrogateescape").splitlines()
        return list(dict.fromkeys(_quilted(path, line) for line in lines if line.partition("#")[0].strip()))
    files = [file for file in sorted(path.iterdir()) if file.is_file() and not file.name.startswith(".")]
    files = [file for file in files if not file.name.endswith(_LEFT_BEHIND)]
    return [file for file in files if file.name.removesuffix(".gz").endswith(_SUFFIXES) or parse(_text(_content(file)))]


def _quilted(directory: Path, line: str) -> Path:
    name, *options = line.partition("#")[0].split()
    if [option for option in options if option != "-p1"]:
        raise BadInput(
            f"{directory}/series: {line.strip()!r}: only -p1 is understood", "`quilt refresh -p1` rewrites it"
        )
    if not (directory / name).is_file():
        raise BadInput(f"{directory}/series: there is no {name}", "add the file, or take it out of the list")
    return directory / name


def _read(file: Path) -> list[Mail]:
    if not readable(file):
        raise BadInput(f"{file}: Permission denied", "name a patch that you may read")
    data = _content(file)
    if is_mail(data):
        return mails(file, data)
    if not parse(_text(data)):
        raise BadInput(
            f"{file}: neither a mail nor a unified diff",
            "`git format-patch` writes what fits; leave other files out of a directory",
        )
    return [Mail(origin=str(file), subject=file.stem, author="", diff=_text(data), text=_text(data))]


def _content(file: Path) -> bytes:
    data = file.read_bytes()
    if not data.startswith(_GZIP):
        return data
    try:  # archives of mailing lists give a thread in this way
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise BadInput(f"{file}: compressed by gzip, and damaged: {error}", "fetch it again") from error


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _stored(mail: Mail) -> Patch:
    """The patch, with its diff written into the store."""
    files = parse(mail.diff)
    data = mail.diff.encode("utf-8", "surrogateescape")
    if not data.endswith(b"\n"):  # as a pasted diff may end; git takes it for a cut one
        data += b"\n"
    path = git.store() / "patches" / f"{sha256_bytes(data)}.diff"
    if not path.is_file():
        write_atomic(path, data)
    counts = [hunk.changes for file in files for hunk in file.hunks]
    return Patch(
        subject=mail.title,
        author=mail.author,
        origin=mail.origin,
        diff=str(path),
        sha256=path.stem,
        files=tuple(dict.fromkeys(file.path for file in files)),
        hunks=len(counts),
        changes=(sum(added for added, _ in counts), sum(removed for _, removed in counts)),
        message_id=mail.message_id,
    )


def _refused(patch: Patch, number: int, index: Path, text: str) -> NotBuilt:
    """The error for a patch that git refused, with the refused hunk."""
    name = f"patch {number} ({patch.subject})"
    try:
        git.apply(Path(patch.diff), index, "--check", "--reverse")
    except git.GitFailed:
        pass
    else:
        return NotBuilt(f"{name}: is in the source already", "leave it out")
    if "corrupt patch" in text:
        return NotBuilt(f"{name} is damaged: {_errors_in(text)} of {patch.diff}",
                        "its lines were wrapped or cut: save it again, or send it as an attachment")  # fmt: skip
    if 2 * patch.text.count("\r\n") > patch.text.count("\n"):
        mailbox = patch.origin.rpartition(", mail ")[0]
        return NotBuilt(
            f"{name} does not apply: its lines end in CR LF",
            f"`git am --quoted-cr=strip {shlex.quote(mailbox)}`; give what `git format-patch` then writes"
            if mailbox else f"give what `sed 's/\\r$//' {shlex.quote(patch.origin)}` writes",
        )  # fmt: skip
    names = [
        line[4:].partition("\t")[0] for file in parse(patch.text) for line in file.header
        if line.startswith("--- ") and not line.startswith("--- /dev/null")
    ]  # fmt: skip
    is_missing = bool(names) and "does not exist in index" in text
    if is_missing and git.git(("ls-files", "--", *names), index=index, may_fail=True):
        return NotBuilt(f"{name} does not apply: its paths have no a/ and b/",
                        "make it again: `git format-patch --src-prefix=a/ --dst-prefix=b/`")  # fmt: skip
    failed = _FAILED.search(text)
    hunk = _hunk_at(patch, failed[1], int(failed[2])) if failed else None
    if failed is None or hunk is None:
        return NotBuilt(
            f"{name} does not apply: {_errors_in(text)}",
            f"rebase it to this source, or choose the one it was made for; it is {patch.origin}",
        )
    shown = "\n".join(f"    {line}" for line in hunk.lines[:_SHOWN])
    more = f"\n    ({len(hunk.lines) - _SHOWN} more lines)" if len(hunk.lines) > _SHOWN else ""
    where = f"{failed[1]}:{failed[2]}"
    header = f"    @@ -{hunk.old[0]},{hunk.old[1]} +{hunk.new[0]},{hunk.new[1]} @@ {hunk.function}".rstrip()
    return NotBuilt(f"{name} does not apply at {where}:\n{header}\n{shown}{more}",
                    f"rebase it to this source, or choose the one it was made for; it is {patch.origin}")  # fmt: skip


def _hunk_at(patch: Patch, path: str, line: int) -> Hunk | None:
    hunks = (hunk for file, hunk in hunks_of(patch.text) if file.path == path and hunk.old[0] == line)
    return next(hunks, None)


def _errors_in(text: str) -> str:
    return "; ".join(line.removeprefix("error: ") for line in text.splitlines() if line.startswith("error: ")) or text
