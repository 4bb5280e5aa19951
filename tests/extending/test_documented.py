# SPDX-License-Identifier: GPL-2.0-only
"""The examples of docs/how-to/extending.md: each is one file of a directory in KASSAY_PATH, and does what it says."""

import json
import os
import re
import sys
from pathlib import Path

import pytest

from kassay.effects.process import run
from kassay.registry import EXTENSIONS
from tests.extending.outside import ROOT, Outside, documented_examples, outside
from tests.extending.test_question import SPEC

EXAMPLES = documented_examples()
VALUES = "kernel,metric,value,block,unit,better\n" + "".join(
    f"{kernel},time,{value + block},{block},ns,lower\n"
    for block in range(8)
    for kernel, value in (("old", 100), ("new", 150))
)


@pytest.fixture(scope="module")
def documented(tmp_path_factory: pytest.TempPathFactory) -> Outside:
    """All examples but the gate rule, the workload and the policy, and an import to answer from."""
    found = outside(tmp_path_factory.mktemp("documented"))
    for name, text in EXAMPLES.items():
        if not name.startswith(("analysis", "guest", "pcp")):
            found.add(name, text)
    (found.work / "values.csv").write_text(VALUES)
    found.kassay("import", "values.csv", "--out", "d")
    return found


def test_the_page_names_every_example() -> None:
    page = (ROOT / "docs" / "how-to" / "extending.md").read_text("utf-8")
    assert [name for name in EXAMPLES if f"`{name}`" not in page] == []


def test_there_is_an_example_of_each_kind_that_the_page_describes() -> None:
    folders = {name.rpartition("/")[0] for name in EXAMPLES}
    assert folders == {
        "guest/workloads", "arches", "machines", "report/formats", "commands", "analysis/gate", "report/exports",
        "imports/formats", "pcp/policies",
    }  # fmt: skip


def test_a_machine_is_chosen_by_its_name_and_runs_the_workload_in_its_way(documented: Outside) -> None:
    quick = ("--set", "size=64KiB", "--repeats", "2", "--rounds", "2", "--no-control")
    documented.kassay("compare", "mincore_scan", "host", "host", "--clock", "first_cpu", *quick, "--out", "first")
    report = json.loads(documented.ended("report", "first", "--format", "json").out)
    assert (report["machine"]["clock"], report["machine"]["options"]) == ("host", ["taskset", "--cpu-list", "0"])
    assert (documented.work / "first" / "journal.jsonl").read_text().count('"argv":["taskset","--cpu-list","0",') == 4


def test_a_command_is_listed_explained_and_run(documented: Outside) -> None:
    assert "verdicts" in documented.kassay("--help")
    assert "Directories of runs, or imports." in documented.kassay("verdicts", "--help")
    assert documented.kassay("verdicts", "d").startswith("d: ")
    assert "Did you mean 'verdicts'" in documented.kassay("verdict", "d", status=2)


def test_a_format_is_listed_writes_a_report_and_has_its_own_option(documented: Outside) -> None:
    help_text = documented.kassay("report", "--help")
    assert lists_org(help_text) and "--level" in help_text and "How many stars" in help_text
    assert documented.kassay("report", "d", "--format", "org").startswith("* ")
    assert documented.kassay("report", "d", "--format", "org", "--level", "3").startswith("*** ")
    refused = documented.kassay("report", "d", "--format", "csv", "--level", "3", status=2)
    assert "--level: for --format org, not for csv" in refused
    assert "did you mean org?" in documented.kassay("report", "d", "--format", "orgg", status=2)
    assert lists_org(documented.kassay("compare", "--help"))


def lists_org(help_text: str) -> bool:
    """True if the list of formats has it. A line of the help may end behind its comma."""
    return re.search(r"\borg,\s", help_text) is not None


def test_a_gate_rule_refuses_a_comparison(tmp_path: Path) -> None:
    found = outside(tmp_path)
    rule = EXAMPLES["analysis/gate/same_compiler.py"].replace("compiler == head", "compiler != head")
    found.add("analysis/gate/same_compiler.py", rule)
    (found.work / "spec.toml").write_text(SPEC.replace('"dearest"', '"compare"'))
    text = " ".join(found.kassay("run", "spec.toml", "--out", "runs").split())
    assert "state-mismatch" in text and "the kernels were built by different compilers" in text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import sys\nimport nowhere\n", "line 2: ModuleNotFoundError: No module named 'nowhere'"),
        ("ARCH = \n", "SyntaxError: "),
        ("OTHER = 1\n", "no ARCH of type Arch\n  docs/how-to/extending.md says what a file of arches/ holds"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, text: str, words: str) -> None:
    found = outside(tmp_path)
    found.add("arches/broken.py", text)
    assert f"{found.extensions}/arches/broken.py: {words}" in found.kassay("doctor", status=2)


def test_a_command_of_a_laboratory_is_not_replaced(tmp_path: Path) -> None:
    """It lies in another package than the commands from outside, and was taken in their place without a word."""
    found = outside(tmp_path)
    found.add("commands/pcp.py", "COMMAND = None\n")
    assert "kassay: commands/pcp.py: kassay.labs.pcp.commands has the command pcp already" in found.kassay(
        "--help", status=2
    )


def test_an_importer_is_listed_recognised_and_its_values_judged(documented: Outside) -> None:
    assert "two_columns" in documented.kassay("import", "--help")
    for kernel, value in (("old", 100), ("new", 150)):
        lines = (f"boot{block} {value + block % 3}\n" for block in range(8))
        (documented.work / f"{kernel}.txt").write_text("".join(lines))
    words = ("import", "old=old.txt", "new=new.txt", "--out", "columns")
    assert "read 2 files as two columns" in documented.kassay(*words)
    report = json.loads(documented.ended("report", "columns", "--format", "json").out)
    (finding,) = report["findings"]
    assert (finding["metric"], finding["unit"], finding["verdict"]) == ("time", "ns", "regression")
    assert "known formats: " in documented.kassay(*words[:-1], "other", "--as", "xml", status=2)


@pytest.mark.parametrize(
    ("tests", "names"),
    [
        ("tests/contract/test_commands.py", "verdicts"),
        ("tests/report/test_formats.py", "org"),
        ("tests/report/test_exports.py", "top"),
    ],
)
def test_the_tests_of_the_contract_take_it_up(documented: Outside, tests: str, names: str) -> None:
    environment = {**os.environ, EXTENSIONS: str(documented.extensions)}
    argv = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", tests, "-k", f"[{names} and not on_file")
    done = run(argv, cwd=ROOT, env=environment, timeout_s=300)
    passed = re.search(r"(\d+) passed", done.out)
    assert done.status == 0 and passed is not None and int(passed[1]) >= 2, done.out
