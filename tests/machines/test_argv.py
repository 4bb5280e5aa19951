# SPDX-License-Identifier: GPL-2.0-only
"""QEMU is started with the guest and nothing else, the same each time, and confined."""

import re
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from kassay.model.experiment import BOOTS
from kassay.supply.arches import arch_of, arches
from kassay.supply.machines import Job, _argv, qemu_icount, qemu_kvm, qemu_tcg
from kassay.supply.machines._argv import DETERMINISTIC, SHORTENING

EMULATIONS = {"icount": qemu_icount.EMULATION, "tcg": qemu_tcg.EMULATION, "kvm": qemu_kvm.EMULATION}
EVERY = tuple(product(EMULATIONS, arches(), (1, 4)))
SHORTENED = tuple(boot for boot in BOOTS if boot != "stock")
# What would give the guest a network, a directory of the host, or give somebody else a say in it.
WAYS_OUT = (
    "net",
    "nic",
    "virtfs",
    "fsdev",
    "9p",
    "virtiofs",
    "smb",
    "vnc",
    "spice",
    "gdb",
    "qmp",
    "usb",
    "drive",
    "hda",
)

every = pytest.mark.parametrize(("clock", "arch", "cpus"), EVERY)


def job(directory: str = "/scratch/run-1", cpus: int = 1, memory_bytes: int = 1 << 30, seed: int = 7) -> Job:
    return Job(
        directory=directory, program=(), kernel="/store/vmlinux", initramfs=f"{directory}/initramfs",
        cmdline="console=ttyS0 a=b,c", cpus=cpus, memory_bytes=memory_bytes, seed=seed, timeout_s=9,
    )  # fmt: skip


def argv(job: Job, clock: str, arch: str) -> tuple[str, ...]:
    return _argv.argv(job, EMULATIONS[clock], arch_of(arch))


def kernel_cmdline(clock: str, arch: str, cpus: int, boot: str) -> str:
    return _argv.kernel_cmdline(EMULATIONS[clock], arch_of(arch), cpus, boot)


def values(words: tuple[str, ...], option: str) -> list[str]:
    return [value for name, value in pairwise(words) if name == option]


@every
def test_no_network_no_host_directory_and_no_monitor_is_asked_for(clock: str, arch: str, cpus: int) -> None:
    words = argv(job(cpus=cpus), clock, arch)
    options = [word for word in words[1:] if word.startswith("-")]
    assert not [word for word in options if any(way in word for way in WAYS_OUT)]
    assert {"-nodefaults", "-no-user-config", "-no-reboot"} <= set(options)
    assert values(words, "-monitor") == values(words, "-display") == ["none"]
    assert all(value.startswith("file,") for value in values(words, "-chardev"))


@every
def test_qemu_itself_may_start_nothing_and_gain_nothing(clock: str, arch: str, cpus: int) -> None:
    (sandbox,) = values(argv(job(cpus=cpus), clock, arch), "-sandbox")
    assert sandbox.split(",")[0] == "on"
    assert {"spawn=deny", "elevateprivileges=deny", "obsolete=deny", "resourcecontrol=deny"} <= set(sandbox.split(","))


@every
def test_the_machine_type_has_a_version(clock: str, arch: str, cpus: int) -> None:
    (machine,) = values(argv(job(cpus=cpus), clock, arch), "-M")
    assert re.search(r"-\d+\.\d+$", machine)


@every
def test_processors_and_accelerator_are_the_ones_asked_for(clock: str, arch: str, cpus: int) -> None:
    words = argv(job(cpus=cpus), clock, arch)
    assert values(words, "-smp") == [str(cpus)]
    assert values(words, "-accel")[0].split(",")[0] == ("kvm" if clock == "kvm" else "tcg")
    assert len(values(words, "-accel")) == 1  # a second one would be a silent fallback
    assert bool(values(words, "-icount")) == (clock == "icount")


