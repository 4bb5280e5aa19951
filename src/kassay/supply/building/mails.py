# SPDX-License-Identifier: GPL-2.0-only
"""Patches in mails: git splits and decodes them, their subjects tell the order."""

import re
import tempfile
from collections.abc import Sequence
from email.parser import BytesHeaderParser
from pathlib import Path

from kassay.effects import process
from kassay.errors import BadInput
from kassay.model.records import Record, grouped
from kassay.supply.building import git
from kassay.supply.building.hunks import parse
from kassay.supply.building.subjects import Subject, parse_subject

_SUBJECT = re.compile(rb"^Subject:[^\n]*(?:\n[ \t][^\n]*)*", re.MULTILINE | re.IGNORECASE)
_FIELD = re.compile(rb"(From [^\n]*\n)?([A-Za-z][A-Za-z0-9-]*):[ \t]")


class Mail(Record, frozen=True, kw_only=True):
    """One mail, or a bare diff."""

    origin: str
    subject: str
    """Subject of the mail's header, decoded."""
    author: str
    diff: str
    """Text of the mail from the diff on, decoded; "" without one."""
    text: str
    """Whole body, decoded."""
    message_id: str = ""
    """Message-ID with its brackets; "" if there is none."""

    in_body: str = ""
    """Subject that the body begins with, which takes the header's place in the commit; "" if there is none."""

    @property
    def parts(self) -> Subject:
        """Parts of the header's subject, which has the number."""
        return parse_subject(self.subject)

    @property
    def title(self) -> str:
        """Subject of the commit, without "[PATCH v2 2/5]" and "Re:"."""
        parts = parse_subject(self.in_body or self.subject)
        return self.in_body if self.in_body and not parts.tag else parts.title

    @property
    def numbering(self) -> tuple[int, int, int] | None:
        """(version, number, total) of "[PATCH v2 3/5]"; None when the subject has no number."""
        parts = self.parts
        return (parts.version or 1, *parts.number) if parts.number else None


def is_mail(data: bytes) -> bool:
    """True if a file begins like a mailbox or a mail."""
    # Received: and ARC-Seal: come first and may be long.
    head = re.split(rb"\r?\n\r?\n", data.lstrip()[:1_000_000], maxsplit=1)[0]
    fields = re.findall(rb"^(From|Subject|Date|Message-Id):[ \t]", head, re.MULTILINE | re.IGNORECASE)
    return bool(_FIELD.match(head)) and len(set(fields)) >= 2


def mails(file: Path, data: bytes) -> list[Mail]:
    """Every mail of a mailbox, or of a file that holds one mail, in the file's order. data: its content."""
    with tempfile.TemporaryDirectory(prefix="mails-", dir=git.store()) as name:
        scratch = Path(name)
        mailbox = scratch / "mailbox"
        mailbox.write_bytes(data)
        try:
            git.git(("mailsplit", "-b", f"-o{scratch}", "--", str(mailbox)))
        except git.GitFailed as error:
            raise BadInput(
                f"{file}: git cannot split this mailbox: {error.what}", "save it again as plain mbox"
            ) from error
        return [_mail(raw, file, scratch) for raw in sorted(scratch.glob("[0-9]*"))]


def patches_in(all_mails: Sequence[Mail]) -> list[Mail]:
    """The mails with a patch. Replies with a diff are left out when other mails have one."""
    # A cover letter has number 0; with --interdiff it contains a diff, too.
    patches = [mail for mail in all_mails if mail.diff and (mail.numbering is None or mail.numbering[1])]
    originals = [mail for mail in patches if not mail.parts.is_reply]
    return list({(mail.numbering, mail.diff): mail for mail in originals or patches}.values())


