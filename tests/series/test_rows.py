# SPDX-License-Identifier: GPL-2.0-only
"""A series becomes kernels and an experiment; what does not build stays as a row."""

from pathlib import Path

import pytest

from kassay.errors import BadInput, NotBuilt
from kassay.model.build import parse_build
from kassay.model.experiment import Experiment, KernelUse, WorkloadUse
from kassay.model.kernel import KernelRef
from kassay.model.progress import silent
from kassay.model.series import Series
from kassay.spec.rules import problems
from kassay.supply.building import git
from kassay.tools.series import rows
from kassay.tools.series.variants import Asked
from tests.building._repository import THIRD, commit, run, series

pytestmark = pytest.mark.slow  # dozens of calls of git


TEMPLATE = Experiment(
    name="series-w", question="series", kernels=(KernelUse(ref="image:x", cmdline="quiet"), KernelUse(ref="image:y")),
    workloads=(WorkloadUse(name="w"),),
)  # fmt: skip


class Builder:
    """A double: the image is what the compiler makes of the code, which knows neither comments nor likely()."""

    def __init__(self, refuses: str = "\0") -> None:
        self.built: list[str] = []
        self._refuses = refuses

    def __call__(self, ref: KernelRef) -> str:
        tree = parse_build(ref.locator).pin
        self.built.append(tree)
        text = git.read(tree, "mm/walk.c") or ""
        if self._refuses in text:
            raise NotBuilt("mm/walk.c:3: error: no\nsecond line", log="x")
        return str(hash(text.replace("likely", "").replace("(", "").replace(")", "")))


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Series]:
    repository, _ = series(tmp_path, monkeypatch)
    for name, text in (("Makefile", "VERSION = 7\nPATCHLEVEL = 3\n"), ("Kbuild", "\n")):
        (repository / name).write_text(text)
    commit(repository, THIRD, "a kernel's files")
    run(repository, "format-patch", "-q", "-o", str(tmp_path / "patches"), "-3", "HEAD~1")
    base = f"build:{repository}@HEAD~4,cc=gcc-12"
    monkeypatch.setattr("kassay.supply.building.source.kernel_version", lambda tree, name: "7.3.0")
    return tmp_path, rows.rows_of(base, tmp_path / "patches", Asked(annotations=True), "x86_64", silent)


def test_every_row_is_named_by_its_tree_and_keeps_the_compiler(found: tuple[Path, Series]) -> None:
    _, one = found
    with_tree = [row for row in one.rows if row.tree is not None]
    assert len(with_tree) > 3
    for row in with_tree:
        build = parse_build(row.ref.removeprefix("build:"))
        assert (build.pin, build.cc, build.patches) == (row.tree, "gcc-12", ())


def test_no_tree_is_built_twice_and_equal_images_are_one_kernel(found: tuple[Path, Series]) -> None:
    builder = Builder()
    made = rows.built(found[1], "x86_64", silent, builder)
    assert len(builder.built) == len(set(builder.built)) == len({row.tree for row in made.rows if row.tree})
    first = next(row for row in made.rows if row.name == "1")
    assert (first.outcome, first.same_as) == ("same-image", "base")
    images = [row.image_sha256 for row in made.rows if row.outcome == "measured"]
    assert len(images) == len(set(images))


def test_a_row_that_does_not_build_has_its_error_and_the_rest_goes_on(found: tuple[Path, Series]) -> None:
    made = rows.built(found[1], "x86_64", silent, Builder(refuses="n + 0"))
    by_name = {row.name: row for row in made.rows}
    assert by_name["whole"].outcome == "not-built"
    assert by_name["whole"].detail == "mm/walk.c:3: error: no | second line"
    assert by_name["1..2"].outcome == "measured"


def test_a_base_that_does_not_build_ends_it(found: tuple[Path, Series]) -> None:
    builder = Builder(refuses="static int")
    with pytest.raises(NotBuilt, match="base does not build"):
        rows.built(found[1], "x86_64", silent, builder)
    assert len(builder.built) <= 1  # what hangs on it is not built first, for hours


def test_the_experiment_names_whom_each_row_is_compared_with(found: tuple[Path, Series]) -> None:
    made = rows.built(found[1], "x86_64", silent, Builder())
    experiment = rows.experiment_of(made, TEMPLATE)
    names = [use.name for use in experiment.kernels]
    assert names[0] == "base" and experiment.kernels[0].cmdline == "quiet"
    against = {use.name: names[use.against] for use in experiment.kernels if use.against is not None}
    assert against["1..2"] == "base"
    assert against["whole"] == "1..2"
    assert list(problems(experiment)) == []


def test_the_same_command_makes_the_same_experiment(found: tuple[Path, Series]) -> None:
    made = [rows.experiment_of(rows.built(found[1], "x86_64", silent, Builder()), TEMPLATE) for _ in range(2)]
    assert made[0] == made[1]


def test_a_series_without_another_kernel_than_base_is_said(found: tuple[Path, Series]) -> None:
    made = rows.built(found[1], "x86_64", silent, lambda ref: "same")
    with pytest.raises(BadInput, match="no row of the series is another kernel than base"):
        rows.experiment_of(made, TEMPLATE)


def test_a_symbol_of_the_series_is_asked_for_where_it_is_defined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository, _ = series(tmp_path, monkeypatch)
    (repository / "Makefile").write_text("VERSION = 7\nPATCHLEVEL = 3\n")
    (repository / "Kconfig").write_text("config MODULES\n\tbool\n")
    run(repository, "add", ".")
    run(repository, "commit", "-qm", "a kernel's files")
    (repository / "mm" / "Kconfig").write_text('config NEW\n\tbool "x"\n\tdefault y\n\nconfig OTHER\n\tbool "x"\n')
    run(repository, "add", ".")
    run(repository, "commit", "-qm", "two options")
    run(repository, "format-patch", "-q", "-o", str(tmp_path / "patches"), "-1")
    base = f"build:{repository}@HEAD~1,config=distro+CONFIG_NEW=y"
    made = rows.rows_of(base, tmp_path / "patches", Asked(), "x86_64", silent)
    asked = [parse_build(row.ref.removeprefix("build:")).fragments for row in made.rows]
    assert asked == [(), ("CONFIG_NEW=y",)]
    made = rows.built(made, "x86_64", silent, lambda ref: "same")
    with pytest.raises(BadInput) as caught:
        rows.experiment_of(made, TEMPLATE)
    switches = "config=distro+CONFIG_NEW=y+CONFIG_OTHER=y"
    assert f"It adds CONFIG_OTHER: try --base REF,{switches}" in caught.value.remedy


def test_what_is_kept_is_found_again_and_damage_is_said(found: tuple[Path, Series]) -> None:
    directory, one = found
    assert rows.read_rows(directory) is None
    rows.keep(directory, one, TEMPLATE)
    assert rows.read_rows(directory) == one
    (directory / "series.json").write_text("{")
    with pytest.raises(BadInput, match=r"series\.json"):
        rows.read_rows(directory)


def test_a_base_without_sources_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="a series needs sources"):
        rows.rows_of("debian:7.3", tmp_path, Asked(), "x86_64", silent)
