# SPDX-License-Identifier: GPL-2.0-only
"""Figures of a changelog or mail that claim a performance change, and what a reader would have to ask for.

Every number with a unit is listed. One without a direction, a sign or a second value is not understood. Nor is one that
is denied, a bound, a range, or part of a loss that is undone. Sizes name conditions, unless a word says that they
change.
"""

import re
from collections.abc import Iterator

from msgspec import structs

from kassay.labs.review.named import workloads_in
from kassay.model.records import Record

_LESS = (
    r"faster|speed-?ups?|reduc\w+|decreas\w+|lower|less|fewer|drop\w*|improve\w*|sav(?:es?|ed|ings?)|cheaper|shorter"
)
_MORE = r"slower|regress\w*|increas\w+|higher|(?<!no )longer|more|slow-?downs?|worse|adds?|added"
_WORD = re.compile(rf"\b(?:(?P<less>{_LESS})|(?P<more>{_MORE}))\b", re.IGNORECASE)
_RATE_WORD = re.compile(
    r"throughput|bandwidth|ops/s|per second|score|performance|\bspeed\b|will-it-scale", re.IGNORECASE
)
_COUNT_BEHIND = re.compile(
    rf" ?(?:(?:in|of) )?(?:the )?(?:(?:{_LESS}|{_MORE}) (?:\w+ )?)?"
    r"(?:instructions?|cycles?)\b(?! ?/s| per (?:s|cycle))",
    re.IGNORECASE,
)
_COUNT_WORD = re.compile(r"\b(?:instructions|cycles)\b", re.IGNORECASE)
_INSTRUCTIONS = re.compile(r"\binstructions?\b", re.IGNORECASE)
_TIME_WORD = re.compile(r"\b(?:times?|[num]s|µs|seconds|latency|cycles)\b", re.IGNORECASE)
_N = r"\d+(?:,\d{3})*(?:\.\d+)?"
_SPACED = rf"(?:\d{{1,3}}(?:(?:[\u00a0\u202f]\d{{3}})+|(?: \d{{3}}){{2,}}|(?: 0\d{{2}}))(?:\.\d+)?|{_N})"
"""A number that may have blanks between its thousands. "9 128" with a plain blank may be two numbers."""
_SPLIT = re.compile(r"(?<![\d.,])\d{1,3} $")
"""Before three digits: a number of its own, or their thousands."""
_UNIT = r"%|(?:ns|us|µs|ms|s|seconds|instructions|cycles)(?:/\w+)?|[KMG]?(?:ops|pages|faults|B|iB)/s(?:ec)?"
_SIZE = r"[KMGT]i?B|bytes"
_PAIR = re.compile(
    rf"(?:\bfrom |(?<![\w.,-]))({_SPACED}) ?({_UNIT})? ?(?:(?<=\s)to|->|=>|→) ?({_SPACED}) ?({_UNIT})(?!\w)"
)
_RANGE = re.compile(
    rf"(?<![\w.,–-])(?:[Bb]etween {_N}(?: ?(?:{_UNIT}|[x×]))? and |{_N}(?: ?(?:{_UNIT}|[x×]))? or (?:even )?"
    rf"|{_N} ?(?:{_UNIT}|[x×])(?:[–-]| [–-] )|{_N}(?: ?[x×])?(?:[–-]| to )(?={_N} ?[x×])){_N} ?({_UNIT}|[x×])(?![\w/])"
)
_PERCENT = re.compile(rf"(?<![\w.,%–-])([-+]?{_N}) ?%(?![\w–-])")
_FACTOR = re.compile(rf"(?<![\w.,–-])({_N}) ?[x×](?![\w/])")
_ONE = re.compile(rf"(?<![\w.,/-])([-+]?{_SPACED}(?:%?[–-]{_N})?)(?: ?({_UNIT}|{_SIZE})|-?[x×])(?![\w/])")
"""A number, or a range of two, with a unit."""
_NEAR, _BEFORE, _CLOSE = 15, 70, 25
"""Characters behind a figure, before it, and before a difference, in which a word gives it a direction."""
_SPREAD = re.compile(r"(?:±|\+/?-)\s*$|\+/?$")
"""Before a figure that is a spread."""
_LIMIT = re.compile(
    r"\b(?:(?:less|more|fewer|lower|higher|greater|better|worse) than|at (?:most|least)|up to|below|under|above|over"
    r"|within|beyond|between|as much as|exceed\w*) (?:an? |the |about )?$",
    re.IGNORECASE,
)
"""Before a figure that is a bound."""
_LIMIT_BEHIND = re.compile(r"(?: \w+)? ?\b(?:or|at) (?:more|less|fewer|most|least|best|worst)\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[,;:](?=\s)|\bbut\b|\bwhile\b|\bwhereas\b")
_DENIED = re.compile(
    r"\b(?:no(?! longer)|not|never|neither|nor|cannot|hardly|none)\b(?![-_])|n['’]t\b"
    r"|\bwithout (?:(?:the|this|these) (?:\w+ )?(?:patch\w*|series|changes?|commits?)|it)\b"
    rf"|\b(?:without(?: (?:an?|any|the))?|no longer(?: \w+)?)\s+(?:{_LESS}|{_MORE})\b",
    re.IGNORECASE,
)
_WITHOUT = re.compile(r"\bwithout\b", re.IGNORECASE)
_LOSS = re.compile(r"\b(?:regress\w*|slow-?downs?)\b", re.IGNORECASE)
_UNDONE = re.compile(
    r"\b(?:fix\w*|report(?:s|ed|ing)?|recover\w*|restor\w*|revert\w*|resolv\w*|gone|avoid\w*|eliminat\w*|undo\w*"
    r"|prevent\w*|remov\w*|mitigat\w*|compensat\w*|address(?:es|ed|ing)|any ?more|no longer|disappear\w*|vanish\w*)\b",
    re.IGNORECASE,
)
"""A loss that is named beside one of these is not what the patch costs."""
_ROW = re.compile(r"\n(?=[^\n]*[ \t|][-+]?[\d.,]+[%x]?(?:[ \t|]+[-+]?[\d.,]+[%x]?){2})")
"""The end of the line before a row of a table."""
_BOUNDARY = re.compile(rf"[.!?]\s+(?=[A-Z])|{_ROW.pattern}")
"""The end of a sentence, or of the line before a row of a table."""
_HEADER = re.compile(
    r"(?:From|Sender|To|Cc|Reply-To|Subject|Date|Message-ID|In-Reply-To|References|MIME-Version|Received|Return-Path|"
    r"Delivered-To|User-Agent|Organization|DKIM-Signature|Authentication-Results|(?:Content|List|ARC|X)-[\w-]+|"
    r"Fixes|Link|Closes|Change-Id|base-commit|[\w-]+-by): |On .* wrote:$",
    re.IGNORECASE,
)
"""A header of a mail or a tag."""
_WORDED = re.compile(
    rf"(?<=\d)(?: |(\n))(?:per ?cent\b|(times)(?=(?:\s(?:to|or|and)\s[\d.]+\stimes)?\s(?:{_LESS}|{_MORE})\b))",
    re.IGNORECASE,
)
"""A unit in words: "10 percent", "2 times faster"."""
_NS = {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9, "seconds": 1e9}
_KINDS = {"%": "percent", **dict.fromkeys(_NS, "time"), "instructions": "count", "cycles": "count"}
_SIZES = re.compile(_SIZE)
UNKNOWN = "unknown"
"""Kind of a number that is not understood."""
_ASKED = {
    "architecture": r"\b(x86(_64)?|x86-64|amd64|arm64|aarch64|riscv\w*|ppc64\w*|s390x?|loongarch\w*)\b",
    "CPU": r"\b(Xeon|EPYC|Ryzen|Core i\d|Altra|Neoverse|Cortex|Graviton|Power ?\d+|Icelake|Skylake|Sapphire Rapids)\b",
    "compiler": r"\b(gcc|clang|llvm)\b",
    "configuration": r"\bCONFIG_\w+|\bdefconfig\b|\bkernel config|\b(Debian|Fedora|Ubuntu|RHEL|SUSE)\b",
    "number of runs or spread": r"\bn ?= ?\d+|\b\d+ (runs|times|repetitions|iterations)\b"
    r"|\brepetitions: ?\d+|±|stddev|\bvariance\b",
    "state of the memory": r"\border-\d|\bm?THP\b|\blarge folios?\b|\bhuge ?pages?\b"
    r"|\bnohugepage\b|\banonymous\b|\bshared\b|\bprivate\b",
    "unit": rf"\d ?(?:{_UNIT.removeprefix('%|')})\b|\b(?:instructions|cycles|nano-?seconds|milli-?seconds)\b",
    "workload": r"\b\w*bench\w*\b|\bkbuild\b|will-it-scale|libmicro|stress-ng|\$ |^\./|\bworkload\b",
}


