# SPDX-License-Identifier: GPL-2.0-only
"""A history becomes kernels in order, rows with readable keys, cells with their states, steps and functions."""

from pathlib import Path

import pytest
from msgspec import structs

from kassay.errors import BadInput
from kassay.labs.site.contents import read_site
from kassay.labs.site.model import Site, SiteStatus
from kassay.labs.site.pages.home import _taken_back_by
from kassay.labs.site.pages.lookup import Lookup
from kassay.labs.site.pages.outcomes import outcome
from kassay.labs.site.sources import SourceNames
from kassay.labs.site.turn.changes import changes_of, entry_of, new_changes, words_of_taking_back
from kassay.labs.site.turn.publish import site_status
from kassay.labs.site.turn.settings import Branch, Lab
from kassay.labs.site.turn.status import Status
from kassay.model.progress import silent
from kassay.model.records import Setting, to_json
from kassay.model.workload import Parameter, Workload
from kassay.tools.history.add import add
from kassay.tools.history.archive import reading, writing
from kassay.tools.history.nominations import known
from kassay.tools.history.records import (
    Batch,
    ComparisonDetail,
    FunctionChange,
    StoredComparison,
    StoredCost,
    StoredKernel,
)
from tests.histories import commit, git, line_of
from tests.history.batches import batch_of, kernel, series
from tests.site.made import written

pytestmark = pytest.mark.slow  # files of a database

PLACE = "/home/someone"
WORKLOAD = Workload(
    describe="kassay-workload/1", name="w", summary="does it", subject="Doing it", state="small pages", phases=(),
    parameters=(Parameter(name="size", kind="size", unit="bytes", default="8MiB", summary="bytes"),),
    group="page tables",
)  # fmt: skip


def comparison(base: int, head: int, verdict: str = "regression", change: float | None = 0.5) -> StoredComparison:
    refused = verdict == "state-mismatch"
    return StoredComparison(
        series=0, base=base, head=head, verdict=verdict, evidence="exact", change=change, low=None, high=None,
        floor=0.001, base_value=100.0, head_value=None if verdict == "incomplete" else 150.0, base_n=2, head_n=2,
        detail=ComparisonDetail(
            reasons=("the reason",) if refused or verdict == "incomplete" else (), confounders=("compiler: a, then b",),
            sentence="f +50", functions=(FunctionChange(function="f", base=10, head=60),), rest=0.0, version="1",
        ),
    )  # fmt: skip


def pair(*releases: str, plan: str = "plan", **changes: object) -> Batch:
    fields: dict[str, object] = {
        "comparisons": (comparison(0, 1),), "workloads": (WORKLOAD,),
        "costs": (
            StoredCost(series=0, kernel=0, function="f", own=10, whole=20, calls=1, callers=("g",), bytes=64),
            StoredCost(series=0, kernel=1, function="f", own=60, whole=70, calls=1, callers=("g", "h"), bytes=96),
        ),
        **changes,
    }  # fmt: skip
    return structs.replace(batch_of({release: [100.0, 100.0] for release in releases}, plan=plan), **fields)


def site(tmp_path: Path, *batches: Batch) -> Site:
    for batch in batches:
        with writing(tmp_path / "h") as archive:
            add(archive, batch)
    return read_site(tmp_path / "h")


def test_a_pair_becomes_two_columns_a_row_and_a_step(tmp_path: Path) -> None:
    found = site(tmp_path, pair("6.17.13", "6.16.12", comparisons=(comparison(1, 0),)))
    assert [(k.key, k.arch, k.column) for k in found.kernels] == [
        ("6.16.12", "x86_64", True),
        ("6.17.13", "x86_64", True),
    ]
    assert [(s.key, s.group, s.machine, s.command) for s in found.series] == [
        ("w", "page tables", "icount, 1 CPU, 1GiB", "w"),
    ]
    (step,) = found.steps
    assert (step.before, step.after, step.verdict, step.sentence) == ("6.16.12", "6.17.13", "regression", "f +50")
    assert step.repeat == ("kassay compare w debian:6.16.12-1 debian:6.17.13-1",)
    assert [(cell.kernel, cell.state, cell.value) for cell in found.cells] == [
        ("6.16.12", "measured", 100.0), ("6.17.13", "measured", 150.0),
    ]  # fmt: skip
    (function,) = found.functions
    assert (function.name, function.callers) == ("f", ("g", "h"))
    assert function.sizes == (("x86_64", "6.17.13", 64), ("x86_64", "6.16.12", 96))


