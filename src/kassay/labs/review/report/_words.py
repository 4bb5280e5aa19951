# SPDX-License-Identifier: GPL-2.0-only
"""Sentences of a review, and its paragraph for a changelog."""

import re
import textwrap
from collections.abc import Sequence

from kassay.labs.review.changed_code import ChangedFunction
from kassay.labs.review.decided import is_decided
from kassay.labs.review.model import SCREENED, TEXTS_ONLY, Cell, Previous, Review
from kassay.labs.review.settings import setting_text
from kassay.model.finding import CHANGES, REFUSED
from kassay.model.lines import NO_CODE, NOT_EXECUTED
from kassay.model.texts import counted, listed, one_line, shortened, spans
from kassay.model.units import format_change, format_numbers
from kassay.report.mail.text import ascii_text

_NAMED = 6
_THOUSANDS = re.compile(r"(?<=\d) (?=\d{3}(?:\D|$))")
_DIRECTORIES = re.compile(r"(?<![^:+=,])(?:~|\.\.?)?/(?:[\w.-]+/)*(?=[^/])")
_WIDTH, _LINES = 72, 8
"""Columns and lines of the paragraph for a changelog."""


def cell_text(cell: Cell) -> str:
    """The setting, with its phase unless that is the primary one."""
    text = setting_text(*cell.key)
    return text if cell.primary else f"{text}, {cell.phase}"


def above_floor(cell: Cell) -> bool:
    """True if a cell changes by more than runs of one kernel that should not differ do."""
    return cell.change is not None and abs(cell.change) > (cell.floor or 0.0)


def letter(text: str) -> str:
    """The text for a mail: ASCII, thousands with commas, percent signs without a space."""
    return ascii_text(_THOUSANDS.sub(",", text).replace(" %", "%"))


def portable(command: str) -> str:
    """The command without the directories of this host: each path by its last part."""
    return " ".join(_DIRECTORIES.sub("", word) for word in command.split(" "))


def title(review: Review) -> str:
    """The series by its first patch."""
    first = one_line(review.patches[0].subject)
    others = len(review.patches) - 1
    return f"{first} and {counted(others, 'more patch')}" if others else first


def measured(review: Review) -> list[Cell]:
    """Settings that were measured, by their change, largest loss first; those without a verdict last."""
    cells = [cell for cell in review.cells if cell.verdict != SCREENED]
    return sorted(cells, key=lambda cell: (cell.change is None, -(cell.change or 0.0)))


def screened(review: Review) -> list[Cell]:
    """Settings that were run once on each kernel, in the same order."""
    cells = [cell for cell in review.cells if cell.verdict == SCREENED]
    return sorted(cells, key=lambda cell: -(cell.change or 0.0))


def verdict(review: Review) -> list[str]:
    """The answer: the largest loss and gain, how many settings stand behind it, and what was not compiled."""
    if not (off := review.switched_off):
        return _verdict(review)
    switch = f"--build config={review.head.config}+{'+'.join(f'{symbol}=y' for symbol in off)}"
    hint = f"The series adds {listed(off)}, off in these kernels, so nothing is known of code that needs it: {switch}."
    return [hint, *_verdict(review)] if review.same_image else [*_verdict(review), hint]


def _verdict(review: Review) -> list[str]:
    if review.unbuilt:
        return [f"{TEXTS_ONLY} No kernel was built."]
    if review.same_image:
        of_arch = any(path.startswith("arch/") for patch in review.patches for path in patch.files)
        return [
            f"With {review.base.compiler} and the configuration {review.head.config} the series makes the same kernel "
            "as base, byte for byte, so it changes nothing there. Another configuration may compile its lines: --build "
            f"config=distro.{' Lines of another architecture need --arch.' * of_arch}"
        ]
    cells = measured(review)
    counts = [_counts(cells, review.margin)] if cells else []
    if not any(map(_has_repeats, cells)):
        return ["No setting was measured, so there is no verdict.", *_of_one_run(review), *counts]
    if not any(map(is_decided, cells)):
        return ["No measured setting has a verdict.", *counts]
    losses, gains = _of(cells, "regression"), _of(cells, "improvement")
    none = "No measured setting" if all(map(is_decided, cells)) else "No setting with a verdict"
    sentences = [f"Largest loss: {_size(losses[0])}."] if losses else [f"{none} loses."]
    sentences += [f"Largest gain: {_size(gains[-1])}."] if gains else [f"{none} gains."]
    return [*sentences, *counts]