def ordered(files: Sequence[Sequence[Mail]], where: str, *, listed: bool) -> list[Mail]:
    """The mails with a patch, file by file, each series in the order of its numbers. listed: the user gave the order of
    the files; numbers then sort the mails of each file alone.

    Raises BadInput when a number is missing, comes twice with different content, or two versions are mixed.
    """
    all_mails = [mail for of_file in files for mail in of_file]
    patches = patches_in(all_mails)
    numbered = [numbering for mail in patches if (numbering := mail.numbering) is not None]
    announced = {mail.numbering[::2] for mail in all_mails if mail.numbering and not mail.parts.is_reply}
    for version, total in sorted(announced):
        _complete([n for v, n, of in numbered if (v, of) == (version, total)], total, where)
    origins = {mail.origin for mail in patches}
    by_file = [[mail for mail in of_file if mail.origin in origins] for of_file in files]
    is_mixed = any(len({_series(mail) for mail in part}) > 1 for part in by_file)
    if is_mixed or (not listed and len({mail.parts.version for mail in patches} - {None}) > 1):
        raise BadInput(
            f"{where}: more than one series, or patches with and without a number",
            "keep one version, as `b4 am` does, or list files of one patch in a quilt `series` file",
        )
    parts = by_file if listed else [[mail for part in by_file for mail in part]]
    return [mail for part in parts for mail in _by_number(part)]


def _series(mail: Mail) -> tuple[int, int]:
    """(version, number of patches) of the series that a mail belongs to; 0 patches if it has no number."""
    return mail.parts.version or 1, mail.parts.number[1] if mail.parts.number else 0


def _by_number(patches: Sequence[Mail]) -> list[Mail]:
    """The patches, those of each series in the order of their numbers at the places that the series has."""
    series = grouped((_series(mail), mail) for mail in patches)
    sorted_ = {key: iter(sorted(each, key=lambda mail: mail.numbering or ())) for key, each in series.items()}
    return [next(sorted_[_series(mail)]) for mail in patches]


def _complete(numbers: Sequence[int], total: int, where: str) -> None:
    for number in range(1, max(total, *numbers, 0) + 1):  # an addition to a series of two is patch 3/2
        if numbers.count(number) == 1:
            continue
        problem = "is missing" if number not in numbers else "is there twice, and not the same"
        raise BadInput(f"{where}: patch {number}/{total} {problem}", "`b4 am` fetches the series as it was sent")


def _mail(raw: Path, file: Path, scratch: Path) -> Mail:
    """git mailinfo decodes the mail, and takes author and subject from the body where it begins with them."""
    origin, data = f"{file}, mail {int(raw.name)}", raw.read_bytes()
    fields, text, body = _mailinfo(data, origin, scratch)
    subjects = [" ".join(subject.split()) for subject in fields.get("Subject", ("",))]
    in_body = next(filter(None, subjects), "") if len(subjects) > 1 else ""  # git then prints no other one
    if in_body and (header := _SUBJECT.search(data.partition(b"\n\n")[0])):
        (subject,) = _mailinfo(header[0] + b"\n\n", origin, scratch)[0].get("Subject", ("",))
        subjects = [" ".join(subject.split())]
    author = f"{fields.get('Author', ('',))[0]} <{fields.get('Email', ('',))[0]}>".strip()
    return Mail(origin=origin, subject=subjects[0], in_body=in_body, author=author, diff=_diff(body),
                text=text + body, message_id=_message_id(data))  # fmt: skip


def _mailinfo(data: bytes, origin: str, scratch: Path) -> tuple[dict[str, list[str]], str, str]:
    """Header fields, the text before the diff, and the rest of the body."""
    mail, message, body = scratch / "mail", scratch / "message", scratch / "body"
    mail.write_bytes(data)
    with mail.open("rb") as opened:
        ended = process.run(
            ("git", "mailinfo", "-k", "--encoding=UTF-8", str(message), str(body)),
            env={"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}, cwd=scratch, stdin=opened,
        )  # fmt: skip
    if ended.status:
        raise BadInput(f"{origin}: git mailinfo: {ended.err.strip()}", "save it again as plain mbox")
    fields = grouped((name, value) for name, _, value in (line.partition(": ") for line in ended.out.splitlines()))
    text, rest = (part.read_bytes().decode("utf-8", "surrogateescape") for part in (message, body))
    return fields, text, rest


def _message_id(data: bytes) -> str:
    """The Message-ID of a mail, which git mailinfo does not tell."""
    return str(BytesHeaderParser().parsebytes(data)["Message-ID"] or "").strip()


def _diff(text: str) -> str:
    """The text from the first file on: the diffstat before it does not count in a patch's hash."""
    files = parse(text)
    if not files:
        return ""
    return text[text.index("\n".join(files[0].header)) :]