class Claim(Record, frozen=True, kw_only=True):
    """One figure that claims a change."""

    sentence: str
    """Its sentence in one line."""
    figure: str
    """The figure as it is written, with "%" for "percent" and "x" for "times"."""
    kind: str
    """Kind of the figure: "percent", "factor", "time", "throughput", "count", "size" or UNKNOWN."""
    value: float | None
    """Change as a fraction, negative for less; None for a rate, a difference and UNKNOWN."""
    unit: str
    """Unit of a pair of values or of a difference, else ""."""
    line: int
    """Line of the text, counted from 1."""
    amount: float | None = None
    """Difference in `unit`, negative for less: -40 of "saves 40 ns"; None for other claims."""


def claims_in(text: str) -> tuple[Claim, ...]:
    """The claims of a text in its order. Headers, quotes, diffs, tags and signatures are left out."""
    found: list[Claim] = []
    before = ""
    for first, paragraph in _paragraphs(text):
        found += _claims(first, paragraph, before if before.endswith(":") else "")
        before = paragraph.rstrip()
    return tuple(found)


def missing_in(text: str) -> tuple[str, ...]:
    """Facts that the text does not name, and without which a figure cannot be judged."""
    own = "\n".join(line for _, paragraph in _paragraphs(text) for line in paragraph.splitlines())
    missing = [name for name, words in _ASKED.items() if not re.search(words, own, re.IGNORECASE | re.MULTILINE)]
    return tuple(name for name in missing if name != "workload" or not workloads_in(own))


