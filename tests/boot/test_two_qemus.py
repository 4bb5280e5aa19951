# SPDX-License-Identifier: GPL-2.0-only
"""A QEMU with the newer plugin interface counts what the host's own one counts."""

import os
import platform
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import mode

import pytest
from msgspec import UNSET

from kassay import answers, pipeline
from kassay.effects.files import cache_directory
from kassay.evidence.collect import collect
from kassay.journal import artifacts
from kassay.journal.directory import open_directory
from kassay.journal.journal import read_journal
from kassay.model.profile import FunctionCost
from kassay.model.progress import silent
from kassay.supply.archive import apt as _apt
from kassay.supply.archive.mirrors import host_mirrors
from kassay.supply.machines._plugin import interfaces
from kassay.supply.machines._qemu import version
from tests.predict.trace_stream import instructions

from .conftest import NEW, OLD, measured, restored

pytestmark = [pytest.mark.boot, pytest.mark.network]
PACKAGES = ("qemu-system-x86", "qemu-system-common", "qemu-system-data")


def stanzas(root: _apt.AptRoot, path: str, into: Path) -> list[dict[str, str]]:
    _apt.unpacked(root, path, into)
    text = into.read_text()
    found = [dict(re.findall(r"^([\w-]+): (.*)$", stanza, re.M)) for stanza in text.split("\n\n")]
    return [stanza for stanza in found if stanza.get("Package") in PACKAGES]


@pytest.fixture(scope="module")
def newer_qemu(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with qemu-system-x86_64 of the backports to this release, unpacked and not installed."""
    place = tmp_path_factory.mktemp("qemu")
    release = platform.freedesktop_os_release().get("VERSION_CODENAME", "")
    mirrors = host_mirrors()
    root = _apt.root_for(mirrors, "x86_64")
    _apt.prepare(root, mirrors)
    _apt.learn_codenames(root, mirrors, silent)
    _apt.prepare(root, mirrors)
    _apt.update(root, mirrors, silent)
    found = [
        (package_list.uri, stanza)
        for package_list in _apt.package_lists(root, mirrors) if package_list.suite == f"{release}-backports"
        for stanza in stanzas(root, package_list.path, place / "list")
    ]  # fmt: skip
    if {stanza["Package"] for _, stanza in found} != set(PACKAGES):
        pytest.skip(f"the archive has no newer QEMU for {release or 'this host'}")
    kept = cache_directory() / "test-qemu"
    kept.mkdir(parents=True, exist_ok=True)
    for uri, stanza in found:
        deb = kept / Path(stanza["Filename"]).name
        if not deb.exists():
            assert _apt.download(root, f"{uri.rstrip('/')}/{stanza['Filename']}", stanza["SHA256"], deb, silent) is None
        subprocess.run(("dpkg-deb", "-x", str(deb), str(place / "root")), check=True)
    wrapper = place / "bin" / "qemu-system-x86_64"
    wrapper.parent.mkdir()
    share = place / "root" / "usr" / "share"
    wrapper.write_text(
        f'#!/bin/sh\nexec "{place}/root/usr/bin/qemu-system-x86_64" -L "{share}/qemu" -L /usr/share/seabios "$@"\n'
    )
    wrapper.chmod(0o755)
    return wrapper.parent


def tables(directory: Path) -> dict[tuple[str, str], tuple[FunctionCost, ...]]:
    """Costs of all functions, of each metric and kernel."""
    return {
        (metric, one.profile.kernel): tuple(sorted(one.profile.functions, key=repr))
        for metric in sorted({finding.metric for finding in answers.findings(directory)})
        for one in answers.profiles(directory, None, metric)
    }


def traced(directory: Path) -> list[list[int]]:
    """Instructions of the intervals of most recorded rounds, of each kernel."""
    folder = open_directory(directory)
    records = {record.run: record for record in read_journal(folder.journal, folder.plan_id)}
    cells = [cell.id for cell in folder.plan.cells]
    runs = sorted(folder.plan.runs, key=lambda run: cells.index(run.cell))
    names = (records[run.id].trace for run in runs)
    found = (instructions(artifacts.get(directory, name)) for name in names if name is not None)
    return [[mode(n for (_, at), n in one.items() if at == interval) for interval in range(4)] for one in found]


@contextmanager
def newer(directory: Path) -> Iterator[None]:
    """In it kassay finds the newer QEMU."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{directory}{os.pathsep}{os.environ['PATH']}")
        version.forget()
        try:
            yield
        finally:
            version.forget()


def check_newer(directory: Path) -> None:
    used = pipeline.answer(directory).machine.program.removeprefix("QEMU ")
    assert used != version("x86_64")
    assert interfaces(used)[0] == 3, used


@pytest.mark.parametrize(("boot", "kernels", "predict"), [("short", [OLD], None), ("snapshot", [OLD, NEW], ["zen4"])])
def test_two_versions_of_qemu_give_the_same_function_table(
    newer_qemu: Path, tmp_path: Path, boot: str, kernels: list[str], predict: list[str] | None
) -> None:
    text = restored("mprotect_toggle", *kernels, settings={"size": "256KiB"}, boot=boot, predict=predict, rounds=8)
    measured(text, tmp_path / "old")
    with newer(newer_qemu):
        measured(text, tmp_path / "new")
    check_newer(tmp_path / "new")
    assert len(tables(tmp_path / "new")) == 4 * len(kernels)
    assert tables(tmp_path / "new") == tables(tmp_path / "old")
    assert traced(tmp_path / "new") == traced(tmp_path / "old")
    assert len(traced(tmp_path / "new")) == (len(kernels) if predict else 0)


def test_a_newer_qemu_tells_two_cpus_apart(newer_qemu: Path, tmp_path: Path) -> None:
    """QEMU 10 gives callbacks the number of the CPU for which a block was translated, not of the one that runs."""
    settings = {"size": "1MiB", "tasks": 2}
    text = restored("page_fault", OLD, settings=settings, cpus=[2], boot="short", rounds=8, repeats=2)
    with newer(newer_qemu):
        measured(text, tmp_path / "new")
    check_newer(tmp_path / "new")
    folder = open_directory(tmp_path / "new")
    records = folder.records()
    assert {record.host_dependence for record in records} == {UNSET}
    (item,) = collect(folder, records)
    regions = [one.region for one in item.measurements]
    assert [(region.mode, region.problem) for region in regions if region] == [("stacks", ""), ("counts", "")]
    first, second = item.measurements
    assert first.phases == second.phases
