# SPDX-License-Identifier: GPL-2.0-only
"""Output of a user's program -> names with values.

It reads JSON objects (all of the output, or a line), `name=value` and `name:number` pairs anywhere in a line, and lines
that have only `name value` pairs, with or without a colon. Everything else is text for people, and is ignored.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from msgspec import structs

from kassay.effects.files import sha256_bytes
from kassay.model.guest import GuestReport
from kassay.model.printed_values import Printed
from kassay.model.program import Check
from kassay.model.work import CallResult, Found, FoundByCall

OUTPUT = "kassay/program"
"""Where a stream has what a program wrote: OUTPUT/output and OUTPUT/errors."""
_PATH = f"{OUTPUT}/output"
RESULTS, RESULTS_OF_OTHERS = "kassay/program/results", "kassay/program/results_of_others"
"""Where a stream has the results of system calls: of the program's first process, and of its other tasks."""
ARGUMENTS, ARGUMENTS_OF_OTHERS = "kassay/program/arguments", "kassay/program/arguments_of_others"
"""The same for sums of their arguments."""
FOUND, FOUND_BY_OTHERS = "kassay/program/found", "kassay/program/found_by_others"
"""The same for the memory that they found."""
_NUMBERS_OF_CALL = FoundByCall.__struct_fields__[1:]
_WORK = "kassay/program/work"
SEPARATOR = "\x1e\n"
"""Behind the output of each execution."""
_MOST = 200  # names
_SURROGATE = re.compile("[\ud800-\udfff]")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_NAME = r"[A-Za-z_][\w./:%#\[\]<>()-]{0,199}?"  # without a limit a line without blanks takes its length squared
_PAIR = re.compile(
    rf"(?<![\w.:])(?:({_NAME})\s*=\s*((?:[^\s,;=]|(?<=\d),(?=\d))+)|"
    rf"([A-Za-z_]\w{{0,199}}):({_NUMBER.pattern})(?=[\s;]|,(?!\d)|$))[,;]?"
)
"""A value with commas between digits is one word, as "1,234" is: 1234 in one language, and 1.234 in another."""
_PLAIN = re.compile(rf"(?<![A-Za-z_])({_NAME}):?\s+({_NUMBER.pattern})\s*([A-Za-z/%]+)?[,;]?(?=\s|$)")
_UNITS = ("ns", "us", "µs", "ms", "s", "sec", "secs", "seconds", "nsec", "usec", "msec", "cycles")
_TIME = re.compile(
    r"(?:^|[_./ -])(?:ns|us|ms|[nmu]?secs?|seconds?|time|times|elapsed|latency|duration|cycles|tsc|rate|throughput|"
    r"bandwidth|persec|per_sec(?:ond)?|[kmg]?bps|[kmg]b_s|iops|ops_s)(?:$|[_./ -])",
    re.IGNORECASE,
)
_TIMED_END = re.compile(r"(?:time|latency|elapsed|duration|seconds|_?[nmu]secs?|\d(?:ns|us|ms))$", re.IGNORECASE)
_ORDER_OF_RESULTS = ("family_index", "per_family_instance_index", "repetitions", "repetition_index", "threads")


def executions(report: GuestReport) -> tuple[str, ...] | None:
    """Output of each execution, bytes that are not UTF-8 as surrogates; None if the workload is no user's program."""
    output = next((file.content for file in report.files if file.path == _PATH and file.moment == "after"), None)
    return None if output is None else tuple(output.split(SEPARATOR)[:-1] or (output,))


def is_program_run(report: GuestReport) -> bool:
    """True if the run's workload was a user's program."""
    return executions(report) is not None


def call_results(report: GuestReport, path: str) -> tuple[CallResult, ...] | None:
    """Results of the first calls of the watched execution, by name, error and kind; None if nothing was recorded.

    The guest ships a line "NAME ERROR TIMES TOTAL KIND" for each, "-" for none; older ones had no kind. Its error
    "unknown" is left out: a signal came in, the kernel starts the call again, and the program does not see that
    (ERESTARTSYS).
    """
    text = _text_of(report, path)
    if text is None:
        return None
    lines = (line.split(" ") for line in text.splitlines())
    return tuple(
        CallResult(
            name=words[0], error=words[1].removeprefix("-"), times=int(words[2]), total=int(words[3]),
            kind=words[4].removeprefix("-") if len(words) > 4 else "",
        )
        for words in lines
        if words[1] != "unknown"
    )  # fmt: skip


