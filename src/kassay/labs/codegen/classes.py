# SPDX-License-Identifier: GPL-2.0-only
"""Bodies -> classes of equal code, and a sentence about them."""

import re
from collections.abc import Iterable, Sequence
from string import ascii_uppercase

import msgspec

from kassay.model.codegen import Body
from kassay.model.records import grouped

_PARENTHESES = re.compile(r"\([^()]*\)")
_COMPILER = re.compile(r"(gcc|clang).*?\b(\d+\.\d+(?:\.\d+)?)")
_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def classified(bodies: Iterable[Body]) -> tuple[Body, ...]:
    """The bodies with their class letters, in the order of first appearance, and whether bytes are equal too."""
    first: dict[str, Body] = {}
    rows = []
    for body in bodies:
        if body.sha256 is None:
            rows.append(body)
            continue
        lead = first.setdefault(body.sha256, body)
        letter = _letter(list(first).index(body.sha256))
        same = None if lead is body else body.bytes_sha256 == lead.bytes_sha256
        rows.append(msgspec.structs.replace(body, own_class=letter, same_bytes=same))
    return tuple(rows)


def _letter(number: int) -> str:
    """A to Z, then AA, AB and so on."""
    before, last = divmod(number, len(ascii_uppercase))
    return (_letter(before - 1) if before else "") + ascii_uppercase[last]


def compiler_name(banner: str | None) -> str:
    """ "gcc 12.2.0" of a compiler's first line or an image's banner; "" when it names neither gcc nor clang."""
    match = _COMPILER.search(_PARENTHESES.sub("", (banner or "").partition(", ")[0]))
    return f"{match[1]} {match[2]}" if match else ""


def verdict(function: str, bodies: Sequence[Body]) -> str:
    """The result in one sentence."""
    if any(body.cc for body in bodies):
        text = [_by_compiler(group) for group in _grouped(bodies)]
        return f"{function}: {'; '.join(text)}."
    return f"{function}: {_of_kernels(bodies)}."


def _grouped(bodies: Sequence[Body]) -> list[list[Body]]:
    groups = grouped((body.cc, body) for body in bodies)
    return list(groups.values())


def _by_compiler(group: Sequence[Body]) -> str:
    """Sentence on the number of different functions that one compiler makes of the sources."""
    name = next((compiler_name(body.compiler) for body in group if body.compiler), "") or group[0].cc
    compiled, classes = _compiled(group)
    sources = "the source" if len(group) == 1 else f"the {_number(len(group))} sources"
    if len(compiled) < len(group):  # no claim about what was not compiled
        sources = f"{_number(len(compiled))} of {sources}"
    if not compiled:
        return f"{name}: {_others(group)}"
    functions = "one function" if len(classes) == 1 else f"{_number(len(classes))} different functions"
    text = f"{name} makes {functions} ({', '.join(classes)}) of {sources}"
    others = _others(group)
    return f"{text}, {others}" if others else text


def _of_kernels(bodies: Sequence[Body]) -> str:
    compiled, classes = _compiled(bodies)
    if not compiled:
        return _others(bodies)
    names = list(dict.fromkeys(compiler_name(body.compiler) for body in compiled))
    by = f", built by {', '.join(filter(None, names))}" if any(names) else ""
    if len(compiled) == 1:
        text = f"compiled in {compiled[0].reference}{by}"
    elif len(classes) == 1:
        text = f"the same in {_number(len(compiled))} kernels{by}"
    else:
        text = f"{_number(len(classes))} different functions in {_number(len(compiled))} kernels{by}"
        text += ": " + "; ".join(
            f"{letter} in {', '.join(body.reference for body in compiled if body.own_class == letter)}"
            for letter in classes
        )
    others = _others(bodies)
    return f"{text}; {others}" if others else text


def _compiled(bodies: Sequence[Body]) -> tuple[list[Body], list[str]]:
    compiled = [body for body in bodies if body.own_class]
    return compiled, list(dict.fromkeys(body.own_class for body in compiled))


def _others(bodies: Sequence[Body]) -> str:
    """Reasons why the other rows have no code."""
    texts = {"inlined": "no function of its own in", "absent": "not in the source of", "not-built": "not built:",
             "ambiguous": "several of that name in"}  # fmt: skip
    text = []
    for outcome, word in texts.items():
        names = [body.reference for body in bodies if body.outcome == outcome]
        if names:
            text.append(f"{word} {', '.join(names)}")
    return ", ".join(text)


def _number(count: int) -> str:
    return _WORDS[count] if count < len(_WORDS) else str(count)
