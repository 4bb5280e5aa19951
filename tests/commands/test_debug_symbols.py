# SPDX-License-Identifier: GPL-2.0-only
"""--debug-symbols: runs of archive kernels get their source lines afterwards, from the vmlinux of a debug package."""

import subprocess
from pathlib import Path

import capstone
import msgspec
import pytest

from kassay.commands._debug_symbols import add_lines, check_debug_symbols
from kassay.errors import BadInput
from kassay.evidence.profile.line_table import named_frames
from kassay.evidence.profiles import lines_of_run
from kassay.journal import artifacts
from kassay.journal.directory import RunDirectory, open_directory, started
from kassay.journal.journal import append, open_journal
from kassay.journal.later_lines import FILE
from kassay.model.progress import silent
from kassay.model.run import RunRecord, WallTime
from kassay.supply import kernels
from tests.analysis.plans import plan_of
from tests.profile.files import KERNEL, File
from tests.profile.test_lines import instructions_of

SOURCE = """\
static inline __attribute__((always_inline)) long inner(long a)
{
\treturn a * 3 + 7;
}
long outer(long a)
{
\treturn inner(a) ^ 5;
}
"""


def linked(place: Path, source: str = SOURCE) -> Path:
    """A vmlinux of one function, compiled in a directory inside the sources as Debian does."""
    objects = place / "debian" / "build" / "build_amd64_none_cloud-amd64"
    objects.mkdir(parents=True)
    (place / "mm").mkdir()
    (place / "mm" / "a.c").write_text(source)
    subprocess.run(("gcc", "-g", "-O2", "-mcmodel=kernel", "-fno-pic", "-c", "-o", "a.o", "../../../mm/a.c"),
                   check=True, cwd=objects)  # fmt: skip
    subprocess.run(("ld", f"-Ttext={KERNEL:#x}", "-e", "outer", "-o", str(place / "vmlinux"), "a.o"), check=True,
                   cwd=objects)  # fmt: skip
    return place / "vmlinux"


def profile_of(vmlinux: Path) -> bytes:
    """The profile of a run that executed the function once."""
    addresses = sorted(instructions_of(vmlinux, "outer"))
    text = vmlinux.with_name("text")
    subprocess.run(("objcopy", "-O", "binary", "-j", ".text", str(vmlinux), str(text)), check=True)
    code = text.read_bytes()[addresses[0] - KERNEL :][: len(addresses)]
    decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    file = File()
    file.count(file.block(addresses[0], *(bytes(one.bytes) for one in decoder.disasm(code, addresses[0]))), 1)
    return file.bytes()


@pytest.fixture
def vmlinux(tmp_path: Path) -> Path:
    return linked(tmp_path / "linux")


@pytest.fixture
def runs(tmp_path: Path, vmlinux: Path) -> RunDirectory:
    """A finished directory whose every run executed the function."""
    folder = started(tmp_path / "runs", plan_of(2, perturb=1))
    open_journal(folder.journal, folder.plan_id)
    profile = artifacts.put(folder.path, profile_of(vmlinux))
    for run in folder.plan.runs:
        record = RunRecord(run=run.id, attempt=1, outcome="ok", detail="", stream_sha256=None, console_sha256=None,
                           wall=WallTime(), argv=(), started_utc="", profile_sha256=profile)  # fmt: skip
        append(folder.journal, record)
    return folder


def test_plain_runs_get_the_lines_of_what_they_executed(
    runs: RunDirectory, vmlinux: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def found(identity: object, _tell: object) -> Path:
        asked.append(identity)
        return vmlinux

    monkeypatch.setattr(kernels, "debug_symbols", found)
    before = runs.journal.read_bytes()
    for _ in range(2):  # the second time nothing is lacking
        add_lines(runs.path, silent)
    assert asked == list(runs.plan.kernels)
    assert runs.journal.read_bytes() == before
    plain = {run.id for run in runs.plan.runs if not run.perturbation.number}
    for record in open_directory(runs.path).records():
        assert bool(record.lines_sha256) == (record.run in plain)
        if record.run in plain:
            table = lines_of_run(runs.path, record)
            assert table is not None
            assert {(f.function, f.file) for f in named_frames(table).values()} >= {("inner", "mm/a.c")}


def test_a_package_of_another_build_gives_no_lines(
    runs: RunDirectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = linked(tmp_path / "other", SOURCE.replace("a * 3 + 7", "a * a * a / 11").replace("^ 5", "% 1000003"))
    monkeypatch.setattr(kernels, "debug_symbols", lambda *_: other)
    with pytest.raises(BadInput, match="another build than was executed"):
        add_lines(runs.path, silent)
    assert not any(record.lines_sha256 for record in open_directory(runs.path).records())


def test_lines_of_another_profile_are_not_used_and_a_damaged_file_is_refused(
    runs: RunDirectory, vmlinux: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "debug_symbols", lambda *_: vmlinux)
    add_lines(runs.path, silent)
    kept = (runs.path / FILE).read_text()
    profile = next(iter(runs.records())).profile_sha256
    (runs.path / FILE).write_text(kept.replace(str(profile), "0" * 64))
    assert not any(record.lines_sha256 for record in runs.records())
    (runs.path / FILE).write_text(kept[:-9])
    with pytest.raises(BadInput, match=r"lines\.json"):
        runs.records()


def test_what_cannot_have_lines_is_refused_before_anything_is_measured() -> None:
    experiment = plan_of(2).experiment
    check_debug_symbols(experiment)
    given = msgspec.structs.replace(experiment.kernels[0], ref="image:bzImage")
    with pytest.raises(BadInput, match="'image:bzImage' is not of the archive"):
        check_debug_symbols(msgspec.structs.replace(experiment, kernels=(given, experiment.kernels[1])))
    for changes in ({"profile": "none"}, {"clock": "kvm"}):
        with pytest.raises(BadInput, match="this measurement counts none"):
            check_debug_symbols(msgspec.structs.replace(experiment, **changes))