def call_arguments(report: GuestReport, path: str) -> tuple[tuple[str, str], ...] | None:
    """(name, sum) of all arguments of calls (guest/arguments.h); None if nothing was recorded."""
    text = _text_of(report, path)
    if text is None:
        return None
    return tuple((name, number) for name, _, number in (line.partition(" ") for line in text.splitlines()))


def calls_found(report: GuestReport, path: str) -> tuple[Found, ...] | None:
    """Sums over calls (guest/found.h): a line for each name with all numbers of Found; None if nothing was recorded."""
    text = _text_of(report, path)
    if text is None:
        return None
    return tuple(_found(*line.split(" ")) for line in text.splitlines())


def _found(name: str, *words: str) -> Found:
    calls, before, looked, size, huge, mappings, tables, faults = map(int, words[:8])
    found = Found(name=name, calls=calls, before=before, looked=looked, bytes=size, huge_bytes=huge, mappings=mappings,
                  table_bytes=tables, faults=faults)  # fmt: skip
    if len(words) == 8:  # of an older guest
        return found
    swapped, files, cached, unread, each = words[8:]
    steps = None if each == "-" else tuple(map(_found_by_call, each.split(",")))
    return structs.replace(found, swapped_bytes=int(swapped), files=int(files), cached_bytes=int(cached),
                           unread=int(unread), each=steps)  # fmt: skip


def _found_by_call(step: str) -> FoundByCall:
    """Reads "TIMES:NUMBERS", without the zeros at its end."""
    times, _, numbers = step.partition(":")
    return FoundByCall(times=int(times), **dict(zip(_NUMBERS_OF_CALL, map(int, numbers.split("/")), strict=False)))


def _text_of(report: GuestReport, path: str) -> str | None:
    return next((file.content for file in report.files if file.path == path), None)


def with_printed_operations(report: GuestReport) -> GuestReport:
    """The report of a program that prints how many operations each execution did (--work): its rounds with them."""
    name = next((file.content for file in report.files if file.path == _WORK), None)
    if not name:
        return report
    numbers = operations_in(executions(report) or (), name.strip())
    phases = tuple(
        structs.replace(phase, printed=numbers) if len(numbers) == len(phase.ticks) else phase
        for phase in report.phases
    )
    return structs.replace(report, phases=phases)


def operations_in(outputs: Sequence[str], name: str) -> tuple[int, ...]:
    """The number that each execution printed under a name; an empty tuple unless all printed a whole one above 0."""
    texts = [values_in(text).get(name, ("", ""))[0] for text in outputs]
    return tuple(map(int, texts)) if all(text.isdecimal() and int(text) > 0 for text in texts) else ()


def several_values(outputs: Sequence[str], name: str) -> dict[str, str]:
    """Different values that one execution printed under a name: NAME, NAME#2 ... -> value; {} if none did."""
    for text in outputs:
        values = {key: value for key, (value, _) in values_in(text).items()
                  if key == name or re.fullmatch(re.escape(name) + r"#\d+", key)}  # fmt: skip
        if len({*values.values()}) > 1:
            return values
    return {}


def printed(report: GuestReport) -> tuple[Printed, ...]:
    """Every name, in the order in which it first appeared."""
    outputs = [values_in(text) for text in executions(report) or ()]
    names = list(dict.fromkeys(name for output in outputs for name in output))[:_MOST]
    rows = []
    for name in names:
        values = tuple(output[name][0] if name in output else None for output in outputs)
        unit = next(output[name][1] for output in outputs if name in output)
        rows.append(Printed(name=name, kind=_kind(name, unit, values), values=values))
    return tuple(rows)


def values_in(text: str) -> dict[str, tuple[str, str]]:
    """name -> (value, unit or "") of one execution's output, without surrogates, which no journal can hold. A name that
    comes again is NAME#2, NAME#3 ..."""
    values: dict[str, tuple[str, str]] = {}
    times: Counter[str] = Counter()
    found = _json(text) or (item for line in text.splitlines() for item in _line(line))
    for name, value, unit in ((_SURROGATE.sub("\ufffd", word) for word in item) for item in found):
        key = name
        while key in values:
            times[name] += 1
            key = f"{name}#{times[name] + 1}"
        values[key] = (value, unit)
    return values


