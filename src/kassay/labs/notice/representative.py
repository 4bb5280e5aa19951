# SPDX-License-Identifier: GPL-2.0-only
"""Choice of parameters that make the micro-benchmark of a finding resemble the calls of applications."""

from collections import Counter
from collections.abc import Iterable, Sequence
from shlex import quote

from kassay.labs.notice.model import CallSizes, Noticed, Subject
from kassay.model.units import format_bytes, parse_bytes
from kassay.model.workload import Parameter, Workload

_LENGTH, _ORDER = "size", "order"
_PART = 0.05
"""An order with at least this share of all pages is measured."""


def representative(
    subject: Subject, workload: Workload, applications: Sequence[Noticed], page_bytes: int
) -> tuple[tuple[str, str], ...]:
    """(command, why) for each parameter that can be set: the lengths of the system calls that lead to the finding's
    functions, and the orders of folios if page faults lead to them. workload: that of the finding."""
    parameters = {parameter.name: parameter for parameter in workload.parameters}
    entries = {entry.entry for entry in subject.entries}
    sizes = [size for application in applications for size in application.sizes]
    calls = [size for size in sizes if size.what in entries and size.unit == "pages"]
    folios = [size for size in sizes if size.unit == "order" and "page fault" in entries]
    commands = []
    if calls and (length := parameters.get(_LENGTH)) is not None and length.kind == "size":
        commands.append(_with_lengths(subject, length, calls, page_bytes))
    if folios and (order := parameters.get(_ORDER)) is not None:
        commands.append(_with_orders(subject, order, folios))
    return tuple(commands)


def _with_lengths(subject: Subject, length: Parameter, calls: Sequence[CallSizes], page_bytes: int) -> tuple[str, str]:
    largest, median = max(size.largest for size in calls), _median(calls)
    pages = sorted({median, max(size.typical for size in calls), largest})
    sizes = dict.fromkeys(_fitting(page * page_bytes, length, page_bytes) for page in pages)
    names = " and ".join(sorted({size.what for size in calls}))
    own = parse_bytes(_have(subject, length)) // page_bytes
    text = (
        f"Calls of {names} in these applications span {_pages(median)} (the median of their medians) and at most "
        f"{_pages(largest)}, those of the finding {_pages(own)}. With their sizes:"
    )
    return _command(subject, length, map(format_bytes, sizes)), text


def _with_orders(subject: Subject, order: Parameter, folios: Sequence[CallSizes]) -> tuple[str, str]:
    pages: Counter[int] = Counter()
    for size in folios:
        for size_bin in size.bins:
            pages[size_bin.least] += size_bin.pages
    shares = {
        number: count / pages.total() for number, count in sorted(pages.items()) if count / pages.total() >= _PART
    }
    texts = (f"order {number} {100 * share:.0f} %" for number, share in shares.items())
    text = (
        f"Of the movable pages that these applications allocate {', '.join(texts)}; the finding is of order "
        f"{_have(subject, order)}. With their orders:"
    )
    return _command(
        subject, order, (str(number) for number in shares if not order.choices or str(number) in order.choices)
    ), text


def _have(subject: Subject, parameter: Parameter) -> str:
    return next((setting.value for setting in subject.settings if setting.name == parameter.name), parameter.default)


def _command(subject: Subject, parameter: Parameter, values: Iterable[str]) -> str:
    others = [f"{setting.name}={setting.value}" for setting in subject.settings if setting.name != parameter.name]
    command = ["kassay", "compare", subject.workload, subject.base, subject.head]
    command += [word for text in (f"{parameter.name}={','.join(values)}", *others) for word in ("--set", text)]
    return " ".join(map(quote, command))


def _pages(number: int) -> str:
    return f"{number} page{'s' * (number != 1)}"


def _median(sizes: Sequence[CallSizes]) -> int:
    medians = sorted(size.median for size in sizes)
    return medians[(len(medians) - 1) // 2]


def _fitting(value: int, parameter: Parameter, page_bytes: int) -> int:
    """The value, limited to the parameter's range, in whole pages."""
    low, high = parameter.minimum or page_bytes, parameter.maximum or value
    return max(page_bytes, min(max(value, low), high) // page_bytes * page_bytes)