def test_settings_that_are_not_the_default_stand_in_the_address(tmp_path: Path) -> None:
    other = series(settings=(Setting(name="size", value="2MiB"),))
    found = site(
        tmp_path, pair("6.16.12", "6.17.13"), structs.replace(pair("6.16.12", "6.17.13", plan="b"), series=(other,))
    )
    assert [(s.key, s.settings, s.command) for s in found.series] == [
        ("w", "size=8MiB", "w"), ("w,size=2MiB", "size=2MiB", "w --set size=2MiB"),
    ]  # fmt: skip


@pytest.mark.parametrize(("verdict", "state"), [("state-mismatch", "refused"), ("incomplete", "failed")])
def test_a_refused_and_a_failed_cell_say_why(tmp_path: Path, verdict: str, state: str) -> None:
    found = site(tmp_path, pair("6.16.12", "6.17.13", comparisons=(comparison(0, 1, verdict, None),)))
    assert [(cell.state, cell.reason) for cell in found.cells] == [("measured", ""), (state, "the reason")]


def test_the_newest_comparison_of_two_kernels_counts(tmp_path: Path) -> None:
    newer = pair("6.16.12", "6.17.13", plan="newer", comparisons=(comparison(0, 1, "equivalent", 0.0),))
    found = site(tmp_path, pair("6.16.12", "6.17.13"), newer)
    assert [step.verdict for step in found.steps] == ["equivalent"]


def test_a_comparison_that_was_renewed_is_the_newest(tmp_path: Path) -> None:
    first = pair("6.16.12", "6.17.13", comparisons=(comparison(0, 1, "incomplete", None),))
    other = pair("6.16.12", "6.17.13", plan="other", comparisons=(comparison(0, 1, "state-mismatch", None),))
    finished = structs.replace(first, comparisons=(comparison(0, 1),))
    found = site(tmp_path, first, other, finished, other)  # what is equal is not renewed
    assert [step.verdict for step in found.steps] == ["regression"]
    with reading(tmp_path / "h", silent) as archive:
        assert list(known(archive).refused.values()) == [""]


def test_two_packages_of_one_release_have_addresses_of_their_own(tmp_path: Path) -> None:
    rebuilt: StoredKernel = structs.replace(kernel("6.16.12"), ref="debian:6.16.12-2", image_sha256="another image")
    found = site(tmp_path, structs.replace(pair("6.16.12", "6.16.13"), kernels=(kernel("6.16.12"), rebuilt)))
    assert [k.key for k in found.kernels] == ["6.16.12", "6.16.12-2"]


def test_patched_builds_and_kernel_files_are_no_columns(tmp_path: Path) -> None:
    patched = structs.replace(kernel("6.17.13"), ref="build:linux@abc+x.patch", image_sha256="p")
    with pytest.raises(BadInput, match="no comparison of two kernels"):
        site(tmp_path, structs.replace(pair("6.16.12", "6.17.13"), kernels=(kernel("6.16.12"), patched)))


def test_a_kernel_that_narrows_a_step_is_no_column(tmp_path: Path) -> None:
    narrowed = structs.replace(pair("6.16.12", "6.17.8", plan="narrow"), name="narrow-w")
    made = site(tmp_path, pair("6.16.12", "6.17.13"), narrowed)
    assert [(one.key, one.column) for one in made.kernels] == [("6.16.12", True), ("6.17.8", False), ("6.17.13", True)]
    row = Lookup(made).row(made.series[0])
    assert [placed.step and placed.step.before for placed in row] == [None, "6.16.12"]


def test_a_kernel_that_only_one_workload_was_measured_on_is_a_column(tmp_path: Path) -> None:
    suite = (
        structs.replace(pair("6.16.12", "6.17.13", plan=name), series=(series(workload=name),)) for name in ("v", "x")
    )
    made = site(tmp_path, *suite, structs.replace(pair("6.17.13", "6.18.3", plan="w"), name="w"))
    assert [(one.key, one.column) for one in made.kernels][-1] == ("6.18.3", True)