def _has_repeats(cell: Cell) -> bool:
    """True if a cell was measured: it is not refused and has two plain runs of each kernel. A change that lost one of
    them still counts, because a loss must not be hidden."""
    return cell.verdict not in REFUSED and (min(cell.n_base, cell.n_head) > 1 or cell.verdict in CHANGES)


def _of_one_run(review: Review) -> list[str]:
    """The ends of the settings that ran once: they show where to look, long before a verdict."""
    cells = [cell for cell in screened(review) if cell.primary and cell.change]
    texts = [_size(cell) for cell in dict.fromkeys((*cells[:1], *cells[-1:]))]
    return [f"Run once on each kernel: {'; '.join(texts)}."] if texts else []


def _of(cells: Sequence[Cell], verdict_word: str) -> list[Cell]:
    """Cells with this verdict in their primary phases; if there is none, in any phase."""
    found = [cell for cell in cells if cell.verdict == verdict_word and is_decided(cell)]
    return [cell for cell in found if cell.primary] or found


def _size(cell: Cell) -> str:
    base, head = format_numbers([cell.base, cell.head])
    return f"{cell_text(cell)}, {format_change(cell.change)} ({base} to {head} {cell.unit})"


def _counts(cells: Sequence[Cell], margin: float) -> str:
    decided = [cell for cell in cells if is_decided(cell)]
    small = sum(cell.verdict == "equivalent" and above_floor(cell) and (cell.change or 0.0) > 0 for cell in decided)
    more = f" ({small} of them cost more)" if small else ""
    words = {
        "regression": "{} cost more",
        "improvement": "{} cost less",
        "equivalent": f"{{}} are equal within {margin * 100:g} %{more}",
    }
    parts = [
        text.format(number)
        for word, text in words.items()
        if (number := sum(cell.verdict == word for cell in decided))
    ]  # fmt: skip
    refused = sum(cell.verdict in REFUSED for cell in cells)
    open_ = len(cells) - len(decided) - refused
    parts += [f"{open_} are not decided"] if open_ else []
    parts += [f"{refused} are refused"] if refused else []
    settings = len({cell.key for cell in cells})
    return f"Of {counted(len(cells), 'phase')} in {counted(settings, 'setting')}, {listed(parts)}."


def first_lines(review: Review) -> list[str]:
    """The verdict and the lines that never ran; a loss stands first, else what never ran."""
    idle = [f"Not executed in the measured part of any setting: {text}." for text in unexecuted(review)]
    answer = verdict(review)
    loses = any(cell.verdict == "regression" for cell in review.cells)
    return [*answer, *idle] if loses else [*idle, *answer]


def unexecuted(review: Review) -> list[str]:
    """Changed lines that no setting executed, one text for each function."""
    rows = [function for function in review.functions if function.not_executed and function.state == NOT_EXECUTED]
    some = [function for function in review.functions if function.not_executed and function.state != NOT_EXECUTED]
    return [_place(row) for row in rows] + [f"{_place(row)}; other changed lines of the function ran" for row in some]


def _place(row: ChangedFunction) -> str:
    name = f"{row.function}()" if row.function else "outside of functions"
    of = f", patch {row.patches[0]}" if len(row.patches) == 1 else ""  # of several it is not known which
    return f"{_idle_lines(row)} ({one_line(name)}{of})"


def _idle_lines(row: ChangedFunction) -> str:
    """The changed lines of a function that never ran, behind the path of their file."""
    separator = ":" if row.added_not_executed else ", "
    return f"{one_line(row.path)}{separator}{spans_of(row.added_not_executed, row.removed_not_executed)}"


