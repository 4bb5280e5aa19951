# SPDX-License-Identifier: GPL-2.0-only
"""Pack, verify, tamper, verify, rerun, on directories that were not booted."""

import hashlib
import json
import shutil
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from kassay import pipeline
from kassay.errors import BadInput
from kassay.journal import artifacts
from kassay.model.experiment import Experiment
from kassay.model.guest import Programs
from kassay.model.patch import SeriesPatch
from kassay.model.progress import Tell, silent
from kassay.model.reason_texts import reason_text
from kassay.model.records import Setting
from kassay.model.samples import Sample, SampleSeries
from kassay.model.series import Series
from kassay.tools.bundle.manifest import NAME, Manifest, packed_files, write_manifest
from kassay.tools.bundle.pack import pack
from kassay.tools.bundle.verify import LIMIT, rerun, verify, with_inputs
from kassay.tools.series.rows import keep
from tests.history.directories import measured, plan_with
from tests.history.test_add import imported
from tests.report.row_reports import row

pytestmark = pytest.mark.slow  # files of a database, archives, whole commands: seconds, not milliseconds

COSTS = {0: [30, 30, 30, 30], 1: [60, 60, 61, 60]}
RELEASES = ["6.12.1", "6.17.2"]


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A measured directory with things beside it that belong into no bundle."""
    place = measured(tmp_path_factory.mktemp("runs") / "d", plan_with(RELEASES), COSTS)
    artifacts.put(place, b"of a run that was killed before it was written down")
    (place / "lock").write_text("123\n")
    (place / "report.json").write_text("{}")
    with (place / "journal.jsonl").open("ab") as journal:
        journal.write(b"0123 half a li")
    return place


@pytest.fixture(scope="module")
def packed(directory: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("packed") / "b"
    pack(directory, place, silent)
    return place


@pytest.fixture
def bundle(packed: Path, tmp_path: Path) -> Path:
    """A copy that may be tampered with."""
    place = tmp_path / "b"
    shutil.copytree(packed, place)
    for path in place.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return place


def names(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


def test_a_bundle_holds_the_runs_and_the_report_and_nothing_by_chance(packed: Path, directory: Path) -> None:
    found = names(packed)
    assert {"README", NAME, "run/spec.toml", "run/pinned.toml", "run/plan.json", "run/journal.jsonl"} <= found
    assert {"report/json.json", "report/terminal.txt", "report/markdown.md", "report/html.html"} <= found
    kept = {name for name in found if name.startswith("run/artifacts/")}
    assert len(kept) == len(names(directory / "artifacts")) - 1
    assert not found & {"run/lock", "run/report.json"}
    assert (packed / "run" / "journal.jsonl").read_bytes().endswith(b"}\n")
    manifest = msgspec.json.decode((packed / NAME).read_bytes(), type=Manifest)
    assert {file.path for file in manifest.files} == found - {NAME}
    assert manifest.sources == "not compared with what was measured: the plan does not name its programs"


def test_no_path_of_this_host_is_in_it(packed: Path, directory: Path) -> None:
    for name in names(packed):
        if not name.endswith((".zst", ".png")):
            text = (packed / name).read_text()
            assert str(directory) not in text and str(packed) not in text and "/tmp/" not in text, name


def test_the_same_directory_gives_the_same_bytes_wherever_it_lies(directory: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "another place" / "e"
    shutil.copytree(directory, elsewhere)
    for place, target in ((directory, "1"), (elsewhere, "2")):
        pack(place, tmp_path / f"{target}.tar.zst", silent)
    one, two = ((tmp_path / f"{n}.tar.zst").read_bytes() for n in (1, 2))
    assert hashlib.sha256(one).hexdigest() == hashlib.sha256(two).hexdigest()
    assert verify(tmp_path / "1.tar.zst", LIMIT, silent).findings == 1
    assert [p for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_the_rows_of_a_series_are_packed(tmp_path: Path) -> None:
    """Without them the report of the bundle would be that of two unrelated kernels."""
    plan = plan_with(RELEASES, question="series")
    patch = SeriesPatch(
        number=1, subject="mm: cheaper", author="A", sha256="0", files=("mm/a.c",), hunks=1, changes=(1, 1)
    )
    rows = (
        row("base", "base", "nothing applied", ref=plan.kernels[0].ref),
        row("whole", "cumulative", "mm: cheaper", "base", ref=plan.kernels[1].ref, patches=(1,)),
    )
    uses = (
        replace(plan.experiment.kernels[0], name="base"),
        replace(plan.experiment.kernels[1], name="whole", against=0),
    )
    experiment = replace(plan.experiment, kernels=uses)
    place = measured(tmp_path / "d", replace(plan, experiment=experiment), COSTS)
    keep(place, Series(base=plan.kernels[0].ref, source="two.mbx", patches=(patch,), rows=rows), experiment)
    pack(place, tmp_path / "b", silent)
    assert [row["name"] for row in json.loads((tmp_path / "b/report/json.json").read_text())["series"]["rows"]] == [
        "base", "whole",
    ]  # fmt: skip
    assert verify(tmp_path / "b", LIMIT, silent).findings == 1


def test_a_bundle_that_was_not_touched_holds(packed: Path) -> None:
    before = names(packed)
    found = verify(packed, LIMIT, silent)
    assert (found.findings, found.manifest.kind) == (1, "run")
    assert any(note.startswith("sources, says its packer (not checked): ") for note in found.notes)
    assert found.unchecked == ()
    assert names(packed) == before


def resealed(root: Path, **changes: object) -> None:
    """A manifest that fits whatever stands there now: what a forger would write."""
    manifest = msgspec.json.decode((root / NAME).read_bytes(), type=Manifest)
    write_manifest(root, msgspec.structs.replace(manifest, files=packed_files(root), **changes))


def edit(root: Path, name: str, old: str, new: str) -> None:
    text = (root / name).read_text()
    assert old in text
    (root / name).write_text(text.replace(old, new))


def other_value(root: Path) -> None:
    report = json.loads((root / "report/json.json").read_text())
    report["findings"][0]["change"] = 0.5
    (root / "report/json.json").write_text(json.dumps(report))


def dropped_finding(root: Path) -> None:
    report = json.loads((root / "report/json.json").read_text())
    report["findings"] = []
    (root / "report/json.json").write_text(json.dumps(report))


def other_words(root: Path) -> None:
    edit(root, "report/terminal.txt", "60", "30")


def other_artifact(root: Path) -> None:
    first = sorted((root / "run/artifacts").rglob("*.zst"))
    first[0].write_bytes(first[1].read_bytes())


def shorter_journal(root: Path) -> None:
    lines = (root / "run/journal.jsonl").read_bytes().splitlines(keepends=True)
    (root / "run/journal.jsonl").write_bytes(b"".join(lines[:-1]))


def no_report(root: Path) -> None:
    (root / "report/json.json").unlink()


def other_margin(root: Path) -> None:
    edit(root, "run/plan.json", '"margin":0.01', '"margin":0.02')


@pytest.mark.parametrize(
    ("forge", "said"),
    [
        (other_value, "findings[0].change is 0.5, computed 1.0"),
        (dropped_finding, "length of findings is 0, computed 1"),
        (other_words, "report/terminal.txt: not what kassay makes of its runs"),
        (other_artifact, "its content is not what its name says"),
        (shorter_journal, "its report is not what its runs give"),
        (no_report, "json.json"),
        (other_margin, "plan.json is not the plan that was measured"),
    ],
)
def test_a_forgery_with_a_fitting_manifest_is_found(bundle: Path, forge: Callable[[Path], None], said: str) -> None:
    forge(bundle)
    with pytest.raises(BadInput, match="damaged"):
        verify(bundle, LIMIT, silent)
    resealed(bundle)
    with pytest.raises(BadInput) as caught:
        verify(bundle, LIMIT, silent)
    assert said in caught.value.what
    assert len(str(caught.value).splitlines()) <= 3


def test_a_plan_that_contradicts_itself_is_the_bundles_fault(bundle: Path) -> None:
    plan = (bundle / "run/plan.json").read_bytes()
    forged = plan.replace(b'"kernel":1', b'"kernel":7')
    assert forged != plan
    (bundle / "run/plan.json").write_bytes(forged)
    old, new = (hashlib.sha256(data).hexdigest() for data in (plan, forged))
    lines = (bundle / "run/journal.jsonl").read_bytes().splitlines(keepends=True)
    header = lines[0].partition(b" ")[2].rstrip(b"\n").replace(old.encode(), new.encode())
    lines[0] = b"%08x %s\n" % (zlib.crc32(header), header)
    (bundle / "run/journal.jsonl").write_bytes(b"".join(lines))
    resealed(bundle, plan=new)
    with pytest.raises(BadInput, match="contradict each other"):
        verify(bundle, LIMIT, silent)


def test_a_bundle_of_another_version_may_be_worded_differently_but_not_valued(bundle: Path) -> None:
    other_words(bundle)
    resealed(bundle, kassay_version="0.0.1")
    found = verify(bundle, LIMIT, silent)
    why = "report/json.json was compared with the runs, other words were not checked"
    assert found.notes[0] == f"kassay 0.0.1 packed it: {why}"
    assert (found.notes[1], found.unchecked) == ("not checked: report/terminal.txt", ("report/terminal.txt",))
    other_value(bundle)
    resealed(bundle, kassay_version="0.0.1")
    with pytest.raises(BadInput, match=r"packed by kassay 0\.0\.1: findings\[0\]\.change"):
        verify(bundle, LIMIT, silent)


def test_fields_that_a_report_of_another_version_lacks_are_named(bundle: Path) -> None:
    """Somebody may have taken them out."""
    report = json.loads((bundle / "report/json.json").read_text())
    for finding in report["findings"]:
        del finding["reasons"]
    (bundle / "report/json.json").write_text(json.dumps(report))
    resealed(bundle, kassay_version="0.0.1")
    notes = verify(bundle, LIMIT, silent).notes
    assert "report/json.json lacks fields that this version writes: findings[].reasons" in notes


def test_existing_targets_and_foreign_archives_are_refused(directory: Path, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    for name, said in (("there", "is there already"), ("x.tar.gz", "not a kind of archive"), ("x.zip", "not a kind")):
        with pytest.raises(BadInput, match=said):
            pack(directory, tmp_path / name, silent)
    with pytest.raises(BadInput, match="not a run directory"):
        pack(tmp_path, tmp_path / "x.tar.zst", silent)
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def test_a_missing_artifact_is_said_while_packing(directory: Path, tmp_path: Path) -> None:
    shutil.copytree(directory, tmp_path / "d")
    next((tmp_path / "d" / "artifacts").rglob("*.zst")).unlink()
    for path in (tmp_path / "d" / "artifacts").rglob("*.zst"):
        path.unlink()
    with pytest.raises(BadInput, match="No such file"):
        pack(tmp_path / "d", tmp_path / "b", silent)
    assert not (tmp_path / "b").exists()


def test_what_was_timed_beside_is_packed_and_an_import_is(tmp_path: Path) -> None:
    both = measured(tmp_path / "d", plan_with(RELEASES), COSTS)
    measured(both / "beside", plan_with(RELEASES, rounds=9), {0: [5], 1: [6]})
    pack(both, tmp_path / "b", silent)
    assert {"run/beside/plan.json", "run/beside/pinned.toml", "run/beside/journal.jsonl"} <= names(tmp_path / "b")
    assert verify(tmp_path / "b", LIMIT, silent).findings == 1
    common = {"workload": "w", "metric": "ns", "unit": "ns", "definition": "x", "better": "lower", "primary": True}
    series = [SampleSeries(kernel=k, samples=tuple(Sample(value=v) for v in ones), **common)  # type: ignore[arg-type]
              for k, ones in (("6.12", (1.0, 1.1)), ("6.19", (2.0, 2.1)))]  # fmt: skip
    other = imported(tmp_path / "i", series=tuple(series))
    (other / "source").mkdir()
    (other / "source" / "my file.csv").write_text("kernel,metric,value\n")
    manifest = pack(other, tmp_path / "ib.tar.zst", silent).manifest
    assert manifest.kind == "import" and "run/source/my file.csv" in {file.path for file in manifest.files}
    assert verify(tmp_path / "ib.tar.zst", LIMIT, silent).manifest == manifest
    with pytest.raises(BadInput, match="measured elsewhere"):
        rerun(tmp_path / "ib.tar.zst", lambda _: tmp_path / "r", LIMIT, silent)


def test_a_form_that_this_host_cannot_make_is_a_note(packed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kcidb_io", None)  # an extra of kassay that not every host has
    assert "report/kcidb.kcidb.json: not rendered again: --format kcidb: kcidb-io is not installed" in "\n".join(
        verify(packed, LIMIT, silent).notes
    )


@pytest.mark.parametrize(("cost", "same"), [(60, True), (61, False)])
def test_a_repeated_experiment_is_held_against_the_packed_one(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cost: int, same: bool
) -> None:
    """The machine is replaced; what it is asked for, and what is made of the results, is the product's."""
    asked: list[Experiment] = []

    def measure(experiment: Experiment, place: Path, tell: Tell, programs: Programs | None, *, cluster: str) -> None:
        asked.append(experiment)
        assert programs is None  # this directory is of a version that did not keep them
        measured(place, plan_with(RELEASES), {0: [30] * 4, 1: [cost, 60, 61, 60]})

    monkeypatch.setattr(pipeline, "measure", measure)
    (again,) = rerun(packed, lambda _: tmp_path / "again", LIMIT, silent).results
    assert [use.ref for use in asked[0].kernels] == ["debian:6.12.1-1", "debian:6.17.2-1"]
    assert (again.exact, again.compared, again.same, again.unlike) == (True, 8, same, ())


