# SPDX-License-Identifier: GPL-2.0-only
"""Reports of stored run directories by two versions of kassay, compared byte for byte; measures nothing.

usage: python -m benchmarks.same_reports BEFORE AFTER DIR... [--all | --only REPORT,...] [--numbers]
                                         [--diff [--whole]]
                                         [--differing] [--save DIR] [--scratch PATH] [--jobs N]

BEFORE and AFTER are programs, for example old/.venv/bin/kassay and .venv/bin/kassay. BEFORE may also be a directory
that --save wrote, and AFTER "-", when there is nothing to compare yet. Each DIR is copied to a scratch directory for
every program, always to the same path, and reported there in every format and by the commands that answer from stored
runs. Nothing is normalised: a report is standard output, exit status, and the error where there was one, without the
progress before it; of a command that writes files each file's name, size and sha256 is compared, and with --diff the
text of those that differ. With --numbers only the numbers of a report are compared, for a change of words: each must
be there as often as before. Standard output is a table; the exit status is 1 when a report differs.
"""

import argparse
import difflib
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

FORMATS = ("terminal", "markdown", "json", "html", "mail", "lkp", "csv", "pyperf", "kcidb")
EXPORTS = ("callgrind", "folded", "speedscope")
TRACEBACK = "Traceback ("
ERRORS = ("kassay: ", "Usage: ", "Error", TRACEBACK)
DIFF_LINES = 60
DIFF_COLUMNS = 200  # a chart is one line
FILES = "{files}"  # stands for a directory into which a command writes
OUTPUT = ".out"
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\d)")
_THOUSANDS = re.compile(r"(?<=\d)[ ,](?=\d{3}(?!\d))")
DIRECTORY = "directory"  # the report of what the other reports changed in the copy


@dataclass(frozen=True)
class Asked:
    """A report's name, and the commands that make it, one after the other."""

    name: str
    commands: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Printed:
    """Output of the commands."""

    text: str
    files: dict[str, str] = field(default_factory=dict)
    """Text of every file that they wrote; "" for a file that is no text."""


@dataclass(frozen=True)
class Row:
    """One line of the table: a report of a directory, and its unified diff, () where both are the same."""

    directory: str
    report: str
    diff: tuple[str, ...]

    def counts(self) -> str:
        """Lines added and removed, without the two lines that name the sides."""
        added = sum(line.startswith("+") for line in self.diff[2:])
        removed = sum(line.startswith("-") for line in self.diff[2:])
        return f"differs  +{added} -{removed}" if self.diff else "same"


def reports(directory: str, first: str | None, searched: bool) -> Iterator[Asked]:
    """The reports of a directory that everyone reads. first: the label of its first kernel, None where it was imported.

    searched: the directory is of a search, which can be decided again.
    """
    for name in FORMATS:
        words = ("--exit-code",) if name == "csv" else ()
        yield Asked(name, (("report", directory, "--format", name, *words),))
    yield Asked("terminal-seed", (("report", directory, "--rules", "seed"),))
    yield Asked("json-seed", (("report", directory, "--rules", "seed", "--format", "json"),))
    addresses = ("--in-reply-to", "<1@example.org>", "--to", "a@example.org", "--cc", "b@example.org")
    yield Asked("mail-reply", (("report", directory, "--format", "mail", *addresses),))
    yield Asked("profile", (("profile", directory),))
    if first is not None:
        yield Asked("profile-kernel", (("profile", directory, "--kernel", first, "--context", "kernel"),))
    if searched:
        yield Asked("replay", (("bisect", "--replay", directory),))


def more(directory: str, first: str | None) -> Iterator[Asked]:
    """Reports that --all adds: commands that write files, and forms for other programs. They take twice the time of
    the rest."""
    yield Asked("charts", (("report", directory, "--format", "csv", "--charts", FILES),))
    if first is not None:
        yield Asked("profile-all", (("profile", directory, "--top", "0", "--fold"),))
        for name in EXPORTS:
            yield Asked(f"profile-{name}", (("profile", directory, "--kernel", first, "--export", name),))
    archive = ("--archive", f"{FILES}/history.duckdb")
    add = ("history", "add", directory, *archive)
    yield Asked("history", (add, ("history", "show", *archive), ("history", "points", *archive)))
    yield Asked("history-json", (add, ("history", "show", *archive, "--over", "dates", "--format", "json")))
    pack, verify = (("bundle", *words) for words in (("pack", directory, "--out"), ("verify",)))
    yield Asked("bundle", ((*pack, f"{FILES}/bundle"), (*verify, f"{FILES}/bundle")))