def spans_of(added: Sequence[int], removed: Sequence[int]) -> str:
    """ "12-14, removed 12,20": lines of the patched sources, and removed lines by their numbers in base."""
    lists = ",".join(spans(added)), ",".join(spans(removed))
    return ", ".join(filter(None, (lists[0], lists[1] and f"removed {lists[1]}")))


def reach(review: Review) -> list[str]:
    """Sentences on which changed code ran."""
    if review.same_image or not review.functions:
        return []
    with_code = [function for function in review.functions if function.state != NO_CODE]
    ran = [function for function in with_code if function.state != NOT_EXECUTED]
    both = {cell.key for cell in review.cells if cell.base is not None and cell.head is not None}
    run = len(both) + len(review.others)
    sentences = [f"{counted(run, 'setting')} ran on both kernels."] if run else []
    sentences += [
        f"Of {counted(len(with_code), 'changed function')} with code, {len(ran) or 'none'} "
        f"{'was' if len(ran) == 1 else 'were'} executed in changed lines."
        if with_code
        else "No changed line has code of its own, so none can be seen to run."
    ]
    total = review.branches_seen + len(review.branches) + review.branches_open
    if total:
        sentences.append(
            f"Of {total} ways out of the conditional branches that ran in them, on both kernels, "
            f"{review.branches_seen} were taken for certain, {len(review.branches)} were not, and of "
            f"{review.branches_open} the counts do not tell."
        )
    return sentences


def since_previous(review: Review, previous: Previous) -> str:
    """Sentences on the patches that are not those of the earlier version; "" if all are."""
    changed = [f"{number} ({one_line(review.patches[number - 1].subject)})" for number in previous.changed]
    word = "patch" if len(changed) == 1 else "patches"
    texts = [f"Not as in the earlier version: {word} {listed(changed)}."] if changed else []
    dropped = listed([one_line(one) for one in previous.dropped])
    return " ".join((*texts, *([f"No longer in the series: {dropped}."] if previous.dropped else [])))


def claim_texts(review: Review) -> list[str]:
    """One sentence for each claim, for a letter."""
    return [
        f"line {claim.line}, {claim.figure}: {claim.outcome.replace('-', ' ')}; {claim.detail}"
        for claim in review.claims or ()
    ]


def changelog(review: Review) -> str:
    """At most eight lines of 72 columns for the changelog of the series."""
    if review.unbuilt:
        return TEXTS_ONLY
    if review.same_image:
        where = f"by {review.base.compiler} in the {review.head.config} configuration"
        text = f"The kernel that is built {where} is the same with and without this series, byte for byte."
        return "\n".join(textwrap.wrap(text, _WIDTH))
    head = textwrap.wrap(
        f"Instructions per operation, exact counts under emulation, not time ({review.base.compiler}, "
        f"{review.head.config} configuration, Linux {review.base.release}, {review.machine}), without and with this "
        "series:",
        _WIDTH,
    )
    idle = [_idle_lines(f) for f in review.functions if f.not_executed]
    text = f"Changed lines that no setting executed: {listed(shortened(idle, 2))}."
    tail = textwrap.wrap(text, _WIDTH)[:3] if idle else []
    whole = [cell for cell in measured(review) if cell.primary]
    cells = [cell for cell in whole if is_decided(cell)]
    if not cells:
        return "\n".join(tail or ["No setting has a verdict." if whole else "Nothing was measured."])
    ends = cells if len(cells) <= 3 else [cells[-1], cells[0], *cells[1:-1][:1]]
    rows = []
    for cell in dict.fromkeys(ends):
        base, after = format_numbers([cell.base, cell.head])
        rows.append(f"  {setting_text(*cell.key)}: {base} -> {after}, {format_change(cell.change)}")
    open_ = len(whole) - len(cells)
    if open_ and len(head) + len(tail) + 2 <= _LINES:
        tail = [f"Not decided: {counted(open_, 'setting')}.", *tail]
    return "\n".join(map(letter, [*head, *rows[: _LINES - len(head) - len(tail)], *tail][:_LINES]))