def _claims(first: int, paragraph: str, before: str) -> Iterator[Claim]:
    """before: a paragraph that introduces this one, as of a table."""
    start = 0
    rows = {row.start() for row in _ROW.finditer(f"\n{paragraph}")}
    heading = f"{before}\n{paragraph[: min(rows, default=len(paragraph))]}"
    counts = _INSTRUCTIONS.search(heading) is not None and not _TIME_WORD.search(heading)
    for end in (*(found.end() for found in _BOUNDARY.finditer(paragraph)), len(paragraph)):
        sentence = paragraph[start:end]
        words = _WORDED.sub(lambda unit: ("x" if unit[2] else "%") + (unit[1] or ""), sentence)
        for at, found in sorted(_figures(words), key=lambda pair: pair[0]):
            line = first + paragraph.count("\n", 0, start) + words.count("\n", 0, at)
            in_row = start in rows and "\n" not in words[:at]
            kind = "count" if counts and in_row and found.kind == "percent" else found.kind
            yield structs.replace(found, sentence=" ".join(sentence.split()), line=line, kind=kind)
        start = end


def _figures(sentence: str) -> Iterator[tuple[int, Claim]]:
    """(position, claim) of each number with a unit of one sentence, without sentence and line."""
    words = sentence.replace("\n", " ").replace("\N{MINUS SIGN}", "-")
    spans: list[tuple[int, int]] = []
    for reader in (_ranges, _pairs, _changes, _others):
        found = [pair for pair in reader(words) if not any(pair[0].start() < end and start < pair[0].end()
                                                           for start, end in spans)]  # fmt: skip
        spans += [match.span() for match, _ in found]
        for match, claim in found:
            if not _SPREAD.search(words, 0, match.start()):
                yield match.start(), _not_understood(match, claim.unit) if _in_doubt(words, match, claim) else claim


_Found = Iterator[tuple[re.Match[str], Claim]]


def _claim(match: re.Match[str], kind: str, value: float | None, unit: str = "", amount: float | None = None) -> Claim:
    figure = " ".join(match[0].split())
    return Claim(sentence="", figure=figure, kind=kind, value=value, unit=unit, line=0, amount=amount)


def _not_understood(match: re.Match[str], unit: str) -> Claim:
    return _claim(match, UNKNOWN, None, unit)


def _in_doubt(words: str, figure: re.Match[str], claim: Claim) -> bool:
    """True if the words around a figure deny or bound it, or tell of a loss that is undone."""
    start, end = figure.span()
    before, behind = words[max(start - _BEFORE, 0) : start], words[end : end + _BEFORE]
    if _LIMIT.search(before) or _LIMIT_BEHIND.match(behind) or (claim.value is not None and claim.value <= -1):
        return True
    if claim.kind == "factor" and _number(figure[1]) < 1:
        return True
    if _SPLIT.search(before) and re.match(r"\d{3}(?!\d)", figure[0]):
        return True
    clause = _CLAUSE.split(before)[-1] + " " + _CLAUSE.split(behind)[0]
    loss = _LOSS.search(clause) is not None
    lessens = any(word["less"] for word in _WORD.finditer(clause))
    is_gain = not loss and (claim.value or claim.amount or 0) < 0 and figure[0][0] != "-"
    if not is_gain and (_WITHOUT.search(clause) or _UNDONE.search(f"{before} {behind}")):
        return True
    return bool(_DENIED.search(clause) or (loss and (lessens or figure[0][0] == "-")))


