# SPDX-License-Identifier: GPL-2.0-only
"""JSON in which every value knows its location, for errors: "a.json: benchmarks[3].real_time"."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from kassay.errors import BadInput
from kassay.tools.imports.importer import Given
from kassay.tools.imports.text import not_negative

_BYTE = re.compile(r"\(byte (\d+)\)")
_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "a truth value", type(None): "null"}


@dataclass(frozen=True)
class At:
    """A value with its location in a file. Every method raises BadInput when the value is of another kind."""

    value: object
    file: str
    path: str = ""

    @property
    def location(self) -> str:
        return f"{self.file}: {self.path or 'the whole file'}"

    def wrong(self, expected: str) -> BadInput:
        """The error for a value of another kind than expected."""
        actual = _KINDS.get(type(self.value), f"{self.value!r:.40}")
        return BadInput(
            f"{self.location}: {actual} where {expected} should be", "is this the file that the tool wrote?"
        )

    def fields(self) -> dict[str, "At"]:
        """The members of an object."""
        if not isinstance(self.value, dict):
            raise self.wrong("an object")
        prefix = f"{self.path}." if self.path else ""
        return {key: At(value, self.file, f"{prefix}{key}") for key, value in self.value.items()}

    def field(self, name: str) -> "At":
        """A member that must be there."""
        member = self.fields().get(name)
        if member is None:
            raise BadInput(f"{self.location}: no {name!r}", "it is damaged, or of another version of the tool")
        return member

    def items(self) -> Iterator["At"]:
        """The elements of a list."""
        if not isinstance(self.value, list):
            raise self.wrong("a list")
        return (At(value, self.file, f"{self.path}[{i}]") for i, value in enumerate(self.value))

    def text(self) -> str:
        if not isinstance(self.value, str):
            raise self.wrong("a text")
        return self.value

    def is_number(self) -> bool:
        return isinstance(self.value, int | float) and not isinstance(self.value, bool)

    def number(self) -> float:
        """A finite number."""
        if not isinstance(self.value, int | float) or isinstance(self.value, bool):
            raise self.wrong("a number")
        try:
            value = float(self.value)
        except OverflowError:
            raise self.wrong("a finite number") from None
        if not math.isfinite(value):
            raise self.wrong("a finite number")
        return value

    def cost(self) -> float:
        """A finite number that is not negative."""
        return not_negative(self.number(), self.location)


def json_of(given: Given) -> At:
    """The file as JSON. Raises BadInput with the line where it stops being JSON."""
    try:
        return At(msgspec.json.decode(given.data), given.location)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        match = _BYTE.search(str(error))
        end = int(match.group(1)) if match else len(given.data)
        line = given.data.count(b"\n", 0, end) + 1
        reason = str(error).replace("JSON is malformed: ", "").split(" (byte")[0]
        raise BadInput(
            f"{given.location}: line {line}: not JSON: {reason[:80]}",
            "it is damaged or cut off; NaN and inf are not JSON",
        ) from error
    except RecursionError:
        raise BadInput(f"{given.location}: nested too deeply", "is this the file that the tool wrote?") from None


def opens_object(given: Given) -> bool:
    """True if the file starts like a JSON object. Used to recognise formats."""
    return given.data[:256].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