def wanted(stored: Path, copy: Path, every: bool, only: Sequence[str]) -> list[Asked]:
    """The reports of a stored directory; the commands name its copy. every: with those of more(). only: these alone."""
    first, spec = None, stored / "spec.toml"
    if spec.exists():
        kernel = tomllib.loads(spec.read_text())["kernels"][0]
        first = kernel.get("name") or kernel["ref"]
    usual, further = reports(str(copy), first, (stored / "bisect.json").exists()), more(str(copy), first)
    if only:
        return [asked for asked in (*usual, *further) if asked.name in only]
    return [*usual, *further] if every else list(usual)


def printed(program: str, asked: Asked, files: Path) -> Printed:
    """Runs the commands. files: an empty directory that they may write into, removed afterwards."""
    files.mkdir(parents=True)
    text = ""
    for command in asked.commands:
        words = [word.replace(FILES, str(files)) for word in command]
        environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
        done = subprocess.run([program, *words], capture_output=True, env=environment)
        text += done.stdout.decode(errors="backslashreplace")
        text += f"status {done.returncode}\n"
        text += error_text(done.stderr.decode(errors="backslashreplace")) if done.returncode else ""
    written = {}
    for path in sorted(path for path in files.rglob("*") if path.is_file() and "history.duckdb" not in path.name):
        content = path.read_bytes()
        name = str(path.relative_to(files))
        text += f"{hashlib.sha256(content).hexdigest()} {len(content):9} {name}\n"
        written[name] = _text(content)
    shutil.rmtree(files)
    return Printed(text, written)


def error_text(text: str) -> str:
    """The error on standard error: not the progress before it, which depends on time, nor a traceback's frames."""
    lines = text.splitlines(keepends=True)
    start = next((number for number, line in enumerate(lines) if line.startswith(ERRORS)), len(lines))
    framed = any(line.startswith(TRACEBACK) for line in lines[start:])
    return "".join(line for line in lines[start:] if not (framed and line.startswith(" ")))


def _text(content: bytes) -> str:
    try:
        return "" if b"\0" in content else content.decode()
    except UnicodeDecodeError:
        return ""


