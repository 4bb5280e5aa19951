# SPDX-License-Identifier: GPL-2.0-only
"""Figures of a changelog or mail that claim a performance change, and what a reader would have to ask for.

Precision counts more than completeness: a figure without a direction, a sign or a pair of values is left out.
"""

import re
from collections.abc import Iterator

from kassay.model.records import Record

_WIDEST = 200
_LESS = r"faster|speed-?ups?|reduc\w+|decreas\w+|lower|less|fewer|drop\w*|improve\w*"
_MORE = r"slower|regress\w*|increas\w+|higher|longer|more|slow-?downs?"
_WORD = re.compile(rf"\b(?:(?P<less>{_LESS})|(?P<more>{_MORE}))\b", re.IGNORECASE)
_RATE_WORD = re.compile(r"throughput|bandwidth|ops/s|per second|score", re.IGNORECASE)
_N = r"\d+(?:,\d{3})*(?:\.\d+)?"
_UNIT = r"%|(?:ns|us|µs|ms|s|seconds|instructions|cycles)(?:/\w+)?|[KMG]?(?:ops|pages|faults|B|iB)/s(?:ec)?"
_PAIR = re.compile(rf"\bfrom ({_N}) ?({_UNIT})? to ({_N}) ?({_UNIT})(?!\w)")
_PERCENT = re.compile(rf"(?<![\w.,-])([-+]?{_N}) ?%(?!\w)")
_FACTOR = re.compile(rf"(?<![\w.,-])({_N}) ?[x×](?![\w/])")
_BOUNDARY = re.compile(r"[.!?]\s+(?=[A-Z])|\n(?=[^\n]*(?:\s[\d.,]+[%x]?){3})")
"""The end of a sentence, or of the line before a row of a table."""
_HEADER = re.compile(r"[A-Z][\w-]*: |On .* wrote:$")
_KINDS = {"%": "percent", "ns": "time", "us": "time", "µs": "time", "ms": "time", "s": "time", "seconds": "time",
          "instructions": "count", "cycles": "count"}  # fmt: skip
_ASKED = {
    "architecture": r"\b(x86(_64)?|x86-64|amd64|arm64|aarch64|riscv\w*|ppc64\w*|s390x?|loongarch\w*)\b",
    "CPU": r"\b(Xeon|EPYC|Ryzen|Core i\d|Altra|Neoverse|Cortex|Graviton|Power ?\d+|Icelake|Skylake|Sapphire Rapids)\b",
    "compiler": r"\b(gcc|clang|llvm)\b",
    "configuration": r"\bCONFIG_\w+|\bdefconfig\b|\bkernel config|\b(Debian|Fedora|Ubuntu|RHEL|SUSE)\b",
    "number of runs or spread": r"\bn ?= ?\d+|\b\d+ (runs|times|repetitions|iterations)\b"
    r"|\brepetitions: ?\d+|±|stddev|\bvariance\b",
    "state of the memory": r"\border-\d|\bm?THP\b|\blarge folios?\b|\bhuge ?pages?\b"
    r"|\bnohugepage\b|\banonymous\b|\bshared\b|\bprivate\b",
    "workload": r"\b\w*bench\w*\b|\bkbuild\b|will-it-scale|libmicro|stress-ng|\$ |^\./|\bworkload\b",
}


class Claim(Record, frozen=True, kw_only=True):
    """One figure that claims a change."""

    sentence: str
    """Its sentence in one line, at most 200 characters."""
    figure: str
    """The figure as it is written."""
    kind: str
    """"percent", "factor", "time", "throughput" or "count"."""
    value: float | None
    """Change as a fraction, negative for less; None if the text does not say which."""
    unit: str
    """Unit of a pair of values, else ""."""
    line: int
    """Line of the text, counted from 1."""


def claims_in(text: str) -> tuple[Claim, ...]:
    """The claims of a text in its order. Headers, quotes, diffs, tags and signatures are left out."""
    return tuple(claim for first, paragraph in _paragraphs(text) for claim in _claims(first, paragraph))


def missing_in(text: str) -> tuple[str, ...]:
    """Facts that the text does not name, and without which a figure cannot be judged."""
    own = "\n".join(line for _, paragraph in _paragraphs(text) for line in paragraph.splitlines())
    return tuple(name for name, words in _ASKED.items() if not re.search(words, own, re.IGNORECASE | re.MULTILINE))


def _claims(first: int, paragraph: str) -> Iterator[Claim]:
    start = 0
    for end in (*(found.end() for found in _BOUNDARY.finditer(paragraph)), len(paragraph)):
        sentence = paragraph[start:end]
        for at, figure, kind, value, unit in sorted(_figures(sentence), key=lambda found: found[0]):
            line = first + paragraph[: start + at].count("\n")
            shown = " ".join(sentence.split())[:_WIDEST]
            yield Claim(sentence=shown, figure=" ".join(figure.split()), kind=kind, value=value, unit=unit, line=line)
        start = end


def _figures(sentence: str) -> Iterator[tuple[int, str, str, float | None, str]]:
    """(position, figure, kind, value, unit) of each claim of one sentence."""
    words = sentence.replace("\n", " ")
    pairs = list(_PAIR.finditer(words))
    for pair in pairs:
        before, after = _number(pair[1]), _number(pair[3])
        kind = _KINDS.get(pair[4].partition("/")[0], "throughput")
        if before and pair[2] in (None, pair[4]):
            yield pair.start(), pair[0], kind, round(after / before - 1, 6), pair[4]
    for pattern, kind in ((_PERCENT, "percent"), (_FACTOR, "factor")):
        for found in pattern.finditer(words):
            if any(pair.start() <= found.start() < pair.end() for pair in pairs):
                continue
            signed, direction = found[1][0] in "-+", _direction(words, found.start(), found.end())
            if not signed and not direction:
                continue
            size = abs(_number(found[1]))
            if kind == "factor":
                value = size - 1 if direction > 0 else 1 / size - 1 if size else None
            else:
                value = (-size if found[1][0] == "-" else size) / 100 if signed else direction * size / 100
            yield found.start(), found[0], kind, _rounded(words, value, signed), ""


def _direction(words: str, start: int, end: int) -> int:
    """-1 for less, 1 for more, as the nearest word says: right behind the figure, else before it; 0 if none does."""
    behind = _WORD.search(words, end, end + 15)
    # "6.6% faster 17.9%": the word belongs to the figure in front of it.
    before = [word for word in _WORD.finditer(words, max(start - 70, 0), start)
              if not words[: word.start()].rstrip().endswith(("%", "x", "×"))]  # fmt: skip
    nearest = behind or (before[-1] if before else None)
    return 0 if nearest is None else -1 if nearest["less"] else 1


def _rounded(words: str, value: float | None, signed: bool) -> float | None:
    """The value; None where "faster" and "improves" may mean more, as with throughput."""
    return None if value is None or (_RATE_WORD.search(words) and not signed) else round(value, 6)


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def _paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """(number of the first line, lines) of each paragraph that the author wrote."""
    kept: list[str] = []
    skips = False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if line.startswith("diff --git ") or line.rstrip() == "--":
            skips = True
        if skips or not line.strip() or line.startswith((">", "@@ ", "+", " -")) or _HEADER.match(line):
            if kept:
                yield number - len(kept), "\n".join(kept)
            kept = []
        else:
            kept.append(line)
