# SPDX-License-Identifier: GPL-2.0-only
"""Predictions of kassay for kernel changes whose time others have published.

usage: python -m benchmarks.predict_truth [--runs DIR] [--stored] [PAGE] [ID...]

Reads benchmarks/truth.toml, runs `kassay compare ... --predict` for each entry that has a pair of kernels, prints the
tables, and writes them between their markers in PAGE, such as docs/results/truth.md; "-" is for no page. With IDs only
those are run, and no page is written. A published ratio is that of times, head / base.
error: predicted / published - 1; of a range, from its nearer end.

DIR (kassay-out/truth) keeps every run. A killed command goes on where it was. Runs that are there are not made again:
their traces are replayed by the present model, without booting anything. --stored makes no new runs: an entry without
one has the last answer, of truth/answers.json, or is listed as not measured yet.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from benchmarks._kassay import kassay
from benchmarks._pages import narrow
from benchmarks._truth import Answer, Entry, Outcome, corpus, outcome
from benchmarks._truth_answers import Kept, as_report, findings_of, is_of_now, keep, kept_answers
from benchmarks._truth_tables import absolute, cpus, score, sources, table

OPTIONS = ("--rounds", "8", "--repeats", "1", "--perturb", "0", "--profile", "none")
RUNS = Path("kassay-out/truth")
UNASKED = "not measured yet"
"""Problem of a question that has no runs, and for which none were to be made."""
_DONE = "predicted-from"
"""File in a directory of runs: it is finished, and `kassay predict` answers from it."""


def outcomes(
    entries: Sequence[Entry], runs: Path, ids: Container[str] = (), kept: Kept = MappingProxyType({}), *,
    stored: bool = False,
) -> tuple[list[Outcome], Kept]:  # fmt: skip
    """Runs what can be run, or those of `ids`, and the answers to keep. Entries that ask the same question share its
    runs and differ in the metric they read. kept: the last answers. stored: makes no new runs.
    """
    found: dict[tuple[str, ...], Answer] = {}
    answers = dict(kept)
    made: list[Outcome] = []
    earlier: set[tuple[str, ...]] = set()
    for entry in entries:
        if not entry.run or (ids and entry.id not in ids):
            continue
        for question in entry.questions:
            if question not in found:
                same = [other for other in entries if question in other.questions]
                asked = {cpu: None for other in same for cpu in other.cpu}
                directory = runs / f"{same[0].id}-{hashlib.sha256(json.dumps(question).encode()).hexdigest()[:8]}"
                report, problem = _asked(directory, question, tuple(asked), stored=stored)
                if report is not None:
                    answers[directory.name] = findings_of(report)
                elif problem == UNASKED and directory.name in kept:
                    report, problem = as_report(kept[directory.name]), ""
                    earlier |= {question} if not is_of_now(kept[directory.name]) else set()
                found[question] = report, problem
        nearest, *further = (found[question] for question in entry.questions)
        one = outcome(entry, *nearest, further)
        made.append(one._replace(earlier=not earlier.isdisjoint(entry.questions)))
    return made, answers


def _asked(directory: Path, question: tuple[str, ...], cpus_asked: Sequence[str], *, stored: bool) -> Answer:
    """The answer to one question: from stored traces if its runs are there, else measured."""
    form = ("--format", "json")
    if (directory / _DONE).is_file():
        words = ["predict", str(directory), "--cpu", ",".join(cpus_asked), *form]
    elif stored:
        return None, UNASKED
    else:
        words = ["compare", *OPTIONS, *question, "--predict", ",".join(cpus_asked), *form, "--out", str(directory)]
        if "arm64" not in question:
            words += ["--boot", "snapshot"]
    print(f"{directory.name}: kassay {' '.join(words)}", file=sys.stderr)
    answer = kassay(*words)
    if not answer.text.startswith("{"):
        return None, next((line for line in answer.errors.splitlines() if line.startswith("kassay: ")), "no answer")
    report = answer.json()
    if any(finding.get("predictions") for finding in report["findings"]):
        (directory / _DONE).touch()
    return report, ""


def placed(page: str, parts: Mapping[str, str]) -> str:
    """PAGE with each part between its markers. Raises ValueError where a marker is missing."""
    for name, text in parts.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        before, _, rest = page.partition(begin)
        _, found, after = rest.partition(end)
        if not found:
            raise ValueError(f"no markers for {name}")
        page = before + begin + "\n" + narrow(text) + "\n" + end + after
    return page


def main() -> None:
    """Prints the tables, and writes them to the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=Path, default=RUNS)
    parser.add_argument("--stored", action="store_true")
    parser.add_argument("page", nargs="?", default="-")
    parser.add_argument("ids", nargs="*")
    asked, entries = parser.parse_args(), corpus()
    page = Path(asked.page) if asked.page != "-" else None
    if page and not page.is_file():
        sys.exit(f"{page}: is not there; name a page that has the markers, as docs/results/truth.md")
    found, answers = outcomes(entries, asked.runs, asked.ids, kept_answers(), stored=asked.stored)
    keep(answers)
    parts = {"score": score(entries, found), "table": table(found), "cpus": cpus(found), "absolute": absolute(found),
             "sources": sources(entries)}  # fmt: skip
    print("\n".join(text for name, text in parts.items() if name != "sources"))
    if page and not asked.ids:
        page.write_text(placed(page.read_text(), parts))


if __name__ == "__main__":
    main()
