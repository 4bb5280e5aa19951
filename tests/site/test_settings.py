# SPDX-License-Identifier: GPL-2.0-only
"""lab.toml is read strictly, and every mistake is named with its place."""

import tomllib
from pathlib import Path

import pytest

from kassay.errors import BadInput
from kassay.labs.site.turn.settings import Branch, Lab, load, parse, seconds
from tests.source import ROOT

LEAST = 'archive = ["6.17"]\n'


@pytest.mark.parametrize(("text", "problem"), [
    ("", "nothing to follow"),
    ("archive = [", "Invalid value (at end of document)"),
    (LEAST + 'suite = ["mm"]\n', "suite: unknown key; did you mean suites?"),
    (LEAST + 'suites = ["cores"]\n', "suites: unknown 'cores'; did you mean core?"),
    (LEAST + "suites = []\n", "suites: must name one at least"),
    (LEAST + 'suites = ["arm64/core"]\n', "suites: unknown 'arm64/core'"),
    (LEAST + 'arches = ["x86_64", "arm64"]\nsuites = ["arm64/core"]\n', "suites: none for x86_64"),
    (LEAST + 'arches = ["x86"]\n', "arches: unknown 'x86'"),
    ('archive = "6.17"\n', "archive: '6.17': write a list of series"),
    ('archive = ["6.17.2"]\n', "archive: '6.17.2' is not a series"),
    ('archive = ["6.17", "6.17"]\n', "archive: the same value twice"),
    (LEAST + 'suites = ["mm", "mm"]\n', "suites: the same value twice"),
    (LEAST + 'arches = ["x86_64", "x86_64"]\n', "arches: the same value twice"),
    (LEAST + 'leave_out = ["6.17.13"]\n', "leave_out: '6.17.13' is not the version of a package; write 6.17.13-1"),
    (LEAST + 'runs = "site"\n', "site, runs: the same place"),
    (LEAST + "back = 1\n", "back: must be at least 2"),
    (LEAST + 'every = "0s"\n', "every: must be longer than 0 s"),
    (LEAST + 'budget = "long"\n', "budget: 'long' is not a time"),
    (LEAST + 'cpus = ["zen4", "arm64/neoverse_n1"]\n', "cpus: a CPU of an architecture that is not in arches"),
    (LEAST + 'address = "example.org"\n', "address: 'example.org' is not an address of a web server"),
    (LEAST + 'suites = "mm"\n', "suites: write a list in brackets"),
    (LEAST + "title = 1\n", "title: write a text in quotes"),
    ('[[branch]]\ntree = "t"\n', "branch[0]: the key name is missing"),
    ('[[branch]]\ntree = "a/t"\nname = "n/1"\n[[branch]]\ntree = "b/t"\nname = "n-1"\n',
     "branch[1]: its runs would be in the directory of branch[0], t-n-1"),
    ('[[branch]]\ntree = "t"\nname = "n"\n[[branch]]\ntree = "t"\nname = "n"\nbuild = "cc=clang"\n',
     "branch[1]: its runs would be in the directory of branch[0], t-n"),
    ('[[branch]]\ntree = "t"\nname = "n"\nbranch = "b"\n', "branch[0].branch: unknown key"),
])  # fmt: skip
def test_mistakes_are_named(text: str, problem: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse(text, "lab.toml")
    assert problem in str(caught.value) and "lab.toml: " in str(caught.value)


def test_all_mistakes_are_named_at_once() -> None:
    with pytest.raises(BadInput) as caught:
        parse(LEAST + 'suites = ["mn"]\nback = 0\nevery = "1"\n', "lab.toml")
    assert len(caught.value.what.splitlines()) == 3


def test_places_are_beside_the_file_or_below_out(tmp_path: Path) -> None:
    path = tmp_path / "lab.toml"
    path.write_text(LEAST + '[[branch]]\ntree = "linux"\nname = "main"\n')
    lab = load(path)
    assert (lab.site, lab.steps) == (str(tmp_path / "site"), str(tmp_path / "steps.toml"))
    assert lab.branch == (Branch(tree=str(tmp_path / "linux"), name="main"),)
    out = load(path, tmp_path / "out")
    assert (out.site, out.steps) == (str(tmp_path / "out" / "site"), str(tmp_path / "steps.toml"))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="No such file"):
        load(tmp_path / "lab.toml")


def test_the_example_of_the_page_is_read_and_names_every_key() -> None:
    page = (ROOT / "docs" / "reference" / "lab.md").read_text()
    text = page.partition("```toml\n")[2].partition("```")[0]
    lab = parse(text, "lab.md")
    table = tomllib.loads(text)
    assert {*table} == {*Lab.__struct_fields__}
    assert {*table["branch"][0]} == {*Branch.__struct_fields__}
    usual = parse(LEAST, "l")
    shown = {"title", "address", "archive", "cpus", "branch"}
    assert all(getattr(lab, key) == getattr(usual, key) for key in table if key not in shown)


def test_times() -> None:
    assert [seconds(text, "t") for text in ("90s", "1.5m", "2h", "1d")] == [90, 90, 7200, 86400]


def test_cpus_belong_to_their_architecture() -> None:
    lab = parse(LEAST + 'arches = ["x86_64", "arm64"]\ncpus = ["zen4", "arm64/neoverse_n1", "/a/b.toml"]\n', "lab.toml")
    assert (lab.cpus_of("x86_64"), lab.cpus_of("arm64")) == (("zen4", "/a/b.toml"), ("neoverse_n1",))


def test_a_suite_of_one_architecture_takes_the_place_of_the_others_there() -> None:
    lab = parse(LEAST + 'arches = ["x86_64", "arm64"]\nsuites = ["mm", "arm64/core"]\n', "lab.toml")
    assert (lab.suites_of("x86_64"), lab.suites_of("arm64")) == (("mm",), ("core",))
