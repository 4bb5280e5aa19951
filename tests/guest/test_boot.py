# SPDX-License-Identifier: GPL-2.0-only
"""The guest on a real kernel, where one tick is one instruction.

A machine that was booted once is restored for each test that is not about the boot.
"""

import shutil
from collections import Counter
from pathlib import Path

import pytest

from kassay.effects.files import sha256_bytes
from kassay.model.guest import GuestReport
from kassay.model.kernel import KernelArtifact, parse_ref
from kassay.model.progress import silent
from kassay.supply import kernels
from kassay.supply.guest import audit, compile, initramfs, protocol, sources
from kassay.supply.machines import Job, machine_for

pytestmark = [pytest.mark.boot, pytest.mark.network]


@pytest.fixture(scope="session")
def kernel() -> KernelArtifact:
    return kernels.fetch([parse_ref("debian:6.12")], "cloud", silent)[0]


def run(kernel: KernelArtifact, place: Path, workload: str, *arguments: str, program: str = "",
        modules: tuple[tuple[str, bytes], ...] = (), compiler: str = "gcc", conf: str = "", boots: bool = False,
) -> bytes:  # fmt: skip
    """Makes one run under icount and returns the stream. program: what stands at the workload's place instead.

    compiler: of init and workload. conf: lines before those of the job. boots: the machine boots for this run alone."""
    machine = machine_for("icount")
    job = conf.encode() + initramfs.job(("--run", *arguments, "--rounds", "8", "--clock", "tsc"), 0)
    made = Path(program) if program else compile.build(workload, "x86_64", compiler=compiler)
    place.mkdir()
    image = initramfs.build(
        init=compile.build("init", "x86_64", compiler=compiler),
        workload=made if boots else None, job=job if boots else None, modules=modules,
    )  # fmt: skip
    (place / "initramfs").write_bytes(image)
    (place / "job").write_bytes(job)
    asked = Job(
        directory=str(place), program=(str(made),), kernel=kernel.vmlinux or kernel.image,
        initramfs=str(place / "initramfs"), cmdline=machine.cmdline("x86_64", 1, "short"), cpus=1,
        memory_bytes=1 << 30, seed=1, timeout_s=100,
        snapshot=None if boots else f"{kernel.identity.image_sha256} {sha256_bytes(image)}",
    )  # fmt: skip
    return machine.run(asked, "x86_64").stream


def usual(report: GuestReport, phase: str) -> int:
    """The most frequent ticks of a phase: rounds without a timer interrupt."""
    ticks = next(found.ticks for found in report.phases if found.phase == phase)
    return Counter(ticks).most_common(1)[0][0]


def met(report: GuestReport) -> bool:
    fields = {moment: audit.fields(report, moment) for moment in ("before", "after")}
    return all(audit.holds(r, fields[r.moment]) is True for r in report.requirements)


def test_two_boots_give_the_same_stream_to_the_byte(kernel: KernelArtifact, tmp_path: Path) -> None:
    streams = [run(kernel, tmp_path / str(i), "mprotect_toggle", "size=8MiB", boots=True) for i in range(2)]
    assert streams[0] == streams[1]
    report = protocol.parse(streams[0])
    assert audit.fields(report, "boot")["boot.quiescence"] == "quiet"
    (waited,) = (one.content or "" for one in report.files if one.path == "kassay/quiescence")
    assert "\nclock calibrated\nstate quiet\n" in waited  # later it takes a part of the region, and ticks are missing
    foreign = audit.foreign(report)
    assert foreign is not None
    assert sum(ns for _, ns in foreign) < sum(report.phases[-1].ticks) / 100


def test_the_counted_loop_costs_three_instructions_an_iteration_and_a_constant(
    kernel: KernelArtifact, tmp_path: Path
) -> None:
    counts = (10_000, 20_000, 40_000)
    streams = [run(kernel, tmp_path / str(n), "calibrate", f"iterations={n}", "syscalls=10") for n in counts]
    extra = {usual(protocol.parse(stream), "loop") - 3 * n for n, stream in zip(counts, streams, strict=True)}
    assert len(extra) == 1
    assert 0 < extra.pop() < 60


