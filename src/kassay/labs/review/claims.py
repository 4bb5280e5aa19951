# SPDX-License-Identifier: GPL-2.0-only
"""Figures that a changelog or a mail claims, and what a reader would have to ask for."""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from kassay.model.records import Record

_NUMBER = r"(?<![\w.])([+-]?\d[\d,]*(?:\.\d+)?)"
_PERCENT = re.compile(_NUMBER + r"\s?%")
_FACTOR = re.compile(_NUMBER + r"\s?(?:x|×)(?!\w)")
_TIME = re.compile(_NUMBER + r"\s?(ns|us|µs|ms|seconds|secs|cycles)(?:/\w+)?(?!\w)")
_RATE = re.compile(_NUMBER + r"\s?((?:ops|[KMG]i?B|requests|req|faults|transactions)/s(?:ec)?)(?!\w)")
_COUNT = re.compile(_NUMBER + r"\s?(instructions|insns)(?:/\w+)?(?!\w)")
_LESS = re.compile(
    r"\b(faster|improve\w*|speed-?ups?|reduc\w+|less|fewer|drop\w*|decreas\w+|gain\w*|better|cheaper|saves?)\b", re.I
)
_MORE = re.compile(r"\b(slower|regress\w*|more|increas\w+|worse|overhead|degrad\w+|slow-?downs?|costs?)\b", re.I)
_HEADER = re.compile(r"^[A-Za-z][A-Za-z0-9-]*:\s")
_DIFF = re.compile(r"^(diff --git |--- a/|\+\+\+ b/|@@ |index [0-9a-f]{7})")
_CODE = re.compile(r"^[+\-](?![\d\s.])|^[+\-]\t|^@@ ")
_ADDRESSES = re.compile(r"^(?:To|Cc|From|Date|Subject|[A-Z][a-z-]+-by|Link|Closes|Fixes): ")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(])")
_LONGEST = 200
_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "architecture": r"x86|amd64|arm64|aarch64|riscv|s390|powerpc|ppc64|loongarch",
        "CPU": r"xeon|epyc|ryzen|zen ?\d|skylake|cascade ?lake|ice ?lake|sapphire|emerald|granite|neoverse|graviton|"
        r"ampere|altra|kunpeng|cortex|core i\d|apple m\d|power\d|raptor|alder",
        "compiler": r"gcc|clang|llvm",
        "configuration": r"\bconfig|defconfig|debian|fedora|ubuntu|suse|rhel|android",
        "unit": r"\bns\b|\bus\b|\bms\b|cycles|instructions|/s\b|/sec|seconds|latency",
        "number of runs": r"\bn ?= ?\d|\bruns?\b|iterations|repeat|std ?dev|±|\+/-|varianc|median|average of|trials",
        "state of the memory": r"order|thp|huge|folio|anonymous|\banon\b|shared|private|file-backed|shmem|tmpfs|4 ?k|"
        r"64 ?k|page cache",
        "workload or command": r"benchmark|micro-?bench|will-it-scale|lmbench|libmicro|sysbench|kernel build|\./|"
        r"reproducer|workload|fio\b|redis|mysql|postgres|stress-ng|vm-scalability|unixbench|program|script",
    }
)
"""Conditions that figures of a performance need, each with words that name it."""


class Claim(Record, frozen=True, kw_only=True):
    """One figure."""

    sentence: str
    """The sentence that it stands in, in one line, at most 200 characters."""
    figure: str
    """As it is written."""
    kind: str
    """percent, factor, time, throughput or count."""
    value: float | None
    """percent and factor: the change as a share, less than zero for less; None if the sentence does not say whether it
    is more or less. Otherwise the number."""
    unit: str
    line: int
    """From 1."""


def claims_in(text: str) -> tuple[Claim, ...]:
    """The figures of a performance that a text claims, in its order. Mail headers, diffs and signatures have none."""
    found: dict[tuple[int, str], Claim] = {}
    for start, paragraph in _paragraphs(text):
        for sentence, at in _sentences(paragraph):
            for claim in _of_sentence(sentence, start + paragraph.count("\n", 0, at)):
                found.setdefault((claim.line, claim.figure), claim)
    return tuple(found.values())


def missing_in(text: str) -> tuple[str, ...]:
    """Conditions of its figures that the text does not name; none for a text without figures."""
    if not claims_in(text):
        return ()
    prose = "\n".join(paragraph for _, paragraph in _paragraphs(text))
    return tuple(name for name, words in _NAMES.items() if not re.search(words, prose, re.IGNORECASE))


def _paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Paragraphs of prose with the number of their first line."""
    lines = text.splitlines()
    begin = _body(lines)
    own: list[str] = []
    is_diff = False
    for number, line in enumerate([*lines[begin:], ""], begin + 1):
        if line.rstrip() == "--":  # a signature; "-- " loses its blank in many archives
            break
        plain = re.sub(r"^[>|\s]*>\s?", "", line)
        if _DIFF.match(plain):
            is_diff = True
        elif is_diff and not line.startswith(("+", "-", " ", "@", ">", "\\")) and plain.strip():
            is_diff = False
        if is_diff or not plain.strip() or _CODE.match(plain) or _ADDRESSES.match(plain):
            if own:
                yield number - len(own), "\n".join(own)
            own = []
        else:
            own.append(plain)
    if own:
        yield number - len(own), "\n".join(own)


def _body(lines: Sequence[str]) -> int:
    """Index of the first line after the headers of a mail; 0 without headers."""
    end = next((number for number, line in enumerate(lines) if not line.strip()), 0)
    head = [line for line in lines[:end] if not line.startswith(("From ", " ", "\t"))]
    return end if head and all(map(_HEADER.match, head)) else 0


def _sentences(paragraph: str) -> Iterator[tuple[str, int]]:
    """Sentences with their place in the paragraph."""
    at = 0
    for match in [*_SENTENCE.finditer(paragraph), None]:
        end = match.start() if match else len(paragraph)
        yield paragraph[at:end], at
        at = match.end() if match else end


def _of_sentence(sentence: str, line: int) -> Iterator[Claim]:
    shown = " ".join(sentence.split())[:_LONGEST]

    def claim(match: re.Match[str], kind: str, value: float | None, unit: str) -> Claim:
        return Claim(sentence=shown, figure=" ".join(match[0].split()), kind=kind, value=value, unit=unit,
                     line=line + sentence.count("\n", 0, match.start()))  # fmt: skip

    direction = _direction(sentence)
    for match in _PERCENT.finditer(sentence):
        number, signed = _number(match[1]), match[1][0] in "+-"
        level = sentence[: match.start()].rstrip().endswith((" from", " to", " of"))  # "from 11 % to 5 %"
        if signed or (direction is not None and not level):
            share = number / 100 if signed else None if not direction else direction * number / 100
            yield claim(match, "percent", share, "%")
    for match in _FACTOR.finditer(sentence):
        if direction is not None:
            number = _number(match[1])
            value = None if not direction or number <= 0 else number - 1 if direction > 0 else 1 / number - 1
            yield claim(match, "factor", value, "x")
    for pattern, kind in ((_TIME, "time"), (_RATE, "throughput"), (_COUNT, "count")):
        for match in pattern.finditer(sentence):
            yield claim(match, kind, _number(match[1]), match[2])


def _direction(sentence: str) -> int | None:
    """-1 for less, 1 for more, 0 for words of both kinds, None for a sentence that compares nothing."""
    less, more = bool(_LESS.search(sentence)), bool(_MORE.search(sentence))
    return None if not less and not more else more - less


def _number(text: str) -> float:
    return float(text.replace(",", ""))
