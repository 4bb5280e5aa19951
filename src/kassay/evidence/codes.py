# SPDX-License-Identifier: GPL-2.0-only
"""Code of a finding's functions under two configurations, compared when the kernels were measured."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from kassay.effects.files import read_record, write_atomic
from kassay.errors import BadInput
from kassay.model.codes import ComparedCode, ComparedCodes
from kassay.model.finding import Finding
from kassay.model.kernel import KernelArtifact
from kassay.model.profile import base_name
from kassay.model.records import to_json
from kassay.supply.machine_code.images import Image
from kassay.supply.machine_code.listing import listing

FILE = "code.json"
_MOST = 8
"""Functions of a finding that are compared, those with the largest difference."""


def differ_in_configuration(base: KernelArtifact, head: KernelArtifact) -> bool:
    """True if both kernels were built from one tree by one compiler, with different configurations."""
    one, other = base.identity, head.identity
    if one.build is None or other.build is None or one.config_sha256 == other.config_sha256:
        return False
    return one.build.tree == other.build.tree and one.compiler == other.compiler and one.arch == other.arch


def keep_codes(
    directory: Path, pairs: Mapping[tuple[str, str], tuple[KernelArtifact, KernelArtifact]], findings: Sequence[Finding]
) -> None:
    """Compares the functions of the findings of each pair, and writes the result into a run directory, also an empty
    one. pairs: kernels by their labels."""
    codes = [
        ComparedCode(base=label[0], head=label[1], function=function, code=code)
        for label, (base, head) in pairs.items()
        for function, code in _compared(base, head, _functions(findings, label))
    ]
    write_atomic(directory / FILE, to_json(ComparedCodes(version=1, codes=tuple(codes))))


def read_codes(directory: Path) -> tuple[ComparedCode, ...]:
    """Reads what keep_codes() wrote; empty without the file. Raises BadInput when it is damaged."""
    try:
        remedy = "delete the file, and repeat the command: it writes it anew"
        return read_record(directory / FILE, ComparedCodes, remedy).codes
    except FileNotFoundError:
        return ()


def _functions(findings: Sequence[Finding], label: tuple[str, str]) -> list[str]:
    """The kernel's functions with the largest differences in the primary findings of a pair."""
    rows = [
        row
        for finding in findings
        if finding.primary and finding.kernels == label and finding.attribution is not None
        for row in finding.attribution.rows
        if row.place == "kernel" and row.delta
    ]
    rows.sort(key=lambda row: -abs(row.delta))
    return list(dict.fromkeys(base_name(row.function) for row in rows))[:_MOST]


def _compared(base: KernelArtifact, head: KernelArtifact, functions: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each function with a word of CODES. A name that several functions have is left out; nothing without symbols."""
    if not functions:
        return
    try:
        images = Image(base), Image(head)
    except BadInput:
        return
    for function in functions:
        try:
            codes = [image.find(function) for image in images]
        except BadInput:
            continue
        if codes[0] is not None and codes[1] is not None:
            same = listing(codes[0]).sha256 == listing(codes[1]).sha256
            yield function, "same" if same else "different"
        elif codes[0] is not None or codes[1] is not None:
            yield function, "inlined"