def unmet(checks: Iterable[Check], outputs: Sequence[str]) -> str:
    """The first requirement that does not hold in an execution, in words; "" when all hold."""
    for number, text in enumerate(outputs, 1):
        values = values_in(text)
        for check in checks:
            if check.name == "status":
                continue  # the runner has checked it
            digest = sha256_bytes(text.encode("utf-8", "surrogateescape")) if check.name == "sha256" else None
            value = digest or values.get(check.name, (None, ""))[0]
            if value is None:
                return f"{check.name} was required, and execution {number} printed no such name{_names(values)}"
            if not _holds(value, check):
                asked = f"{check.name}{check.operator}{check.value}"
                return f"execution {number} printed {check.name}={value}, and {asked} is required"
    return ""


def _names(values: Mapping[str, object]) -> str:
    return f"; it printed {', '.join(list(values)[:8])}" if values else ""


def _holds(value: str, check: Check) -> bool:
    """Compares numbers exactly: a sum of 64 bits has more digits than a float."""
    is_same, asks_same = value == check.value, check.operator == "=="
    if is_same and check.operator in ("==", "!="):
        return asks_same
    try:
        a, b = Decimal(value), Decimal(check.value)
        return {"==": a == b, "!=": a != b, "<=": a <= b, ">=": a >= b}[check.operator]
    except ArithmeticError:  # a word, or a number without an order, such as nan
        return is_same == asks_same and check.operator in ("==", "!=")


def _line(line: str) -> Iterator[tuple[str, str, str]]:
    stripped = line.strip()
    if stripped.startswith("{") and (items := _json(stripped)):
        yield from items
        return
    pairs: list[tuple[int, str, str, str]] = []
    for match in _PAIR.finditer(stripped):
        pairs.append((match.start(), match[1] or match[3], (match[2] or match[4]).rstrip(",;"), ""))
    rest = _PAIR.sub(lambda pair: " " * len(pair[0]), stripped)
    plain = [(match.start(), match[1], match[2], match[3] or "") for match in _PLAIN.finditer(rest)]
    if not _PLAIN.sub(" ", rest).strip():
        pairs += plain
    for _, name, value, unit in sorted(pairs):
        number = _NUMBER.match(value)
        joined = value[number.end() :] if number else ""  # "25ns"
        yield (name, value.removesuffix(joined), joined) if joined in _UNITS else (name, value, unit)


def _json(text: str) -> list[tuple[str, str, str]]:
    """Numbers and words of a JSON object by their dotted path; nothing when the text is no JSON object."""
    try:
        parsed = json.loads(text, parse_float=str)  # as printed: a float has fewer digits
        if isinstance(parsed, dict) and "context" in parsed and isinstance(parsed.get("benchmarks"), list):
            return list(_benchmarks(json.loads(text)["benchmarks"]))
        return list(_flat(parsed, "")) if isinstance(parsed, dict) else []
    except (ValueError, RecursionError):  # no JSON, or nested too deeply
        return []


def _benchmarks(results: list[Any]) -> Iterator[tuple[str, str, str]]:
    """Figures of google-benchmark's results; what it knows of the machine and of its own order is left out."""
    for result in results:
        if isinstance(result, dict) and isinstance(result.get("name"), str):
            for key, value in result.items():
                if isinstance(value, int | float) and not isinstance(value, bool) and key not in _ORDER_OF_RESULTS:
                    unit = str(result.get("time_unit", "")) if key.endswith("_time") else ""
                    yield f"{result['name']}.{key}", str(value), unit


def _flat(node: Any, path: str) -> Iterator[tuple[str, str, str]]:
    if isinstance(node, dict):
        for key, value in node.items():
            yield from _flat(value, f"{path}.{key}" if path else str(key))
    elif isinstance(node, list):
        for index, value in enumerate(node):
            named = value.get("name") if isinstance(value, dict) else None
            yield from _flat(value, f"{path}.{named if isinstance(named, str) else index}")
    elif isinstance(node, bool):
        yield path, str(node).lower(), ""
    elif node is not None:
        yield path, str(node), ""


def _kind(name: str, unit: str, values: Sequence[str | None]) -> str:
    if any(value is not None and _NUMBER.fullmatch(value) is None for value in values):
        return "word"
    timed = (
        unit.lower() in _UNITS or unit.lower().endswith(("/s", "ps")) or _TIME.search(name) or _TIMED_END.search(name)
    )
    return "time" if timed else "number"
