# SPDX-License-Identifier: GPL-2.0-only
"""A timing file as text: TOML in the order of its sections, a number a line."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from kassay.labs.predict.timing import Timing

_TOP = ("schema", "name", "summary", "arch", "ghz", "calibrated", "llvm", "ports", "first_decoder")
_LISTS = ("overrides", "micro_ops", "lines")
_COMMENT = "# SPDX-License-Identifier: GPL-2.0-only\n"


def timing_text(timing: Timing, like: str = "") -> str:
    """Text that timing.parse() reads back as the same record.

    like: CPU whose values stand for quantities that a later version of kassay asks for.
    """
    table: dict[str, Any] = msgspec.to_builtins(timing)
    top = {name: table.pop(name) for name in _TOP}
    lines = [f"{name} = {_value(value)}" for name, value in top.items() if value != ()]
    if like:
        lines.insert(_TOP.index("arch"), f"like = {_value(like)}")
    for name, section in table.items():
        if section is None:
            continue
        if name in _LISTS:
            for entry in section:
                lines += ["", f"[[{name}]]", *_pairs(entry)]
        else:
            lines += ["", *_section(name, section)]
    return _COMMENT + "\n".join(lines) + "\n"


def _section(name: str, section: Mapping[str, Any]) -> Iterator[str]:
    """Tables inside of a section come after its own values, as TOML wants."""
    inner = {key: value for key, value in section.items() if _is_section(value)}
    yield f"[{name}]"
    yield from _pairs({key: value for key, value in section.items() if key not in inner})
    for key, value in inner.items():
        yield ""
        yield from _section(f"{name}.{_key(key)}", value)


def _is_section(value: object) -> bool:
    return isinstance(value, dict) and "source" not in value


def _pairs(section: Mapping[str, Any]) -> Iterator[str]:
    for key, value in section.items():
        if value is not None:
            yield f"{_key(key)} = {_value(value)}"


def _key(key: str) -> str:
    return key if key.replace("_", "").replace("-", "").isalnum() and key.isascii() else _value(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return msgspec.json.encode(value).decode()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    return "{ " + ", ".join(_pairs(value)) + " }"
