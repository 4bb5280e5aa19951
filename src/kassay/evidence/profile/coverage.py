# SPDX-License-Identifier: GPL-2.0-only
"""Functions of a source file that the measured region executed, found without any instrumentation.

Definitions are found by the kernel's coding style: a body begins with a brace in the first column, or behind its
parameter list, and ends with one in the first column. Bodies are never parsed, so preprocessor branches that open a
brace twice do no harm.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from kassay.effects.files import read_errors
from kassay.errors import BadInput
from kassay.model.costs import counted
from kassay.model.profile import FunctionCost, Profile, base_name
from kassay.model.records import Record, grouped
from kassay.supply.arches import arches

EXECUTED, NOT_EXECUTED, NO_SYMBOL = "executed", "not executed", "no symbol"
_OWN = ("user", "kernel", "interrupt")  # what another task executed does not count

# Comments, literals and directives; each alternative ends as early as possible, so the time is linear.
_COMMENT = r"/\*.*?(?:\*/|\Z)"
_NO_CODE = re.compile(
    rf"""{_COMMENT} | //[^\n]* | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' | ^[ \t]*\#(?:\\\n|{_COMMENT}|[^\n])*""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_CALL = re.compile(r"([A-Za-z_]\w*)[ \t\n]*\(")
_SYSCALL = re.compile(r"(COMPAT_)?SYSCALL_DEFINE[0-6]")
_FIRST_WORD = re.compile(r"[ \t\n]*([A-Za-z_]\w*)")
_NOT_A_NAME = frozenset(
    ("__attribute__", "__aligned", "__section", "asm", "__asm__", "typeof", "__typeof__", "int", "void", "char", "long")
)


class CoverageRow(Record, frozen=True, kw_only=True):
    """One function, with one entry per profile."""

    function: str
    states: tuple[str, ...]
    """State in each profile: executed, not executed (the kernel has it), or no symbol (inlined everywhere, or not
    built)."""
    calls: tuple[float | None, ...]
    """Entries per operation; 0 if not executed, None without a symbol."""
    counts: tuple[float | None, ...]
    """Instructions + string iterations per operation; 0 if not executed, None without a symbol."""


def functions_of(source: Path) -> tuple[str, ...]:
    """Names of the functions that a C file in the kernel's style defines, in its order, each once.

    A system call has the names its wrappers may have. Raises BadInput for a file that is missing or defines none.
    """
    with read_errors(source, "name a C file of the kernel tree, such as mm/mprotect.c"):
        text = source.read_text("utf-8", "replace")
    if "\0" in text:
        raise BadInput(f"{source}: not a text file", "name a C file of the kernel tree, such as mm/mprotect.c")
    names = tuple(dict.fromkeys(name for part in _declarators(text) for name in _names(part)))
    if not names:
        raise BadInput(f"{source}: defines no function", "name a C file of the kernel tree, such as mm/mprotect.c")
    return names


def rows(
    names: Sequence[str], profiles: Sequence[Profile], symbol_names: Sequence[frozenset[str]]
) -> tuple[CoverageRow, ...]:
    """One row per name, in order. profiles: folded, so that a compiler's copies (.isra.0, .cold) count as the function.
    symbol_names: per profile the names of its kernel's functions, modules included.

    Of a system call's wrappers, those that no kernel has are left out, as long as one has another.
    """
    has = [frozenset(base_name(name) for name in functions) for functions in symbol_names]
    executed = [_costs(profile) for profile in profiles]
    all_rows = tuple(_row(name, profiles, executed, has) for name in names)
    present = {_syscall(row.function) for row in all_rows if set(row.states) != {NO_SYMBOL}}
    return tuple(
        row
        for row in all_rows
        if set(row.states) != {NO_SYMBOL} or _syscall(row.function) not in present - {row.function}
    )


