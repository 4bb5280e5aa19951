# SPDX-License-Identifier: GPL-2.0-only
"""A mail to a mailing list: plain text of 72 columns with its subject, and what ties it to a thread."""

import re
import textwrap
from collections.abc import Sequence

from kassay.errors import BadInput
from kassay.model.finding import REFUSED, Finding
from kassay.model.report import Report
from kassay.report.form import NOTHING, FormOption, Given
from kassay.report.formats import Format
from kassay.report.kernel_share import program_groups, share_sentence
from kassay.report.mail.answer import answer
from kassay.report.mail.conditions import kernels, measured, state
from kassay.report.mail.headline import headline, introduced, subject_line
from kassay.report.mail.imported import UNSEARCHED, origin, unknown
from kassay.report.mail.judged import how_sure
from kassay.report.mail.names import everyday_sentence, names
from kassay.report.mail.results import counts_and_time, failed, functions, results, seed_rules
from kassay.report.mail.text import ascii_text, bullets, wrapped
from kassay.report.predictions import disagreements, mail_sentence
from kassay.report.repeat import to_reproduce

_PROGRAMS = 4
_ALONE = "The program does nothing but this; what an application notices of it is another question."
# Begins of lines that mail programs and git do not take for text.
_MISREAD = re.compile(r"^(?=From |>From |---|diff -|Index: |#regzbot|-- $)", re.MULTILINE)


def mail(report: Report) -> str:
    """Headers, a blank line, the text."""
    paragraphs = [wrapped(text) for text in (*answer(report), *(report.lead.mail_also if report.lead else ()))]
    blocks = [["Hi,"], *paragraphs, *results(report), functions(report), *_shares(report)]
    blocks += [counts_and_time(report), *_predicted(report)]
    blocks += [*_sure(report), failed(report)]
    blocks += [
        measured(report),
        state(report),
        kernels(report),
        origin(report),
        to_reproduce(report),
        _limits(report),
        seed_rules(report),
    ]
    text = "\n\n".join("\n".join(block) for block in blocks if block)
    ends = [text for text in ("\n".join(introduced(report)), _signature(report)) if text]
    return "\n".join((header("Subject", subject_line(report)), "", _MISREAD.sub(" ", text), "", "\n\n".join(ends), ""))


def _sure(report: Report) -> list[list[str]]:
    first, *others = how_sure(report) or [""]
    return [wrapped(f"How sure: {first}"), *map(wrapped, others)] if first else []


def _shares(report: Report) -> list[list[str]]:
    """Of programs and applications: how much of each is the kernel's, and for which system calls and faults."""
    spoken = names(report)
    return [
        wrapped(
            ascii_text(" ".join(share_sentence(share, name=spoken[share.label]) for share in (group[0], group[-1])))
        )
        for group in program_groups(report)[:_PROGRAMS]
    ]


def _predicted(report: Report) -> list[list[str]]:
    """The prediction for the comparison of the headline, and where its counts disagree."""
    topic = headline(report)
    text = mail_sentence(topic.finding) if topic is not None else ""
    return [wrapped(ascii_text(" ".join((text, *disagreements(report)))))] if text else []


def _limits(report: Report) -> list[str]:
    """The report's own limits, and the two that every such mail has."""
    if report.sources:
        return ["What this does not show:", "", *bullets(unknown(report))]
    items = [everyday_sentence(report, reason) for reason in report.disclosures if reason.code != "command-line"]
    topic = headline(report)
    if topic is not None:
        items += [] if program_groups(report) else [_ALONE]
        items += _not_found(report) if _stands(topic.finding) else []
    return ["What this does not show:", "", *bullets(items)] if items else []


def _not_found(report: Report) -> tuple[str, ...]:
    """What is not known of the commit that caused the change."""
    if report.lead is not None and report.lead.mail_open is not None:
        return report.lead.mail_open
    return (UNSEARCHED,)


def _stands(f: Finding) -> bool:
    return f.verdict not in (*REFUSED, "inconclusive", "equivalent")


