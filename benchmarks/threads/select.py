# SPDX-License-Identifier: GPL-2.0-only
"""Figures: paths into JSON, and arithmetic with names."""

import ast
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.threads.loops import loop

Figure = float | str | None

_PART = re.compile(r"([\w /-]+)|\[([^\]]*)\]|\.")
_NTH = re.compile(r"(.*)#(\d+)")
_ARITHMETIC: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


def select(answer: Any, path: str) -> Figure:
    """The figure at a path such as `ladders[metric=scan].points[kernel=debian:6.12].value`.

    [NAME=VALUE,...] chooses the first entry of a list with these values, and [NAME=VALUE#N] the Nth of them, from 0;
    NAME may be a.b; [N] the Nth of all; ["KEY"] a field whose name has dots. At the end # is the length, and ~ the
    instructions of the shortest way round the loop that stores a one. What is not there is an error that has the path.
    """
    at, value, end = 0, answer, len(path.removesuffix("#").removesuffix("~"))
    while at < end:
        part = _PART.match(path, at)
        if part is None:
            raise ValueError(f"{path}: not a path from {path[at:]}")
        at = part.end()
        try:
            if part[2] is not None:
                value = _entry(value, part[2])
            elif part[1] is not None:
                value = value[part[1]]
        except (KeyError, IndexError, TypeError, StopIteration) as error:
            raise ValueError(f"{path}: nothing at {part[0]}") from error
    if end < len(path):
        value = float(len(value)) if path.endswith("#") else loop(value)
    if not isinstance(value, float | int | str | None):
        raise ValueError(f"{path}: is no figure")
    return value


def _entry(entries: Any, asked: str) -> Any:
    if asked.startswith('"'):
        return entries[asked.strip('"')]
    if asked.lstrip("-").isdigit():
        return entries[int(asked)]
    wanted, number = nth.groups() if (nth := _NTH.fullmatch(asked)) else (asked, "0")
    pairs = [pair.partition("=")[::2] for pair in wanted.split(",")]
    found = [entry for entry in entries if all(str(_inner(entry, name)) == value for name, value in pairs)]
    return found[int(number)]


def _inner(entry: Any, name: str) -> Any:
    for key in name.split("."):
        if isinstance(entry, list):  # settings as a list of names and values
            entry = {each["name"]: each["value"] for each in entry}
        entry = entry.get(key) if isinstance(entry, Mapping) else None
    return entry


def compute(text: str, figures: Mapping[str, Figure]) -> float:
    """The value of + - * / and comparisons over figures, `and` included. True is 1."""
    return float(_value(ast.parse(text.strip(), mode="eval").body, figures))


def _value(node: ast.expr, figures: Mapping[str, Figure]) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return figures[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, figures)
        case ast.BinOp(left=left, op=op, right=right):
            return _ARITHMETIC[type(op)](_value(left, figures), _value(right, figures))
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            sides = [_value(side, figures) for side in (left, *comparators)]
            pairs = zip(ops, sides, sides[1:], strict=False)
            return all(_ARITHMETIC[type(op)](one, other) for op, one, other in pairs)
        case ast.BoolOp(op=ast.And(), values=values):
            return all(_value(value, figures) for value in values)
    raise ValueError(f"not arithmetic: {ast.unparse(node)}")