def test_the_head_of_another_branch_stands_between_no_neighbours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = tmp_path / "linux"
    since = line_of(tree, 0)[0]
    heads = []
    for second, name in enumerate(("stable", "new"), 1):
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"{1_700_000_000 + second} +0000")
        git(tree, "checkout", "--quiet", "-b", name, since)
        heads.append(commit(tree, name, name))

    def built(head: str, verdict: str) -> Batch:
        kernels = tuple(
            structs.replace(kernel("1.0.0"), ref=f"build:{tree}@{sha}", image_sha256=sha) for sha in (since, head)
        )
        return structs.replace(pair("1", "2", plan=head, comparisons=(comparison(0, 1, verdict),)), kernels=kernels)

    made = site(tmp_path, built(heads[0], "regression"), built(heads[1], "regression"))
    first, stable, new = (sha[:12] for sha in (since, *heads))
    assert [(one.key, one.apart) for one in made.kernels] == [(first, ()), (stable, ()), (new, (stable,))]
    lookup = Lookup(made)
    assert [placed.step and placed.step.before for placed in lookup.row(made.series[0])] == [None, first, first]
    with reading(tmp_path / "h", silent) as archive:
        found = [change.id for change in new_changes(changes_of(archive), ())]
    assert found == [f"x86_64-linux/w/{first}-{head}" for head in (stable, new)]
    assert f"compare/x86_64-linux/{first}-{new}/index.html" in written(made, tmp_path / "site")


def test_a_build_is_named_without_paths_of_the_host(tmp_path: Path) -> None:
    builds = tuple(
        structs.replace(kernel("6.17.13"), image_sha256=commit,
                        ref=f"build:{PLACE}/linux@{commit},cc={PLACE}/gcc-14,config=lab+{PLACE}/x.config")
        for commit in ("0" * 40, "1" * 40)
    )  # fmt: skip
    made = site(tmp_path, structs.replace(pair("6.16.12", "6.17.13"), kernels=builds))
    refs = [f"build:linux@{commit},cc=gcc-14,config=lab+x.config" for commit in ("0" * 40, "1" * 40)]
    assert [one.ref for one in made.kernels] == refs
    assert made.steps[0].repeat[0].endswith(" ".join(refs))


def test_what_failed_is_told_without_paths_of_the_host() -> None:
    branch = Branch(tree=f"{PLACE}/linux", name="main", build=f"cc={PLACE}/gcc-14")
    why = f"build:{PLACE}/linux@0123,cc={PLACE}/gcc-14: {PLACE}/linux/mm/x.c:3: error"
    gone = f"x86_64/build:{PLACE}/mm@0123"
    status = (
        Status()
        .with_failure(f"x86_64/build:{PLACE}/linux@0123", why, "2026-11-26", "kernel")
        .with_failure("x86_64/mm/a..b", f"{PLACE}/runs/x86_64/mm/a..b: damaged", "2026-11-26", "pair")
        .with_failure(gone, f"{PLACE}/mm: not a git repository", "2026-11-26", "kernel")
    )
    lab = Lab(branch=(branch,), runs=f"{PLACE}/runs")
    assert site_status(SiteStatus(), status, (), lab).failed == (
        ("x86_64/build:linux@0123", "build:linux@0123,cc=gcc-14: linux/mm/x.c:3: error"),
        ("x86_64/mm/a..b", "runs/x86_64/mm/a..b: damaged"),
        ("x86_64/build:mm@0123", "mm: not a git repository"),
    )


def test_a_history_without_comparisons_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no comparison of exact counts") as caught:
        site(tmp_path, pair("6.16.12", "6.17.13", comparisons=()))
    assert "history add" in caught.value.remedy


def test_files_and_people_are_those_that_the_history_remembers(tmp_path: Path) -> None:
    names = SourceNames(release="7.3.4", files={"f": "mm/f.c"}, people={"mm/f.c": ("A Person <a@example.org>",)})
    with writing(tmp_path / "h") as archive:
        archive.run("INSERT INTO about VALUES ('sources', ?)", [to_json(names).decode()])
    found = site(tmp_path, pair("6.16.12", "6.17.13"))
    assert (found.functions[0].file, found.functions[0].maintainers) == ("mm/f.c", ("A Person <a@example.org>",))
    assert found.steps[0].functions[0].file == "mm/f.c"
    assert found.steps[0].recipients == ("A Person <a@example.org>",)


def test_x86_64_comes_before_other_lines(tmp_path: Path) -> None:
    arm = series(machine=structs.replace(series().machine, arch="arm64"))
    kernels = tuple(structs.replace(kernel(r), arch="arm64", image_sha256=f"arm {r}") for r in ("6.16.12", "6.17.13"))
    other = structs.replace(pair("6.16.12", "6.17.13", plan="arm"), series=(arm,), kernels=kernels)
    found = site(tmp_path, other, pair("6.16.12", "6.17.13"))
    assert list(dict.fromkeys(k.arch for k in found.kernels)) == ["x86_64", "arm64"]