def _signature(report: Report) -> str:
    return f"-- \nWritten by kassay {ascii_text(report.kassay_version)}, experiment {ascii_text(report.plan_id)[:16]}."


_MESSAGE_ID = re.compile(r"<[!-.0-;=?A-~]+@[!-.0-;=?A-~]+>")  # printable, without brackets and slashes
_ARCHIVE = re.compile(r"https?://[^/\s]+/(?:[^/\s]+/)?([^/\s]+@[^/\s]+)(?:/.*)?")
_ADDRESS = re.compile(r"[^<>,;\s]+@[^<>,;\s]+")
_FOLD = 72


def threaded(text: str, in_reply_to: str = "", to: Sequence[str] = (), cc: Sequence[str] = ()) -> str:
    """A mail as mail.render() wrote it, with further headers.

    in_reply_to: a message id, its brackets may be left out, or its address in an archive (https://lore.kernel.org/...).
    to, cc: addresses, "Name <a@b>" or bare. Raises BadInput for what is neither: a line break in a header would start a
    header of its own.
    """
    lines = [_people("To", to)] if to else []
    lines += [_people("Cc", cc)] if cc else []
    if in_reply_to:
        message = _message_id(in_reply_to)
        lines += [f"In-Reply-To: {message}", f"References: {message}"]
    head, blank, body = text.partition("\n\n")
    return "\n".join((head, *lines)) + blank + body


def header(name: str, value: str) -> str:
    """One header, folded between words where it is long."""
    return "\n".join(textwrap.wrap(f"{name}: {value}", _FOLD, subsequent_indent=" ", break_long_words=False))


def _message_id(text: str) -> str:
    linked = _ARCHIVE.fullmatch(text.strip())
    text = linked[1] if linked else text
    message = text.strip() if text.strip().startswith("<") else f"<{text.strip()}>"
    if not _MESSAGE_ID.fullmatch(message):
        raise BadInput(
            f"--in-reply-to {text!r}: not a message id",
            "write it as in the mail, <20260518150105.1@host>, or give its address in an archive",
        )
    return message


def _people(name: str, people: Sequence[str]) -> str:
    return f"{name}: " + ",\n ".join(_person(name, person) for person in people)


def _person(name: str, text: str) -> str:
    option = f"--{name.lower()} {text!r}"
    if not text.isascii() or not text.isprintable():
        raise BadInput(f"{option}: a header takes printable ASCII on one line", "write NAME <ADDRESS> without accents")
    display, bracket, rest = text.strip().rpartition("<")
    address = rest.removesuffix(">") if bracket else text.strip()
    if not _ADDRESS.fullmatch(address) or (bracket and not rest.endswith(">")):
        raise BadInput(f"{option}: not an address", "write a@b or NAME <a@b>; give the option again for a second one")
    return f"{_display(display)}<{address}>" if bracket else address


def _display(text: str) -> str:
    """A name with characters that mean something in a header stands in quotes."""
    name = text.strip().strip('"')
    if not name:
        return ""
    quoted = name.replace(chr(92), chr(92) * 2).replace('"', chr(92) + '"')
    return f"{name} " if re.fullmatch(r"[\w !#$%&'*+/=?^`{|}~-]+", name) else f'"{quoted}" '


_IN_REPLY_TO = FormOption(name="--in-reply-to", metavar="ID", help="Message-ID that the mail answers.")
_TO, _CC = (
    FormOption(name=name, metavar="ADDRESS", help="Of the mail; may be repeated.", many=True)
    for name in ("--to", "--cc")
)


def render(report: Report, given: Given = NOTHING) -> str:
    """Headers, a blank line, the text."""
    text = mail(report)
    if not given:
        return text
    (reply,) = given.get(_IN_REPLY_TO.name) or ("",)
    return threaded(text, reply, given.get(_TO.name, ()), given.get(_CC.name, ()))


FORMAT = Format(
    name="mail", suffix=".mail", summary="a mail to a mailing list, as git send-email and b4 take it", render=render,
    whole=False, options=(_IN_REPLY_TO, _TO, _CC),
)  # fmt: skip