def test_the_programs_that_were_measured_are_packed_and_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = {"init": b"what init was", "w": b"what the workload was"}
    hashes = tuple(Setting(name=name, value=hashlib.sha256(data).hexdigest()) for name, data in programs.items())
    plan = msgspec.structs.replace(plan_with(RELEASES), guest_sha256=hashes, guest_compiler="gcc 12")
    place = measured(tmp_path / "d", plan, COSTS)
    for data in programs.values():
        artifacts.put(place, data)
    pack(place, tmp_path / "b", silent)
    handed: list[Programs] = []

    def measure(experiment: Experiment, place: Path, tell: Tell, programs: Programs | None, *, cluster: str) -> None:
        handed.extend([programs] if programs else [])
        measured(place, plan, COSTS)

    monkeypatch.setattr(pipeline, "measure", measure)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (again,) = rerun(tmp_path / "b", lambda _: tmp_path / "again", LIMIT, silent).results
    assert again.same and again.unlike == ()
    assert (handed[0].compiler, handed[0].workloads) == ("gcc 12", plan.workloads)
    assert {name: path.read_bytes() for name, path in handed[0].files} == programs
    assert all(path.stat().st_mode & 0o111 for _, path in handed[0].files)


def test_times_of_other_programs_than_the_counts_are_told(tmp_path: Path) -> None:
    both = measured(tmp_path / "d", plan_with(RELEASES), COSTS)
    other = msgspec.structs.replace(
        plan_with(RELEASES, rounds=9), guest_sha256=(Setting(name="w", value="0" * 64),), guest_compiler="gcc 14"
    )
    measured(both / "beside", other, {0: [5], 1: [6]})
    told = [reason_text(one) for one in pipeline.answer(both).disclosures]
    assert (
        "The times were measured with other guest programs than the counts: by gcc 14, not by an unknown compiler."
        in told
    )


def test_the_rows_of_a_series_and_timing_files_are_there_for_the_new_runs(tmp_path: Path) -> None:
    packed, again = tmp_path / "packed", tmp_path / "again"
    (packed / "timings").mkdir(parents=True)
    (packed / "timings" / "mybox.toml").write_text("mine")
    (packed / "series.json").write_text("rows")
    experiment = replace(plan_with(RELEASES).experiment, question="series", predict=("mybox.toml", "zen3"))
    repeated = with_inputs(experiment, packed, again)
    assert repeated.predict == (str(again / "timings" / "mybox.toml"), "zen3")
    assert [(again / name).read_text() for name in ("timings/mybox.toml", "series.json")] == ["mine", "rows"]
    (again / "series.json").write_text("of the new runs")
    assert with_inputs(experiment, packed, again) == repeated
    assert (again / "series.json").read_text() == "of the new runs"