def render(program: str, stored: Path, copy: Path, wanted: Sequence[Asked]) -> dict[str, Printed]:
    """Report name -> what was printed, of a copy of a stored directory; and what the commands changed in the copy."""
    copy.parent.mkdir(parents=True, exist_ok=True)
    with copy.with_name(f"{copy.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two comparisons with one saved side have one path
        files = copy.with_name(f"{copy.name}.files")
        for left in (copy, files):  # by one that was killed
            shutil.rmtree(left, ignore_errors=True)
        shutil.copytree(stored, copy, symlinks=True)
        found = {}
        for asked in wanted:
            print(f"{program}: {stored.name}: {asked.name}", file=sys.stderr, flush=True)
            found[asked.name] = printed(program, asked, files)
        touched = [f"{state} {name}\n" for name, state in _changes(stored, copy)]
        found[DIRECTORY] = Printed("".join(touched))
        shutil.rmtree(copy)
    return found


def _changes(stored: Path, copy: Path) -> Iterator[tuple[str, str]]:
    before, after = (
        {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
        for root in (stored, copy)
    )
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            yield name, "added" if name not in before else "removed" if name not in after else "changed"


def save(found: dict[str, Printed], target: Path) -> None:
    """Writes each report to target/REPORT.out, and text files of commands that write files below target/REPORT/."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for name, one in found.items():
        (target / f"{name}{OUTPUT}").write_text(one.text, newline="")
        for file, text in one.files.items():
            path = target / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, newline="")


def saved(target: Path, wanted: Sequence[Asked]) -> dict[str, Printed]:
    """Output that save() wrote, for the wanted reports."""
    found = {}
    for name in (*(asked.name for asked in wanted), DIRECTORY):
        path = target / f"{name}{OUTPUT}"
        files = sorted(file for file in (target / name).rglob("*") if file.is_file())
        texts = {str(file.relative_to(target / name)): _exact(file) for file in files}
        found[name] = Printed(_exact(path), texts)
    return found


def _exact(path: Path) -> str:
    return path.read_bytes().decode()


def numbers_of(text: str) -> str:
    """The numbers of a report in order of size, one a line. Thousands may be apart by a blank or a comma."""
    joined = _THOUSANDS.sub("", text)
    found = sorted(_NUMBER.findall(joined), key=lambda word: (float(word), word))
    return "".join(f"{word}\n" for word in found)


def only_numbers(reports: dict[str, Printed]) -> dict[str, Printed]:
    """The reports without their words."""
    return {name: Printed(numbers_of(one.text)) for name, one in reports.items()}


def compare(directory: str, before: dict[str, Printed], after: dict[str, Printed]) -> Iterator[Row]:
    """A row for each report of either side; the diff of a report that wrote files has the diffs of its texts."""
    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name, Printed("")), after.get(name, Printed(""))
        diff = _diff(f"{directory}/{name}", old.text, new.text)
        for file in sorted(old.files.keys() | new.files.keys()) if diff else ():
            diff += _diff(f"{directory}/{name}/{file}", old.files.get(file, ""), new.files.get(file, ""))
        yield Row(directory, name, tuple(diff))


def _diff(name: str, old: str, new: str) -> list[str]:
    if old == new:
        return []
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), f"before/{name}", f"after/{name}", "", "", 1, "")
    return list(lines) or [f"--- before/{name}", f"+++ after/{name}", " only ends of lines differ"]


def main() -> int:
    """Prints the table, then the differences where they are asked for."""
    parser = argparse.ArgumentParser(prog="same_reports", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("before", help="a kassay program, or a directory that --save wrote")
    parser.add_argument("after", help="a kassay program, or - for none")
    parser.add_argument("directories", nargs="+", type=Path, metavar="DIR", help="stored runs, own or imported")
    parser.add_argument("--all", action="store_true", help="also charts, exports, histories and bundles")
    parser.add_argument("--only", default="", help="names of reports, comma-separated, in place of all these")
    parser.add_argument("--numbers", action="store_true", help="compare the numbers alone, for a change of words")
    parser.add_argument("--diff", action="store_true", help=f"print differences, {DIFF_LINES} short lines of a report")
    parser.add_argument("--whole", action="store_true", help="with --diff: all lines")
    parser.add_argument("--differing", action="store_true", help="leave rows of equal reports out of the table")
    parser.add_argument("--save", type=Path, metavar="DIR", help="keep what BEFORE printed, below DIR")
    parser.add_argument("--scratch", type=Path, help="directory of the copies; default: a temporary one")
    parser.add_argument("--jobs", type=int, default=1, help="directories at a time")
    given = parser.parse_args()
    only = [name for name in given.only.split(",") if name]
    stored = Path(given.before) if Path(given.before).is_dir() else None
    if stored is not None and given.scratch is not None:
        parser.error("--scratch: a saved side has the path of its copies already")
    scratch = _scratch(given.scratch, stored)
    if len({directory.name for directory in given.directories}) < len(given.directories):
        parser.error("two directories have one name, and their copies would have one path")
    if given.save is not None:
        given.save.mkdir(parents=True, exist_ok=True)
        (given.save / "scratch").write_text(str(scratch))

    def rows(directory: Path) -> list[Row]:
        copy = scratch / directory.name  # of both programs, which thus name one path
        asked = wanted(directory, copy, given.all, only)
        if stored is None:
            before = render(given.before, directory, copy, asked)
        else:
            before = saved(stored / directory.name, asked)
        if given.save is not None:
            save(before, given.save / directory.name)
        if given.after == "-":
            return []
        after = render(given.after, directory, copy, asked)
        if given.numbers:
            before, after = only_numbers(before), only_numbers(after)
        return list(compare(directory.name, before, after))

    with ThreadPoolExecutor(given.jobs) as pool:
        found = [row for rows_of_one in pool.map(rows, given.directories) for row in rows_of_one]
    if stored is None and given.scratch is None:
        shutil.rmtree(scratch)
    _print(found, given.differing)
    for row in found if given.diff else ():
        lines = row.diff if given.whole else [line[:DIFF_COLUMNS] for line in row.diff[:DIFF_LINES]]
        print("".join(f"{line}\n" for line in lines), end="")
        if len(lines) < len(row.diff):
            print(f"... {len(row.diff) - len(lines)} more lines")
    return 1 if any(row.diff for row in found) else 0


def _scratch(asked: Path | None, stored: Path | None) -> Path:
    """Reports name their directory: with a saved side the copies lie where that side's were."""
    if stored is not None:
        return Path((stored / "scratch").read_text())
    return Path(tempfile.mkdtemp(prefix="same-reports-")) if asked is None else asked.resolve()


def _print(rows: Sequence[Row], differing: bool) -> None:
    shown = [row for row in rows if row.diff or not differing]
    first = max((len(row.directory) for row in rows), default=0)
    second = max((len(row.report) for row in rows), default=0)
    for row in shown:
        print(f"{row.directory:{first}}  {row.report:{second}}  {row.counts()}")
    count = sum(bool(row.diff) for row in rows)
    print(f"{len(rows)} reports of {len({row.directory for row in rows})} directories: {len(rows) - count} same, "
          f"{count} differ")  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