def _row(name: str, profiles: Sequence[Profile], executed: Sequence[dict[str, list[FunctionCost]]],
         has: Sequence[frozenset[str]]) -> CoverageRow:  # fmt: skip
    states, calls, counts = [], [], []
    for profile, costs, functions in zip(profiles, executed, has, strict=True):
        own_costs = costs.get(name, [])
        absent = not own_costs and name not in functions
        states.append(EXECUTED if own_costs else NO_SYMBOL if absent else NOT_EXECUTED)
        entered = sum(cost.calls for cost in own_costs)
        count = sum(map(counted, own_costs))
        calls.append(None if absent else entered / profile.operations)
        counts.append(None if absent else count / profile.operations)
    return CoverageRow(function=name, states=tuple(states), calls=tuple(calls), counts=tuple(counts))


def _costs(profile: Profile) -> dict[str, list[FunctionCost]]:
    return grouped(
        (cost.function, cost)
        for cost in profile.functions
        if cost.place != "program" and cost.context in _OWN and counted(cost)
    )


def _wrappers(middle: str) -> tuple[str, ...]:
    """Prefixes of the names of a system call's functions, on any architecture."""
    prefixes = [arch.code.syscall_prefix for arch in arches().values()]
    return tuple(f"{prefix}{middle}" for prefix in (*prefixes, "__do_", "__se_"))


def _syscall(name: str) -> str:
    """The system call that a wrapper belongs to; any other name stands for itself."""
    return next((f"SYSCALL {name.removeprefix(w)}" for w in _wrappers("sys_") if name.startswith(w)), name)


def _declarators(text: str) -> Iterator[str]:
    """The text in front of each body, from the end of the definition before."""
    pending: list[str] = []
    inside = False
    for line in _NO_CODE.sub(_blank, text).splitlines():
        if inside:
            inside = not line.startswith("}")
            continue
        before, brace, behind = line.partition("{")
        pending.append(before)
        if not brace:
            pending = ["".join(f"{part}\n" for part in pending).rpartition(";")[2]] if ";" in before else pending
            continue
        yield "\n".join(pending).rpartition(";")[2]
        pending = []
        inside = behind.count("{") + 1 > behind.count("}")


def _blank(match: re.Match[str]) -> str:
    """The replacement of a piece that is no code: a word for a literal, a blank for a comment; lines are kept."""
    text = match.group()
    return "0" if text[0] in "\"'" else " " if "\n" not in text else "\n" * text.count("\n")


def _names(declarator: str) -> tuple[str, ...]:
    """The names that a body behind this text gets; none when it is no function (a struct, an initialiser)."""
    calls = [match for match in _top_level_calls(declarator) if match.group(1) not in _NOT_A_NAME]
    if not calls or "=" in _outside_parentheses(declarator):
        return ()
    name = calls[-1].group(1)
    argument = _FIRST_WORD.match(declarator, calls[-1].end())
    if syscall := _SYSCALL.fullmatch(name):
        middle = "compat_sys_" if syscall.group(1) else "sys_"
        return tuple(f"{wrapper}{argument.group(1)}" for wrapper in _wrappers(middle)) if argument else ()
    if name.isupper():  # DEFINE_IDTENTRY(exc_debug), BPF_CALL_2(bpf_map_lookup_elem, ...)
        return (argument.group(1),) if argument else ()
    return (name,)


def _top_level_calls(text: str) -> Iterator[re.Match[str]]:
    """Each NAME(...) outside of parentheses, but those right behind another: attributes of a function."""
    at = 0
    while match := _CALL.search(text, at):
        if at == 0 or text[at : match.start()].strip():
            yield match
        at = _closing(text, match.end())


def _outside_parentheses(text: str) -> str:
    pieces, at = [], 0
    while (opening := text.find("(", at)) >= 0:
        pieces.append(text[at:opening])
        at = _closing(text, opening + 1)
    return "".join((*pieces, text[at:]))


def _closing(text: str, at: int) -> int:
    """Behind the parenthesis that closes the one before `at`; the end of the text when none does."""
    depth = 1
    while depth and at < len(text):
        depth += (text[at] == "(") - (text[at] == ")")
        at += 1
    return at