def _ranges(words: str) -> _Found:
    """Two values of which either may hold."""
    for found in _RANGE.finditer(words):
        yield found, _not_understood(found, found[1] if found[1] not in "x×" else "")


def _pairs(words: str) -> _Found:
    """Values before and after."""
    for pair in _PAIR.finditer(words):
        scale = _scale(pair[2] or pair[4], pair[4])
        kind = _KINDS.get(pair[4].partition("/")[0], "throughput")
        if scale is None or (" to " in pair[0] and not pair[0].startswith("from ")):
            yield pair, _not_understood(pair, pair[4])
        elif before := _number(pair[1]) * scale:
            after = _number(pair[3])
            change = after / before - 1
            value = _rounded(words, pair, change) if kind == "percent" else round(change, 6)
            yield pair, _claim(pair, kind, value, pair[4])


def _scale(unit: str, other: str) -> float | None:
    """Size of a unit in another one; None for units that are not of one kind."""
    (own, _, per), (theirs, _, per_too) = unit.partition("/"), other.partition("/")
    if unit == other:
        return 1.0
    return _NS[own] / _NS[theirs] if {own, theirs} <= _NS.keys() and per == per_too else None


def _changes(words: str) -> _Found:
    """Percentages and factors with a sign or a direction."""
    for pattern, kind in ((_PERCENT, "percent"), (_FACTOR, "factor")):
        for found in pattern.finditer(words):
            signed, direction = found[1][0] in "-+", _direction(words, found.start(), found.end())
            if not signed and not direction:
                continue
            size = abs(_number(found[1]))
            if kind == "factor":
                value = size - 1 if direction > 0 else 1 / size - 1 if size else None
            else:
                value = (-size if found[1][0] == "-" else size) / 100 if signed else direction * size / 100
            yield found, _claim(found, kind, _rounded(words, found, value))


def _others(words: str) -> _Found:
    """Differences, and every other number with a unit: what it says is unknown."""
    for found in _ONE.finditer(words):
        unit = found[2] or ""
        direction = -1 if found[1][0] == "-" else 1 if found[1][0] == "+" else 0
        direction = direction or _direction(words, found.start(), found.end(), _CLOSE)
        kind = "size" if _SIZES.fullmatch(unit) else _KINDS.get(unit.partition("/")[0], "throughput")
        if kind == "size" and not direction:
            continue
        is_one = direction and unit not in ("", "%") and not re.search("[–-]", found[1][1:])
        if is_one:
            yield found, _claim(found, kind, None, unit, direction * abs(_number(found[1])))
        else:
            yield found, _not_understood(found, unit)


def _direction(words: str, start: int, end: int, before_at_most: int = _BEFORE) -> int:
    """-1 for less, 1 for more, as the nearest word says: right behind the figure, else before it; 0 if none does.
    Behind "by" a figure belongs to what stands before it."""
    behind = _WORD.search(words, end, end + _NEAR)
    if behind is not None and re.search(r"\d", words[end : behind.start()]):  # it is of the next figure
        behind = None
    # "6.6% faster 17.9%": the word belongs to the figure in front of it.
    before = [word for word in _WORD.finditer(words, max(start - before_at_most, 0), start)
              if not words[: word.start()].rstrip().endswith(("%", "x", "×"))]  # fmt: skip
    words_found = [behind, *before[-1:]] if not words[:start].endswith(" by ") else [*before[-1:], behind]
    nearest = next(filter(None, words_found), None)
    return 0 if nearest is None else -1 if nearest["less"] else 1


def _rounded(words: str, figure: re.Match[str], value: float | None) -> float | None:
    """The value; None for a rate, which rises where time falls, and by another fraction."""
    is_rate = _RATE_WORD.search(words) and not _is_of_counts(words, *figure.span())
    return None if value is None or is_rate else round(value, 6)


def _is_of_counts(words: str, start: int, end: int) -> bool:
    """True if a figure counts instructions or cycles: they are right behind it, or before it in a clause without a
    rate."""
    before = _CLAUSE.split(words[:start])[-1]
    clause = before + _CLAUSE.split(words[end:])[0]
    is_before = _COUNT_WORD.search(re.split(r"\d", before)[-1]) is not None
    return _COUNT_BEHIND.match(words, end) is not None or (is_before and not _RATE_WORD.search(clause))


def _number(text: str) -> float:
    return float(re.sub(r"[,\s]", "", text))


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
