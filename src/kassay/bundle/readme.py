# SPDX-License-Identifier: GPL-2.0-only
"""The first file a stranger opens."""

from textwrap import fill

from kassay.model.report import Report

_TEXT = """\
{title}

{verdict}

This is a bundle of kassay: everything that the sentence above was made of.

    kassay bundle verify PATH              every file is whole, and every finding follows from the raw results
{again}    kassay report run --format NAME        the answer again, in another form

What is where:

    manifest.json    size and sha256 of every other file, and what is not here, with the reason
    report/          the answer in every form, and its charts
{where}
Sources: {sources}.
"""
_RUN_AGAIN = (
    "    kassay bundle rerun PATH --out DIR     measures it again on your machine, and says whether it is the same\n"
)
_RUN_WHERE = """\
    run/             experiment (spec.toml; pinned.toml names each kernel exactly), plan, journal, raw results
    source/guest/    the programs that ran inside the measured machine
    reproducer*.c    a workload as one C file: gcc -O2 -static, then run it; prints ns per operation

Kernels are not part of it; run/plan.json has their versions and hashes:

{kernels}
"""
_IMPORT_WHERE = """\
    run/             samples.json, and the files it was read from in source/
"""


def readme(report: Report, sources: str, *, imported: bool) -> str:
    """Plain text; the same report gives the same text."""
    kernels = "\n".join(
        f"    {kernel.ref}: {kernel.release}, image sha256 {kernel.image_sha256 or 'unknown'}"
        for kernel in report.kernels
    )
    where = _IMPORT_WHERE if imported else _RUN_WHERE.format(kernels=kernels)
    return _TEXT.format(title=report.title, verdict=fill(report.verdict, 100), where=where, sources=sources,
                        again="" if imported else _RUN_AGAIN)  # fmt: skip
