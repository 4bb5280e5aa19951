# SPDX-License-Identifier: GPL-2.0-only
"""Which parameters make the micro-benchmark of a finding like the calls that applications make."""

from collections import Counter
from collections.abc import Iterable, Sequence
from shlex import quote

from kassay.model.notice import CallSizes, Noticed, Subject
from kassay.model.units import format_bytes, parse_bytes
from kassay.model.workload import Parameter, Workload

_LENGTH, _ORDER = "size", "order"
_PART = 0.05
"""Of all pages, from which on an order is measured."""


def representative(
    subject: Subject, workload: Workload, applications: Sequence[Noticed], page_bytes: int
) -> tuple[tuple[str, str], ...]:
    """(command, why): with the lengths of the system calls that lead to the finding's functions, and with the orders of
    folios where faults do; nothing where no application has one, or the workload has no such parameter. workload: that
    of the finding."""
    parameters = {parameter.name: parameter for parameter in workload.parameters}
    entries = {entry.entry for entry in subject.entries}
    sizes = [size for application in applications for size in application.sizes]
    calls = [size for size in sizes if size.what in entries and size.unit == "pages"]
    folios = [size for size in sizes if size.unit == "order" and "page fault" in entries]
    found = []
    if calls and (length := parameters.get(_LENGTH)) is not None and length.kind == "size":
        found.append(_with_lengths(subject, length, calls, page_bytes))
    if folios and (order := parameters.get(_ORDER)) is not None:
        found.append(_with_orders(subject, order, folios))
    return tuple(found)


def _with_lengths(subject: Subject, length: Parameter, seen: Sequence[CallSizes], page_bytes: int) -> tuple[str, str]:
    largest, median = max(size.largest for size in seen), _median(seen)
    pages = sorted({median, max(size.typical for size in seen), largest})
    sizes = dict.fromkeys(_fitting(page * page_bytes, length, page_bytes) for page in pages)
    names = " and ".join(sorted({size.what for size in seen}))
    own = parse_bytes(_have(subject, length)) // page_bytes
    text = (
        f"Calls of {names} in these applications span {_pages(median)} (the median of their medians) and at most "
        f"{_pages(largest)}, those of the finding {_pages(own)}. With their sizes:"
    )
    return _command(subject, length, map(format_bytes, sizes)), text


def _with_orders(subject: Subject, order: Parameter, seen: Sequence[CallSizes]) -> tuple[str, str]:
    pages: Counter[int] = Counter()
    for size in seen:
        for one in size.bins:
            pages[one.least] += one.pages
    shares = {one: count / pages.total() for one, count in sorted(pages.items()) if count / pages.total() >= _PART}
    texts = (f"order {one} {100 * share:.0f} %" for one, share in shares.items())
    text = (
        f"Of the movable pages that these applications allocate {', '.join(texts)}; the finding is of order "
        f"{_have(subject, order)}. With their orders:"
    )
    return _command(
        subject, order, (str(share) for share in shares if not order.choices or str(share) in order.choices)
    ), text


def _have(subject: Subject, parameter: Parameter) -> str:
    return next((setting.value for setting in subject.settings if setting.name == parameter.name), parameter.default)


def _command(subject: Subject, parameter: Parameter, values: Iterable[str]) -> str:
    others = [f"{setting.name}={setting.value}" for setting in subject.settings if setting.name != parameter.name]
    words = ["kassay", "compare", subject.workload, subject.base, subject.head]
    words += [word for one in (f"{parameter.name}={','.join(values)}", *others) for word in ("--set", one)]
    return " ".join(map(quote, words))


def _pages(number: int) -> str:
    return f"{number} page{'s' * (number != 1)}"


def _median(seen: Sequence[CallSizes]) -> int:
    medians = sorted(size.median for size in seen)
    return medians[(len(medians) - 1) // 2]


def _fitting(value: int, parameter: Parameter, page_bytes: int) -> int:
    """The value as far as the parameter goes, in whole pages."""
    low, high = parameter.minimum or page_bytes, parameter.maximum or value
    return max(page_bytes, min(max(value, low), high) // page_bytes * page_bytes)