@pytest.mark.skipif(shutil.which("clang") is None, reason="no clang on this host")
@pytest.mark.parametrize("words", ["mprotect_toggle size=2MiB", "mprotect_toggle size=2MiB touch=read", "calibrate"])
def test_programs_by_gcc_and_by_clang_give_the_same_digits(kernel: KernelArtifact, tmp_path: Path, words: str) -> None:
    workload, *arguments = words.split()
    reports = [
        protocol.parse(run(kernel, tmp_path / compiler, workload, *arguments, compiler=compiler))
        for compiler in ("gcc", "clang")
    ]
    digits = [{phase.phase: usual(report, phase.phase) for phase in report.phases} for report in reports]
    assert digits[0] == digits[1]
    assert reports[0].overhead_ticks == reports[1].overhead_ticks


def test_init_reads_numbers_as_strictly_as_the_runner(kernel: KernelArtifact, tmp_path: Path) -> None:
    stream = run(kernel, tmp_path / "run", "calibrate", conf="quiet_windows=3x\n", boots=True)
    with pytest.raises(protocol.StreamError) as caught:
        protocol.parse(stream)
    assert caught.value.detail == "init: /kassay.conf: quiet_windows=3x is not a whole number"


@pytest.mark.parametrize(
    "words",
    [
        "mincore_scan size=1MiB",
        "mprotect_toggle size=2MiB share=private touch=read",
        "mprotect_toggle size=4MiB pages=thp",
        "mprotect_toggle size=4MiB pages=thp share=private",
        "mprotect_toggle size=1MiB mode=single",
        "madvise_pageout size=4MiB pages=thp",
        "page_fault size=1MiB kind=private_file tasks=3 mode=thread",
    ],
)
def test_a_workload_finds_the_state_it_requires(kernel: KernelArtifact, tmp_path: Path, words: str) -> None:
    workload, *arguments = words.split()
    report = protocol.parse(run(kernel, tmp_path / "run", workload, *arguments))
    assert protocol.outcome(report) == ("ok", "")
    assert report.requirements
    assert met(report)


def test_pages_go_to_zram_and_come_back(kernel: KernelArtifact, tmp_path: Path) -> None:
    modules = kernels.load_modules(kernel, ("zram",), silent)
    arguments = ("size=2MiB", "swap=zram", "pages=base")
    report = protocol.parse(run(kernel, tmp_path / "run", "madvise_pageout", *arguments, modules=modules))
    assert protocol.outcome(report) == ("ok", "")
    assert met(report)
    assert audit.delta(report, "pswp") == {"pswpin": str(8 * 512), "pswpout": str(8 * 512)}


def test_a_workload_that_dies_or_does_not_exist_is_an_error_of_the_guest(
    kernel: KernelArtifact, tmp_path: Path
) -> None:
    text = tmp_path / "text"
    text.write_text("not a program\n")
    with pytest.raises(protocol.StreamError, match="guest-error: init: /workload ended with status 127"):
        protocol.parse(run(kernel, tmp_path / "a", "calibrate", program=str(text)))
    with pytest.raises(protocol.StreamError, match="guest-error: unknown parameter iteration=5"):
        protocol.parse(run(kernel, tmp_path / "b", "calibrate", "iteration=5"))
    with pytest.raises(protocol.StreamError, match=r"guest-error: init: loading /modules/00-zram.ko"):
        protocol.parse(run(kernel, tmp_path / "c", "calibrate", modules=(("zram", b"not a module"),), boots=True))


def test_every_workload_is_here() -> None:
    assert set(sources.workload_names()) >= {
        "calibrate", "madvise_pageout", "mincore_scan", "mprotect_toggle", "page_fault",
    }  # fmt: skip
