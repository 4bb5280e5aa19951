# SPDX-License-Identifier: GPL-2.0-only
"""Data of llvm-mca on instructions: micro-operations, latencies and units, by form."""

import re
import subprocess
from collections.abc import Iterator, Mapping
from typing import NamedTuple

VERSION = "22"
_TRIPLE = {"x86_64": "x86_64", "arm64": "aarch64"}
_ALL = {"x86_64": "", "arm64": "+v8.4a,+sve,+fullfp16,+rand,+bti,+mte,+pauth"}
_MARK = {"x86_64": (b"\x0f\x01\xd9", "vmmcall"), "arm64": (bytes.fromhex("40cb36d4"), "brk\t#0xb65a")}
"""An instruction that stands between those that are asked for: their texts may have two lines, or none."""
_GROUP = re.compile(r"\[\d+\] +- (\w+):(\d+)(?: +(.+))?")
_ROW = re.compile(r" (\d+)\s+(\d+)\s+[\d.]+\s[* ]+U?\s+(\d+)\s+(\S+|(?=[A-Z]))\s")
_RESOURCE = re.compile(r"(\w+)(?:\[(?:\d+,)?(\d+)\])?$")
_TARGET = re.compile(r"^((?:j\w+|loop\w*|callq?|bl?|b\.\w+|cbn?z .*,|tbn?z .*,)\s+)#?-?(?:0x[0-9a-f]+|\d+)$")
"""A branch to a number, which an assembler does not take."""
NO_DATA = 100
"""The latency of instructions that a model says nothing of."""


class Model(NamedTuple):
    """units: name of each group of units -> names of units, "NAME.0" where there are several. rows: by form."""

    units: Mapping[str, tuple[str, ...]]
    rows: Mapping[str, "Row"]


class Row(NamedTuple):
    """latency: cycles; bypass: without the load. cycles: group of units -> cycles."""

    uops: int
    latency: int
    bypass: int
    cycles: tuple[tuple[str, int], ...]


def texts(arch: str, codes: Mapping[str, bytes]) -> dict[str, str]:
    """Form -> assembly that LLVM reads again; forms that LLVM does not know are left out."""
    mark, word = _MARK[arch]
    codes = {form: code for form, code in codes.items() if not code.endswith(mark)}
    lines = ["[" + " ".join(f"{byte:#x}" for byte in code) + "]" for own in codes.values() for code in (own, mark)]
    argv = [f"llvm-mc-{VERSION}", "--disassemble", f"-triple={_TRIPLE[arch]}"]
    argv += [f"-mattr={_ALL[arch]}"] if _ALL[arch] else []
    out = subprocess.run(argv, input="\n".join(lines), capture_output=True, text=True, check=False).stdout
    found: dict[str, str] = {}
    forms = iter(codes)
    now: list[str] = []
    for line in out.splitlines():
        if line.strip().startswith(word):
            form = next(forms)
            if now:
                found[form] = " ".join(now)
            now = []
        elif line.strip():
            now.append(line.strip())
    left = list(forms)
    if left:
        raise SystemExit(f"llvm-mc lost {len(left)} instructions")
    return found


def ask(arch: str, cpu: str, texts: Mapping[str, str]) -> Model:
    """The model of one CPU, by LLVM's name of it."""
    comment = "//" if arch == "arm64" else "#"
    forms = list(texts)
    lines = []
    for number, form in enumerate(forms):
        text = _TARGET.sub(r"\1.", texts[form])
        lines += [f"{comment} LLVM-MCA-BEGIN r{number}", text, f"{comment} LLVM-MCA-END"]
    argv = [f"llvm-mca-{VERSION}", f"-mtriple={_TRIPLE[arch]}", f"-mcpu={cpu}", "--instruction-tables=full",
            "--skip-unsupported-instructions=any"]  # fmt: skip
    done = subprocess.run(argv, input="\n".join(lines) + "\n", capture_output=True, text=True, check=False)
    return Model(_units(done.stdout), dict(_rows(done.stdout, forms)))


def _units(out: str) -> dict[str, tuple[str, ...]]:
    units: dict[str, tuple[str, ...]] = {}
    first = out.partition("Instruction Info:")[0]
    for name, count, members in _GROUP.findall(first):
        number = int(count)
        if not members:
            units[name] = (name,) if number == 1 else tuple(f"{name}.{i}" for i in range(number))
        else:
            units[name] = tuple(word.strip() for word in members.split(","))
    for name, members in units.items():  # a unit of which there are several stands so many times
        counted: dict[str, int] = {}
        full = []
        for member in members:
            several = len(units.get(member, ())) > 1 and member != name
            full.append(f"{member}.{counted.get(member, 0)}" if several else member)
            counted[member] = counted.get(member, 0) + 1
        units[name] = tuple(full)
    return units


def _rows(out: str, forms: list[str]) -> Iterator[tuple[str, Row]]:
    form = ""
    for line in out.splitlines():
        if match := re.match(r"\[\d+\] Code Region - r(\d+)", line):
            form = forms[int(match[1])]
            rows: list[Row] = []
        elif line.startswith(" ") and (match := _ROW.match(line)) and form:
            resources = match[4].split(",") if match[4] else []
            cycles = _resources(match[4])
            rows.append(Row(int(match[1]), int(match[2]), int(match[3]), cycles))
            if len(rows) == 1 and resources is not None:
                yield form, rows[0]


def _resources(text: str) -> tuple[tuple[str, int], ...]:
    """ "A[2],B,C[1,3]" """
    found = []
    for part in re.findall(r"\w+(?:\[[\d,]+\])?", text):
        match = _RESOURCE.match(part)
        if match:
            found.append((match[1], int(match[2] or 1)))
    return tuple(found)
