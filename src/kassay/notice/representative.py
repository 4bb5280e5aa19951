# SPDX-License-Identifier: GPL-2.0-only
"""Which parameters make the micro-benchmark of a finding like the calls that applications make."""

from collections.abc import Sequence
from shlex import quote

from kassay.model.notice import CallSizes, Noticed, Subject
from kassay.model.plan import Plan
from kassay.model.units import format_bytes, parse_bytes
from kassay.model.workload import Parameter

_LENGTH = "size"


def representative(
    subject: Subject, plan: Plan, applications: Sequence[Noticed], page_bytes: int
) -> tuple[tuple[str, str], ...]:
    """(command, why) for the system calls that lead to the finding's functions; nothing where no application made one,
    or where the workload has no length to choose. plan: of the finding."""
    parameters = [p for workload in plan.workloads if workload.name == subject.workload for p in workload.parameters]
    length = next((one for one in parameters if one.name == _LENGTH), None)
    calls = {entry.entry for entry in subject.entries}
    seen = [size for one in applications for size in one.sizes if size.what in calls and size.unit == "pages"]
    if length is None or length.kind != "size" or not seen:
        return ()
    largest = max(size.largest for size in seen)
    pages = sorted({_median(seen), max(size.typical for size in seen), largest})
    sizes = dict.fromkeys(_fitting(page * page_bytes, length, page_bytes) for page in pages)
    others = [f"{one.name}={one.value}" for one in subject.settings if one.name != _LENGTH]
    chosen = (f"{_LENGTH}={','.join(map(format_bytes, sizes))}", *others)
    words = ["kassay", "compare", subject.workload, subject.base, subject.head]
    words += [word for one in chosen for word in ("--set", one)]
    names = " and ".join(sorted({size.what for size in seen}))
    have = next((setting.value for setting in subject.settings if setting.name == _LENGTH), length.default)
    text = (
        f"Calls of {names} in these applications span {_pages(_median(seen))} (the median of their medians) and at "
        f"most {_pages(largest)}, those of the finding {_pages(parse_bytes(have) // page_bytes)}. With their sizes:"
    )
    return ((" ".join(map(quote, words)), text),)


def _pages(number: int) -> str:
    return f"{number} page{'s' * (number != 1)}"


def _median(seen: Sequence[CallSizes]) -> int:
    medians = sorted(size.median for size in seen)
    return medians[(len(medians) - 1) // 2]


def _fitting(value: int, parameter: Parameter, page_bytes: int) -> int:
    """The value as far as the parameter goes, in whole pages."""
    low, high = parameter.minimum or page_bytes, parameter.maximum or value
    return max(page_bytes, min(max(value, low), high) // page_bytes * page_bytes)
