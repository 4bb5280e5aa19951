# SPDX-License-Identifier: GPL-2.0-only
"""Patches in mails: git splits and decodes them, their subjects tell the order."""

import re
import tempfile
from collections.abc import Sequence
from email.parser import BytesHeaderParser
from pathlib import Path

from kassay.effects import process
from kassay.errors import BadInput
from kassay.model.records import Record
from kassay.supply.building import git
from kassay.supply.building.hunks import parse

_FIELD = re.compile(rb"(From [^\n]*\n)?([A-Za-z][A-Za-z0-9-]*):[ \t]")
_NUMBER = re.compile(
    r"\[[^\]]*\bPATCH(?=v?\d|\b)(?:[^\]]*?(?:\b|(?<=PATCH))v(\d+)\b)?[^\]]*?(?:\b(\d+)/(\d+))?\s*\]", re.IGNORECASE
)
_BRACKETS = re.compile(r"^(?:\s*(?:\[[^\]]*\]|re:|fwd?:|aw:))+\s*", re.IGNORECASE)
_REPLY = re.compile(r"\s*(?:re|fwd?|aw):", re.IGNORECASE)


class Mail(Record, frozen=True, kw_only=True):
    """One mail, or a bare diff."""

    origin: str
    subject: str
    """Subject as it was sent."""
    author: str
    diff: str
    """Text of the mail from the diff on, decoded; "" without one."""
    text: str
    """Whole body, decoded."""
    message_id: str = ""
    """Message-ID with its brackets; "" if there is none."""

    @property
    def title(self) -> str:
        """The subject without "[PATCH v2 2/5]" and "Re:"."""
        return _BRACKETS.sub("", self.subject) or self.subject

    @property
    def numbering(self) -> tuple[str, int, int] | None:
        """(version, number, total) of "[PATCH v2 3/5]"; None when the subject has no number."""
        match = _NUMBER.search(self.subject)
        return (match[1] or "1", int(match[2]), int(match[3])) if match and match[2] else None


def is_mail(data: bytes) -> bool:
    """True if a file begins like a mailbox or a mail."""
    # Received: and ARC-Seal: come first and may be long.
    head = re.split(rb"\r?\n\r?\n", data.lstrip()[:1_000_000], maxsplit=1)[0]
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
        return [_mail(raw, file, scratch) for raw in sorted(scratch.glob("[0-9]*"))]


def ordered(all_mails: Sequence[Mail], where: str, *, resort: bool) -> list[Mail]:
    """The mails with a patch. resort: in the order of the numbers in their subjects, where they have numbers.

    Replies with a diff are left out when other mails have one. A file with a single mail is taken as it is. Raises
    BadInput when a number is missing, comes twice with different content, or two versions of one series are mixed.
    """
    # A cover letter has number 0; with --interdiff it contains a diff, too.
    patches = [mail for mail in all_mails if mail.diff and (mail.numbering is None or mail.numbering[1])]
    originals = [mail for mail in patches if not _REPLY.match(mail.subject)]
    patches = list({(mail.numbering, mail.diff): mail for mail in originals or patches}.values())
    if resort and len(all_mails) == 1:  # one file of `git format-patch`, which the user chose
        return patches
    numbered = [numbering for mail in patches if (numbering := mail.numbering) is not None]
    announced = {
        (mail.numbering[0], mail.numbering[2])
        for mail in all_mails
        if mail.numbering and not _REPLY.match(mail.subject)
    }
    for version, total in sorted(announced):
        _complete([n for v, n, of in numbered if (v, of) == (version, total) and n], total, where)
    if not resort or not numbered:
        return patches
    if len({(version, of) for version, _, of in numbered}) > 1 or len(numbered) < len(patches):
        raise BadInput(f"{where}: more than one series, or patches with and without a number",
                       "keep one version, as `b4 am` does, or put each into a directory of files")  # fmt: skip
    return sorted(patches, key=lambda mail: mail.numbering or ("", 0, 0))


def _complete(numbers: Sequence[int], total: int, where: str) -> None:
    for number in range(1, total + 1):
        if numbers.count(number) == 1:
            continue
        problem = "is missing" if number not in numbers else "is there twice, and not the same"
        raise BadInput(f"{where}: patch {number}/{total} {problem}", "`b4 am` fetches the series as it was sent")


def _mail(raw: Path, file: Path, scratch: Path) -> Mail:
    """git mailinfo decodes the mail, and takes the author from a "From:" in the body where there is one."""
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
    changelog, text = (part.read_bytes().decode("utf-8", "surrogateescape") for part in (message, body))
    subject = " ".join(fields.get("Subject", "").split())
    author = f"{fields.get('Author', '')} <{fields.get('Email', '')}>".strip()
    return Mail(origin=f"{file}, mail {int(raw.name)}", subject=subject, author=author, diff=_diff(text),
                text=changelog + text, message_id=_message_id(raw))  # fmt: skip


def _message_id(raw: Path) -> str:
    """The Message-ID of a mail, which git mailinfo does not tell."""
    with raw.open("rb") as data:
        found = BytesHeaderParser().parse(data)["Message-ID"]
    return str(found or "").strip()


def _diff(text: str) -> str:
    """The text from the first file on: the diffstat before it does not count in a patch's hash."""
    files = parse(text)
    if not files:
        return ""
    return text[text.index("\n".join(files[0].header)) :]
