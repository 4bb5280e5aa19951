# SPDX-License-Identifier: GPL-2.0-only
"""Programs that did, or did not do, the same work on two kernels: is each refused that must be, and no other?

usage: python -m benchmarks.same_work --out DIR [--page PAGE] [NAMES]     About 10 s for each program on 2 idle cores.

DIR keeps the runs: what was measured is only read, and judged by the rule as it is now. The first comment of a program
names the verdicts that are right; "same" stands for all that are no refusal. A second comment may have options of
kassay. Writes the table between its markers in PAGE (docs/results/same-work.md).
"""

import argparse
import sys
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks._kassay import kassay
from benchmarks.predict_truth import placed

HERE = Path(__file__).parent
KERNELS = ("debian:6.12", "debian:7.3")
OPTIONS = ("--boot", "snapshot", "--rounds", "4", "--format", "json")
ANSWERS = ("regression", "improvement", "equivalent", "inconclusive")
NAMED = 3
"""Differences that the table names."""


class Program(NamedTuple):
    """One program. right: the verdicts that are right."""

    path: Path
    right: tuple[str, ...]
    does: str
    options: tuple[str, ...] = ()
    """Further options of kassay."""

    @property
    def name(self) -> str:
        return self.path.stem


class Row(NamedTuple):
    """Answer of kassay."""

    program: Program
    verdict: str
    evidence: str
    differs: str
    """Work that the program did more or less of."""
    doubt: bool
    """True if its runs on one kernel differ."""

    @property
    def wrong(self) -> str:
        """ "", "verdict" where a refusal was right, "refusal" where an answer was, or "no answer"."""
        if self.verdict in self.program.right:
            return ""
        if self.verdict in ANSWERS:
            return "verdict"
        return "refusal" if self.verdict == "different-work" else "no answer"


def main() -> None:
    """Measures what is not there yet, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--page", type=Path)
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args()
    chosen = [program for program in programs() if not asked.names or program.name in asked.names]
    rows = []
    for number, program in enumerate(chosen, 1):
        row = answered(program, asked.out / program.name)
        print(
            f"{number}/{len(chosen)} {program.name}: {row.verdict}{row.wrong and ' WRONG'}", file=sys.stderr, flush=True
        )
        rows.append(row)
    text = table(rows)
    print(text)
    if asked.page is not None:
        asked.page.write_text(placed(asked.page.read_text(), {"same-work: table": text}))


def programs() -> list[Program]:
    """All of the corpus, by their names."""
    return [_read(path) for group in ("different", "same") for path in sorted((HERE / group).glob("*.c"))]


def _read(path: Path) -> Program:
    comment, second = (
        line.removeprefix("/*").removesuffix("*/").strip() for line in path.read_text().splitlines()[1:3]
    )
    right, _, does = comment.partition(": ")
    options = tuple(second.removeprefix("options: ").split()) if second.startswith("options: ") else ()
    return Program(path, ANSWERS if right == "same" else tuple(right.split(", ")), does, options)


def answered(program: Program, directory: Path) -> Row:
    """Answer of kassay on one program."""
    options = (*OPTIONS, *program.options, "--out", str(directory))
    ran = kassay("compare", "--program", str(program.path), *KERNELS, *options)
    if not ran.text:
        return Row(program, "failed", "", (ran.errors.strip().splitlines() or ["nothing was said"])[-1], doubt=False)
    report = ran.json()
    (found,) = (finding for finding in report["findings"] if finding["primary"])
    codes = {code["code"] for code in found["reason_codes"]}
    return Row(program, found["verdict"], found["evidence"], _differs(found, report), "work-varies" in codes)


def _differs(found: dict[str, Any], report: dict[str, Any]) -> str:
    if found["differences"]:
        first = [f"{d['field']} {d['base']} → {d['head']}" for d in found["differences"][:NAMED]]
        more = len(found["differences"]) - NAMED
        return ", ".join(first) + (f", {more} more" if more > 0 else "")
    share = ((report["work_code"] or {}).get("arguments") or {}).get("share")
    return "" if not share else f"{share:.2%} of the value"


def table(rows: list[Row]) -> str:
    """Markdown: a row for each program, and the count of wrong ones."""
    lines = [
        "| program | what it does | right | verdict | what differs | wrong |", "| --- | --- | --- | --- | --- | --- |"
    ]  # fmt: skip
    for row in rows:
        right = "no refusal" if row.program.right == ANSWERS else ", ".join(row.program.right)
        verdict = f"{row.verdict} ({row.evidence})" if row.verdict in ANSWERS else row.verdict
        differs = row.differs + (" (varies from run to run)" if row.doubt else "")
        lines.append(f"| `{row.program.name}` | {row.program.does} | {right} | {verdict} | {differs} | {row.wrong} |")
    counts = [sum(row.wrong == kind for row in rows) for kind in ("verdict", "refusal", "no answer")]
    wrong = f"{counts[0]} wrong verdicts, {counts[1]} wrong refusals, {counts[2]} without an answer"
    return "\n".join(lines) + f"\n\n{len(rows)} programs: {wrong}.\n"


if __name__ == "__main__":
    main()