@pytest.mark.parametrize("arch", arches())
def test_under_icount_the_seed_and_the_clock_are_fixed(arch: str) -> None:
    words = argv(job(seed=42), "icount", arch)
    assert values(words, "-seed") == ["42"]
    (rtc,) = values(words, "-rtc")
    assert re.fullmatch(r"base=\d{4}-\d\d-\d\d,clock=vm", rtc)
    (icount,) = values(words, "-icount")
    assert set(icount.split(",")) == {"shift=0", "sleep=off"}
    accelerator = values(words, "-accel")[0].split(",")
    assert "thread=single" in accelerator
    assert "tb-size=1024" in accelerator  # by default an eighth of the host's memory
    identity = _argv.machine_options(EMULATIONS["icount"], arch_of(arch), 1, snapshot=False)
    assert "tcg,thread=single" in identity  # as in the plans of earlier versions, which are resumed


@every
def test_the_stream_comes_second_and_both_ports_are_files_of_the_job(clock: str, arch: str, cpus: int) -> None:
    words = argv(job("/scratch/run-1", cpus=cpus), clock, arch)
    ports = [*values(words, "-serial"), *(v for v in values(words, "-device") if "chardev=" in v)]
    assert ports == ["chardev:console", "chardev:stream" if arch == "x86_64" else "pci-serial,chardev=stream"]
    assert {v.rpartition("path=")[2] for v in values(words, "-chardev")} == {
        "/scratch/run-1/console",
        "/scratch/run-1/stream",
    }


@given(kib=st.integers(128 << 10, 1 << 32))
def test_memory_is_exact_to_the_kibibyte(kib: int) -> None:
    (memory,) = values(argv(job(memory_bytes=kib << 10), "icount", "x86_64"), "-m")
    assert memory == f"size={kib}k"


@given(name=st.text("ab,=/ ü", min_size=1, max_size=20))
def test_a_comma_in_a_path_stays_in_the_path(name: str) -> None:
    words = argv(job(f"/scratch/{name}"), "icount", "x86_64")
    paths = []
    for value in values(words, "-chardev"):
        parts = value.replace(",,", "\0").split(",")  # as QEMU reads it: a doubled comma is a comma
        assert [part.partition("=")[0] for part in parts] == ["file", "id", "path"]
        paths.append(parts[2].removeprefix("path=").replace("\0", ","))
    assert paths == [f"/scratch/{name}/console", f"/scratch/{name}/stream"]


@every
def test_kernel_initramfs_and_parameters_are_handed_over_word_for_word(clock: str, arch: str, cpus: int) -> None:
    made = job("/scratch/a,b", cpus=cpus)
    words = argv(made, clock, arch)
    assert values(words, "-append") == [made.cmdline]
    assert values(words, "-kernel") == [made.kernel]
    assert values(words, "-initrd") == [made.initramfs]