def through(tmp_path: Path, *verdicts: str) -> Lookup:
    """Four kernels, each compared with the next one."""
    releases = ("6.16.12", "6.17.13", "6.18.3", "6.19.2")
    found = tuple(comparison(at, at + 1, verdict) for at, verdict in enumerate(verdicts))
    return Lookup(site(tmp_path, pair(*releases, comparisons=found)))


def test_a_cell_whose_comparison_was_refused_stays_refused_although_a_later_kernel_is_compared_with_it(
    tmp_path: Path,
) -> None:
    lookup = through(tmp_path, "state-mismatch", "equivalent", "equivalent")
    assert [cell.state for cell in lookup.site.cells] == ["measured", "refused", "measured", "measured"]
    assert lookup.site.cells[1].reason == "the reason"


def test_kernels_on_two_sides_of_a_refused_comparison_have_no_verdict(tmp_path: Path) -> None:
    lookup = through(tmp_path, "equivalent", "state-mismatch", "equivalent")
    (series,) = lookup.site.series
    across, beside = lookup.step(series, "6.16.12", "6.18.3"), lookup.step(series, "6.18.3", "6.19.2")
    assert across is not None and (across.change, across.verdict, outcome(across, series)) == (
        None, "not-compared", "refused",
    )  # fmt: skip
    assert beside is not None and outcome(beside, series) == "small"
    groups = [cell.group for cell in lookup.site.cells]
    assert groups[0] == groups[1] != groups[2] == groups[3]


def test_a_kernel_that_is_compared_with_no_other_is_comparable_with_none(tmp_path: Path) -> None:
    lookup = through(tmp_path, "state-mismatch", "state-mismatch", "state-mismatch")
    assert len({cell.group for cell in lookup.site.cells}) == 4


def test_no_later_kernel_takes_back_what_it_cannot_be_compared_with(tmp_path: Path) -> None:
    batch = pair(
        *("6.16.12", "6.17.13", "6.18.3", "6.19.2"), comparisons=(
            comparison(0, 1), comparison(1, 2, "state-mismatch", None),
            structs.replace(comparison(2, 3, "improvement", -0.3), base_value=140.0, head_value=100.0),
        ),
    )  # fmt: skip
    made = site(tmp_path, batch)
    with reading(tmp_path / "h", silent) as archive:
        changes = changes_of(archive)
    assert [change.id for change in changes] == ["x86_64/w/6.16.12-6.17.13", "x86_64/w/6.18.3-6.19.2"]
    assert words_of_taking_back(entry_of(changes[0], "found", ""), changes) == ""
    row = Lookup(made).row(made.series[0])
    assert row[-1].outcome == "better" and _taken_back_by(row, Lookup(made)) is None


def test_values_of_two_emulators_are_never_subtracted(tmp_path: Path) -> None:
    """The second emulator counts 6.17.13 anew, and by its counts alone 6.19.2 is cheaper."""

    def measured(base: str, head: str, emulator: str, verdict: str, values: tuple[float, float]) -> Batch:
        of = series(conditions=(Setting(name="emulator", value=emulator),))
        one = structs.replace(
            comparison(0, 1, verdict, values[1] / values[0] - 1), base_value=values[0], head_value=values[1]
        )
        return pair(base, head, plan=f"{base} {emulator}", series=(of,), comparisons=(one,))

    made = site(
        tmp_path, measured("6.16.12", "6.17.13", "QEMU 7.2", "regression", (100.0, 150.0)),
        measured("6.17.13", "6.18.3", "QEMU 10.0", "equivalent", (120.0, 120.0)),
        measured("6.18.3", "6.19.2", "QEMU 10.0", "improvement", (120.0, 118.0)),
    )  # fmt: skip
    lookup, (row,) = Lookup(made), made.series
    across = lookup.step(row, "6.16.12", "6.19.2")
    assert across is not None and (across.change, across.verdict) == (None, "not-compared")
    assert outcome(lookup.steps["x86_64", row.key, "6.16.12", "6.17.13"], row) == "worse"
    with reading(tmp_path / "h", silent) as archive:
        changes = changes_of(archive)
    assert words_of_taking_back(entry_of(changes[0], "confirmed", ""), changes) == ""
