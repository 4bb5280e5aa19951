# SPDX-License-Identifier: GPL-2.0-only
"""Whom the kernel's MAINTAINERS names for the functions that a report is about, if its sources are on this host."""

import re

from kassay.errors import KassayError
from kassay.model.finding import REFUSED, Finding
from kassay.model.progress import Tell
from kassay.model.records import grouped
from kassay.model.report import Report
from kassay.model.texts import listed
from kassay.report.mail.headline import headline
from kassay.report.mail.names import identity

_SHARE, _MOST = 0.1, 5
"""Functions with at least this share of the difference are looked up, and at most so many."""


def recipients_text(report: Report, tell: Tell) -> tuple[str, ...]:
    """A sentence, then one person or list a line; nothing if they are not known."""
    from kassay.supply.building.source_index import named_for

    topic = headline(report)
    if topic is None or topic.finding.verdict in REFUSED:
        return ()
    kernel = identity(report, topic.finding.sides[1].kernel)
    functions = functions_of(topic.finding)
    if kernel is None or not functions:
        return ()
    try:
        named = named_for(functions, kernel.arch, tell, re.split("[-+]", kernel.release)[0])
    except KassayError:  # the mail is complete without them
        return ()
    if named is None or not named.recipients:
        return ()
    by_file = grouped((file, function) for function, file in named.files)
    places = listed([f"{file} ({', '.join(dict.fromkeys(names))})" for file, names in by_file.items()])
    return (f"MAINTAINERS of Linux {named.release} names for {places}:", *named.recipients)


def functions_of(finding: Finding) -> tuple[str, ...]:
    """The kernel's functions that hold the difference, largest change first."""
    if finding.attribution is None:
        return ()
    least = _SHARE * abs(finding.attribution.total)
    rows = [row for row in finding.attribution.rows if row.place == "kernel" and row.context in ("kernel", "interrupt")]
    return tuple(row.function for row in rows if row.delta and abs(row.delta) >= least)[:_MOST]