@every
def test_but_for_the_paths_nothing_depends_on_this_host_or_day(
    clock: str, arch: str, cpus: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = argv(job("/scratch/run-1", cpus=cpus), clock, arch)
    monkeypatch.setenv("HOME", "/elsewhere")
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    monkeypatch.setattr("platform.release", lambda: "0.0.0-other")
    monkeypatch.setattr("time.time", lambda: 0.0)
    there = argv(job("/other/run-2", cpus=cpus), clock, arch)
    assert tuple(word.replace("/other/run-2", "/scratch/run-1") for word in there) == here
    dates = [word for word in here if re.search(r"20\d\d-\d\d", word)]
    assert dates == values(here, "-rtc")  # the guest's own fixed date is the only one


@pytest.mark.parametrize(("clock", "arch", "cpus", "boot"), [(*point, b) for point in EVERY for b in SHORTENED])
def test_the_local_timer_goes_only_with_one_cpu_under_icount(clock: str, arch: str, cpus: int, boot: str) -> None:
    words = kernel_cmdline(clock, arch, cpus, boot).split()
    assert ("nolapic_timer" in words) == ((clock, arch, cpus) == ("icount", "x86_64", 1))
    assert set(SHORTENING) <= set(words)
    left_out = next(word for word in words if word.startswith("initcall_blacklist="))
    assert ("hpet_late_init" in left_out) == (arch == "x86_64")
    assert len(words) == len(set(words))


@pytest.mark.parametrize(("clock", "arch", "cpus", "boot"), [(*point, b) for point in EVERY for b in BOOTS])
def test_a_busy_host_does_not_make_an_emulated_kernel_panic_over_its_timer(
    clock: str, arch: str, cpus: int, boot: str
) -> None:
    words = kernel_cmdline(clock, arch, cpus, boot).split()
    assert ("no_timer_check" in words) == (arch == "x86_64" and (clock == "tcg" or boot != "stock"))


@pytest.mark.parametrize(("clock", "arch", "cpus", "boot"), [(*point, b) for point in EVERY for b in BOOTS])
def test_one_cpu_keeps_the_lock_prefixes_that_several_need(clock: str, arch: str, cpus: int, boot: str) -> None:
    assert ("noreplace-smp" in kernel_cmdline(clock, arch, cpus, boot).split()) == (arch == "x86_64")


@every
def test_a_stock_boot_has_no_shortening_parameter_at_all(clock: str, arch: str, cpus: int) -> None:
    words = set(kernel_cmdline(clock, arch, cpus, "stock").split())
    assert not words & {*SHORTENING, "nolapic_timer"}
    assert clock == "tcg" or "no_timer_check" not in words
    assert not [word for word in words if "blacklist" in word or "notests" in word]


@pytest.mark.parametrize(("clock", "arch", "cpus", "boot"), [(*point, b) for point in EVERY for b in BOOTS])
def test_every_boot_is_without_randomisation_and_ends_on_a_panic(clock: str, arch: str, cpus: int, boot: str) -> None:
    words = kernel_cmdline(clock, arch, cpus, boot).split()
    assert {*DETERMINISTIC, "panic=-1"} <= set(words)
    assert len(words) == len(set(words))
    assert [word for word in words if word.startswith("console=")] == [
        {"x86_64": "console=ttyS0", "arm64": "console=ttyAMA0"}[arch]
    ]


def test_nodes_share_out_memory_and_cpus_and_the_last_has_what_is_left() -> None:
    words = _argv.node_options(4, (1 << 30) - 8192, 2)
    assert words == (
        "-object", "memory-backend-ram,id=node0,size=524288k", "-numa", "node,nodeid=0,memdev=node0,cpus=0,cpus=1",
        "-object", "memory-backend-ram,id=node1,size=524280k", "-numa", "node,nodeid=1,memdev=node1,cpus=2,cpus=3",
        "-numa", "dist,src=0,dst=1,val=20",
    )  # fmt: skip
    assert _argv.node_options(4, 1 << 30, 1) == ()
    alone = _argv.node_options(1, 1 << 30, 2)  # a node of memory alone
    assert "node,nodeid=0,memdev=node0,cpus=0" in alone and "node,nodeid=1,memdev=node1" in alone


def test_nothing_is_reserved_for_a_large_machine() -> None:
    backend, machine = ("-object", "memory-backend-ram,id=memory,size=33554432k,reserve=off"), ("-machine",)
    assert _argv.node_options(16, 32 << 30, 1) == (*backend, *machine, "memory-backend=memory")


@given(cpus=st.integers(1, 16), nodes=st.integers(2, 8), extra=st.integers(0, 1 << 20))
def test_every_cpu_and_every_page_is_on_one_node(cpus: int, nodes: int, extra: int) -> None:
    memory = (nodes << 28) - 4096 * (extra % 1024)
    words = " ".join(_argv.node_options(cpus, memory, nodes))
    assert sum(int(size) for size in re.findall(r"size=(\d+)k", words)) == memory >> 10
    assert sorted(map(int, re.findall(r"cpus=(\d+)", words))) == list(range(cpus))


@every
def test_only_a_recorded_run_shares_memory_with_the_host(clock: str, arch: str, cpus: int) -> None:
    plain = job(directory="/a,b", cpus=cpus)
    without = _argv.argv(plain, EMULATIONS[clock], arch_of(arch))
    assert not [word for word in without if "share" in word]
    sharing = _argv.argv(structs.replace(plain, shared_bytes=1 << 20), EMULATIONS[clock], arch_of(arch))
    at = sharing.index("-object")
    assert sharing[at : at + 4] == (
        "-object", "memory-backend-file,id=shared,share=on,size=1048576,mem-path=/a,,b/shared",
        "-device", "ivshmem-plain,memdev=shared",
    )  # fmt: skip
    assert sharing[:at] + sharing[at + 4 :] == without
