# SPDX-License-Identifier: GPL-2.0-only
"""Captured files become named state; what is absent stays absent."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.guest import CapturedFile, GuestReport, Requirement
from kassay.supply.guest import audit, protocol
from tests.guest.frames import DATA, RECORDS, section


def real(name: str) -> GuestReport:
    return protocol.parse((DATA / f"{name}.stream").read_bytes())


def report(*files: tuple[str, str, str | None]) -> GuestReport:
    """A report with these captured files (moment, path, content) and nothing else of interest."""
    empty = protocol.parse(section("workload", *(r for r in RECORDS if r[0] not in ("file", "absent"))))
    captured = tuple(CapturedFile(moment=m, path=p, content=c, absent="" if c else "EPERM") for m, p, c in files)
    return msgspec.structs.replace(empty, files=captured)


def test_the_range_of_a_real_run_is_found_among_its_mappings() -> None:
    fields = audit.fields(real("mprotect_toggle-6.12"), "before")
    wanted = {
        "range.vmas": "1", "range.Size": "1024", "range.Rss": "1024", "range.AnonHugePages": "0",
        "range.KernelPageSize": "4", "range.MMUPageSize": "4", "range.Private_Dirty": "1024", "range.Shared_Dirty": "0",
        "pagemap.present": "256", "pagemap.file_shared": "256", "pageflags.thp": "0", "pageflags.dirty": "256",
        "thp.enabled": "always", "swap.devices": "0", "cpus.online": "0",
    }  # fmt: skip
    assert {name: fields.get(name) for name in wanted} == wanted
    assert int(fields["memory.MemTotal"] or 0) > 100_000


def test_swap_and_huge_pages_of_a_real_run_are_seen() -> None:
    run = real("madvise_pageout-7.3")
    before, after = audit.fields(run, "before"), audit.fields(run, "after")
    assert (before["swap.devices"], before["range.AnonHugePages"], after["range.AnonHugePages"]) == ("1", "4096", "0")
    assert int(before["zram.disksize"] or 0) == (64 << 20) + (4 << 20)
    assert audit.delta(run, "pswpout") == {"pswpout": str(10 * 1024)}


@pytest.mark.parametrize("name", ["mprotect_toggle-6.12", "madvise_pageout-7.3"])
def test_every_requirement_of_a_real_run_holds(name: str) -> None:
    run = real(name)
    fields = {moment: audit.fields(run, moment) for moment in ("before", "after")}
    assert run.requirements
    assert all(audit.holds(r, fields[r.moment]) is True for r in run.requirements)


def test_the_boot_tells_how_quiet_it_became() -> None:
    assert audit.fields(real("mprotect_toggle-6.12"), "boot")["boot.quiescence"] == "quiet"
    busy = report(("boot", "kassay/quiescence", "window 9\nstate busy\nbusy kworker/0:1 900\nbusy b 1\n"))
    assert audit.fields(busy, "boot") == {"boot.quiescence": "busy kworker/0:1"}
    again = report(
        ("boot", "kassay/quiescence", "state quiet\n"), ("boot", "kassay/quiescence", "state busy\nbusy b 1\n")
    )
    assert audit.fields(again, "boot") == {"boot.quiescence": "busy b"}  # after --swap the guest comes to rest again


def test_page_lists_are_told_by_zone_and_cpu() -> None:
    found = audit.delta(real("madvise_pageout-7.3"), "pcp.")
    assert {name.rpartition(".")[2] for name in found} >= {"count", "high", "batch"}
    assert any(name.startswith("pcp.0.DMA32.0.") for name in found)


def test_values_are_summed_over_mappings_and_page_sizes_are_not() -> None:
    smaps = "".join(
        f"{start:x}-{start + 0x1000:x} rw-p 00000000 00:00 0 \nRss:  4 kB\nKernelPageSize:  {size} kB\nVmFlags: rd\n"
        for start, size in ((0x1000, 4), (0x2000, 2048), (0x9000, 4))
    )
    span = "start 0x1000 length 8192\n"
    fields = audit.fields(report(("after", "/proc/self/smaps", smaps), ("after", "kassay/range", span)), "after")
    assert fields == {"range.vmas": "2", "range.Rss": "8", "range.KernelPageSize": "4 2048"}


def test_an_absent_file_gives_none_and_never_zero() -> None:
    fields = audit.fields(report(("before", "/proc/swaps", None), ("before", "kassay/pageflags", None)), "before")
    assert fields == {"swap.devices": None}
    requirement = Requirement(moment="before", field="swap.devices", operator="==", value="0")
    assert audit.holds(requirement, fields) is None
    assert audit.fields(report(), "before") == {}


@pytest.mark.parametrize(
    ("found", "operator", "value", "holds"),
    [
        ("10", "==", "10", True), ("9", ">=", "10", False), ("10", "<=", "9", False), ("10", "!=", "9", True),
        ("always", "==", "always", True), ("never", "!=", "never", False), ("never", "<=", "always", None),
        ("4 2048", "==", "4", False),
    ],
)  # fmt: skip
def test_numbers_compare_as_numbers_and_words_as_words(
    found: str, operator: str, value: str, holds: bool | None
) -> None:
    requirement = Requirement(moment="after", field="x", operator=operator, value=value)
    assert audit.holds(requirement, {"x": found}) is holds


def test_run_time_of_other_tasks_is_told_by_name_largest_first() -> None:
    before = "1 init\t100 0 1\n7 kworker/0:0\t50 0 1\n8 kworker/0:0\t0 0 0\n9 work\t10 0 1\n"
    after = "1 init\t100 0 1\n7 kworker/0:0\t80 0 3\n8 kworker/0:0\t5 0 0\n9 work\t999 0 9\n12 new) one\t40 0 1\n"
    run = report(
        ("before", "kassay/tasks", before), ("after", "kassay/tasks", after), ("after", "kassay/own", "pid 9\n")
    )
    assert audit.foreign(run) == (("new) one", 40), ("kworker/0:0", 35))
    assert audit.turns(run) == 1 + 2


@pytest.mark.parametrize(("text", "count"), [("0\n", 1), ("0-3\n", 4), ("0-1,4,6-7\n", 5), (None, 1)])
def test_cpus_are_counted(text: str | None, count: int) -> None:
    assert audit.online(report(("before", "/sys/devices/system/cpu/online", text))) == count


@pytest.mark.parametrize("tasks", [None, "1 init\t0 0 0\n", "1 init\t\n"])
def test_a_kernel_that_keeps_no_run_times_gives_none(tasks: str | None) -> None:
    assert audit.foreign(report(("before", "kassay/tasks", tasks), ("after", "kassay/tasks", tasks))) is None


def test_a_counter_that_only_one_moment_has_is_none() -> None:
    run = report(("before", "/proc/vmstat", "a 1\nb 2\n"), ("after", "/proc/vmstat", "a 5\nc 1\n"))
    assert audit.delta(run, "") == {"a": "4", "b": None, "c": None}


def test_levels_are_those_after_the_region_of_counters_lists_and_memory() -> None:
    run = report(
        ("before", "/proc/vmstat", "nr_free_pages 9\n"), ("after", "/proc/vmstat", "nr_free_pages 7\npgfault 3\n"),
        ("before", "/proc/meminfo", "MemFree: 36 kB\n"), ("after", "/proc/meminfo", "Active(anon):  28 kB\n"),
    )  # fmt: skip
    assert audit.levels(run) == {"nr_free_pages": "7", "pgfault": "3", "memory.Active(anon)": "28"}
    found = audit.levels(real("madvise_pageout-7.3"))
    assert int(found["pcp.0.DMA32.0.high"] or 0) > 0 and int(found["memory.MemTotal"] or 0) > 0


PATHS = ("/proc/self/smaps", "kassay/range", "/proc/swaps", "/proc/zoneinfo", "/proc/vmstat", "kassay/tasks",
         "kassay/own", "kassay/quiescence", "/proc/meminfo", "/sys/kernel/mm/transparent_hugepage/enabled")  # fmt: skip
LINES = st.sampled_from(
    ("1000-2000 rw-p 00000000 00:00 0", "Rss: 4 kB", "start 0x1000 length 4096", "Node 0, zone DMA", "  cpu: 0",
     "   count: 3", "a 1", "1 x\t2 3 4", "pid 1", "state busy", "busy x", "[never]")
) | st.text(max_size=20)  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from(("before", "after", "boot")), st.sampled_from(PATHS), st.lists(LINES))))
def test_no_text_breaks_the_parsers(files: list[tuple[str, str, list[str]]]) -> None:
    run = report(*((moment, path, "\n".join(lines)) for moment, path, lines in files))
    for moment in ("before", "after", "boot"):
        assert all(value is None or isinstance(value, str) for value in audit.fields(run, moment).values())
    audit.foreign(run)
    audit.delta(run, "")
    audit.levels(run)


def test_a_users_program_has_its_mappings_added_up_and_the_largest_apart() -> None:
    smaps = (
        "10000000-10002000 r-xp 00000000 00:01 1 /program\nSize: 8 kB\nRss: 8 kB\n"
        "7f0000000000-7f0000400000 rw-s 00000000 00:01 2 /dev/zero\nSize: 4096 kB\nRss: 4096 kB\nKernelPageSize: 4 kB\n"
    )
    of_kernel = "".join(
        f"7fff0000{n}000-7fff0000{n + 1}000 r--p 00000000 00:00 0                 [{name}]\nSize: 4 kB\nRss: 4 kB\n"
        for n, name in enumerate(("vvar", "vvar_vclock", "vdso"))
    )
    found = audit.fields(
        report(
            ("after", "kassay/program/smaps", smaps + of_kernel),
            ("after", "kassay/program/range", "start 0x7f0000000000 length 4194304\n"),
            ("after", "kassay/program/pageflags", "pages 1024\nthp 0\ndirty 1024\n"),
            ("after", "kassay/program/peak", "kb 5120\n"),
        ),
        "after",
    )
    wanted = {
        "program.vmas": "2", "program.Rss": "4104", "program.peak": "5120", "program.largest.Rss": "4096",
        "program.largest.KernelPageSize": "4", "program.largest.pageflags.dirty": "1024",
    }  # fmt: skip
    assert {name: found.get(name) for name in wanted} == wanted
    assert "program.vmas" not in audit.fields(report(), "after")
