# SPDX-License-Identifier: GPL-2.0-only
"""Patches in mails: git splits and decodes them, their subjects tell the order."""

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from kassay.building import git
from kassay.building.hunks import parse
from kassay.effects import process
from kassay.errors import BadInput
from kassay.model.records import Record

_FIELD = re.compile(rb"(From [^\n]*\n)?([A-Za-z][A-Za-z0-9-]*):[ \t]")
_NUMBER = re.compile(
    r"\[[^\]]*\bPATCH(?=v?\d|\b)(?:[^\]]*?(?:\b|(?<=PATCH))v(\d+)\b)?[^\]]*?(?:\b(\d+)/(\d+))?\s*\]", re.IGNORECASE
)
_BRACKETS = re.compile(r"^(?:\s*(?:\[[^\]]*\]|re:|fwd?:|aw:))+\s*", re.IGNORECASE)
_REPLY = re.compile(r"\s*(?:re|fwd?|aw):", re.IGNORECASE)


class Mail(Record, frozen=True, kw_only=True):
    """One mail, or a bare diff. subject: as sent. diff: its text from the diff on, decoded; "" without one."""

    origin: str
    subject: str
    author: str
    diff: str

    @property
    def title(self) -> str:
        """The subject without "[PATCH v2 2/5]" and "Re:"."""
        return _BRACKETS.sub("", self.subject) or self.subject

    @property
    def place(self) -> tuple[str, int, int] | None:
        """(version, number, of how many); None where the subject tells none."""
        match = _NUMBER.search(self.subject)
        return (match[1] or "1", int(match[2]), int(match[3])) if match and match[2] else None


def is_mail(data: bytes) -> bool:
    """Whether a file begins as a mailbox or a mail does."""
    head = re.split(rb"\r?\n\r?\n", data.lstrip()[:1_000_000], maxsplit=1)[
        0
    ]  # Received: and ARC-Seal: come first, at length
    fields = re.findall(rb"^(From|Subject|Date|Message-Id):[ \t]", head, re.MULTILINE | re.IGNORECASE)
    return bool(_FIELD.match(head)) and len(set(fields)) >= 2


def mails(file: Path) -> list[Mail]:
    """Every mail of a mailbox, or of a file that holds one mail, in the file's order."""
    with tempfile.TemporaryDirectory(prefix="mails-", dir=git.store()) as name:
        scratch = Path(name)
        try:
            git.git(("mailsplit", "-b", f"-o{scratch}", "--", str(file.resolve())))
        except git.GitFailed as error:
            raise BadInput(
                f"{file}: git cannot split this mailbox: {error.what}", "save it again as plain mbox"
            ) from error
        return [_mail(one, file, scratch) for one in sorted(scratch.glob("[0-9]*"))]


def ordered(found: Sequence[Mail], where: str, *, resort: bool) -> list[Mail]:
    """Those that carry a patch, complete. resort: in the order that their subjects tell, where they tell one.

    Replies that carry a diff are left out beside mails that are none. Raises BadInput when a number is missing, comes
    twice with different content, or two versions of one series are mixed.
    """
    patches = [mail for mail in found if mail.diff and (mail.place is None or mail.place[1])]  # --interdiff: a cover's
    first_hand = [mail for mail in patches if not _REPLY.match(mail.subject)]
    patches = list({(mail.place, mail.diff): mail for mail in first_hand or patches}.values())
    numbered = [place for mail in patches if (place := mail.place) is not None]
    announced = {(mail.place[0], mail.place[2]) for mail in found if mail.place and not _REPLY.match(mail.subject)}
    for version, total in sorted(announced):
        _complete([n for v, n, of in numbered if (v, of) == (version, total) and n], total, where)
    if not resort or not numbered:
        return patches
    if len({(version, of) for version, _, of in numbered}) > 1 or len(numbered) < len(patches):
        raise BadInput(f"{where}: more than one series, or patches with and without a number",
                       "keep one version, as `b4 am` does, or put each into a directory of files")  # fmt: skip
    return sorted(patches, key=lambda mail: mail.place or ("", 0, 0))


def _complete(numbers: Sequence[int], total: int, where: str) -> None:
    for number in range(1, total + 1):
        if numbers.count(number) == 1:
            continue
        what = "is missing" if number not in numbers else "is there twice, and not the same"
        raise BadInput(f"{where}: patch {number}/{total} {what}", "`b4 am` fetches the series as it was sent")


def _mail(raw: Path, file: Path, scratch: Path) -> Mail:
    """git mailinfo undoes encodings and takes the author from the body where a mail says "From:" there."""
    message, body = scratch / "message", scratch / "body"
    with raw.open("rb") as data:
        ended = process.run(
            ("git", "mailinfo", "-k", "--encoding=UTF-8", str(message), str(body)),
            env={"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}, cwd=scratch, stdin=data,
        )  # fmt: skip
    if ended.status:
        raise BadInput(
            f"{file}: mail {int(raw.name)}: git mailinfo: {ended.err.strip()}", "save it again as plain mbox"
        )
    fields = dict(line.partition(": ")[::2] for line in ended.out.splitlines())
    text = body.read_bytes().decode("utf-8", "surrogateescape")
    subject = " ".join(fields.get("Subject", "").split())
    author = f"{fields.get('Author', '')} <{fields.get('Email', '')}>".strip()
    return Mail(origin=f"{file}, mail {int(raw.name)}", subject=subject, author=author, diff=_diff(text))


def _diff(text: str) -> str:
    """From the first file on: a diffstat is no part of what a patch is known by."""
    files = parse(text)
    if not files:
        return ""
    return text[text.index("\n".join(files[0].header)) :]
