# SPDX-License-Identifier: GPL-2.0-only
"""Programs that a user brings, in real guests: counted as a stranger wrote them, and every bad end named."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from kassay import answers, pipeline
from kassay.journal.journal import read_journal
from kassay.model.finding import Finding
from kassay.supply.guest.program import header
from tests.boot.conftest import NEW, OLD, Kassay, answered, measured

pytestmark = pytest.mark.boot

TOGGLE = """
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

int main(void)
{
	size_t size = 1 << 20;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	memset(p, 1, size);
	for (int i = 0; i < 10; i++) {
		mprotect(p, size, PROT_READ);
		mprotect(p, size, PROT_READ | PROT_WRITE);
	}
	puts("toggles=10");
	return 0;
}
"""
FAMILY = """
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static void *work(void *p) { for (volatile int i = 0; i < 20000; i++); return p; }

int main(void)
{
	pthread_t thread;

	for (int i = 0; i < 4; i++) {
		if (fork() == 0) { work(0); _exit(0); }
		wait(NULL);
		pthread_create(&thread, NULL, work, NULL);
		pthread_join(thread, NULL);
	}
	return 0;
}
"""
MARKED = """
#include "kassay.h"
#include <unistd.h>

int main(void)
{
	for (int i = 0; i < 8; i++) {
		KASSAY_ROUND_BEGIN();
		for (int call = 0; call < 10; call++)
			getppid();
		KASSAY_ROUND_END();
	}
	return 0;
}
"""
CLEARING = """
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
	char *p = mmap(NULL, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int file = open("/proc/self/clear_refs", O_WRONLY);

	memset(p, 1, 4 << 20);
	for (int i = 0; i < 20; i++)
		write(file, "1", 1);
	return 0;
}
"""
TESTCASE = """
#include <sys/mman.h>

#define SIZE (2 << 20)

char *testcase_description = "faults on pages that are never the same";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	while (1) {
		char *p = mmap(0, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		madvise(p, SIZE, MADV_NOHUGEPAGE);
		for (long at = 0; at < SIZE; at += 4096) {
			p[at] = nr;
			(*iterations)++;
		}
		munmap(p, SIZE);
	}
}
"""
GIVEN_UP = """
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

static char zeroes[65536];

int main(void)
{
	return write(memfd_create("copy", 0), zeroes, sizeof(zeroes)) != sizeof(zeroes);
}
"""
BAD = {
    # Of few blocks of code, each of many instructions: a second of guest time takes QEMU a tenth of the time.
    "endless": (
        'int main(void) { for (;;) __asm__ volatile(".rept 2000; nop; .endr"); }',
        "no end within 100 ms of guest time",
    ),
    "asleep": ("#include <unistd.h>\nint main(void) { for (;;) pause(); }", "no end within 100 ms of guest time"),
    "bomb": ("#include <unistd.h>\nint main(void) { for (;;) fork(); }", "it forked until there were"),
    "crash": (
        '#include <stdio.h>\n#include <stdlib.h>\nint main(void) { puts("so far"); fflush(stdout); abort(); }',
        "killed by signal 6 (Aborted); it last printed: so far",
    ),
    "status": (
        '#include <stdio.h>\nint main(void) { fputs("no such thing\\n", stderr); return 3; }',
        "ended with status 3, not 0; it last printed: no such thing",
    ),
    "orphan": (
        "#include <unistd.h>\nint main(void) { if (!fork()) for (;;) pause(); return 0; }",
        "1 of its processes were still running when it had ended",
    ),
    "chatty": (
        "#include <unistd.h>\nint main(void) { static char t[6 << 20]; return write(1, t, sizeof(t)) < 0; }",
        "its output, of which all executions together may have 4m: No space left on device",
    ),
    "missing": (
        '#include <stdio.h>\nint main(void) { if (!fopen("data", "r")) { perror("data"); return 1; } return 0; }',
        "it last printed: data: No such file or directory",
    ),
}  # fmt: skip
ONCE = 'boot = "snapshot"\nrepeats = 1\nperturb = 0\n'
ENDS = ('from = "mprotect:3"', 'from = "main"', 'to = "exit"')
CLEARINGS = 4
"""Runs, two at a time. Where QEMU saw the host's time three of four pairs of them differed."""


@pytest.fixture
def toggle(tmp_path: Path) -> Path:
    source = tmp_path / "toggle.c"
    source.write_text(TOGGLE)
    return source


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Programs on one kernel, a run of each."""
    place = tmp_path_factory.mktemp("programs")
    shutil.copyfile(header(), place / "kassay.h")
    for name, text in {"toggle": TOGGLE, "marked": MARKED, "touch": TESTCASE, "family": FAMILY}.items():
        (place / f"{name}.c").write_text(text)
    uses = {
        "marked": ("marked", ""),
        "touch": ("touch", "set.operations = 512"),
        "family": ("family", ""),
        **{f"end{number}": ("toggle", end) for number, end in enumerate(ENDS)},
    }
    lines = [f'question = "value"\nkernels = ["{NEW}"]\n{ONCE}profile = "counts"\nrounds = 2']
    lines += (
        f'[[workloads]]\nname = "{name}"\nprogram = "{place}/{file}.c"\n{more}' for name, (file, more) in uses.items()
    )
    measured("\n".join(lines), place / "d")
    return place / "d"


@pytest.fixture(scope="module")
def values(programs: Path) -> dict[str, Finding]:
    """The primary value of each program, as a finding of the kernel against itself."""
    return {found.workload: found for found in answers.findings(programs) if found.primary}


def primary(report: dict[str, Any]) -> dict[str, Any]:
    (found,) = (finding for finding in report["findings"] if finding["primary"])
    return dict(found)


def value(found: Finding) -> float:
    assert found.base_value is not None
    return found.base_value


def test_a_strangers_reproducer_is_counted_whole_and_to_the_digit(toggle: Path, tmp_path: Path) -> None:
    asked = f'kernels = ["{OLD}", "{NEW}"]\nboot = "snapshot"\nrepeats = 2\nperturb = 0\nrounds = 2\n'
    use = f'[[workloads]]\nprogram = "{toggle}"\nrequire = ["toggles==10"]\nstate = ["toggles"]\n'
    report = answered(asked + use, tmp_path / "d")
    (printed,) = report["printed"]
    assert (printed["name"], printed["steady"], set(printed["values"].values())) == ("toggles", True, {"10"})
    found = primary(report)
    assert (found["metric"], found["unit"], found["workload"]) == ("run", "instructions/execution", "toggle")
    assert (found["verdict"], found["n_base"], found["n_head"]) == (
        "regression",
        2,
        2,
    )  # which agree, or it is "unstable"
    assert found["attribution"]["unattributed"] == 0
    named = {row["function"] for row in found["attribution"]["rows"][:5]}
    assert "prot_commit_flush_ptes" in named


def test_rounds_are_from_a_call_of_the_c_library_to_another(toggle: Path, tmp_path: Path) -> None:
    asked = f'{ONCE}profile = "counts"\nkernels = ["{OLD}", "{NEW}"]\nrounds = 2\n[[workloads]]\nprogram = "{toggle}"\n'
    found = primary(answered(asked + 'from = "mprotect"\nto = "mprotect"', tmp_path / "d"))
    assert (found["metric"], found["unit"]) == ("region", "instructions/round")
    rows = {row["function"]: row for row in found["attribution"]["rows"]}
    pages = (1 << 20) // 4096
    assert rows["prot_commit_flush_ptes"]["head_calls"] == pages  # one call of mprotect, and no other
    assert 100 * pages < found["base_value"] < found["head_value"] < 1000 * pages


def test_each_execution_has_a_round_that_has_one_end_alone(values: dict[str, Finding]) -> None:
    for number in range(len(ENDS)):
        found = values[f"end{number}"]
        assert found.metric == "region" and value(found) > 10_000


def test_a_program_that_never_waits_ends_at_its_limit_under_fifo(tmp_path: Path) -> None:
    source = tmp_path / "spin.c"
    source.write_text(BAD["endless"][0])
    asked = (
        f'question = "value"\nkernels = ["{NEW}"]\n{ONCE}profile = "none"\nsched = "fifo"\nretries = 0\nrounds = 2\n'
    )
    use = f'[[workloads]]\nprogram = "{source}"\nlimit_ms = 100\n'
    (failure,) = answered(asked + use, tmp_path / "d")["runs"]["failures"]
    assert "no end within 100 ms of guest time" in failure["detail"]


def test_processes_and_threads_of_a_program_are_its_own(values: dict[str, Finding]) -> None:
    contexts = dict(values["family"].sides[0].contexts)
    assert contexts.get("other", 0) < 0.01
    assert contexts["user"] > 0.1  # of eight tasks that each count to 20000


def test_rounds_that_a_program_marks_and_those_of_a_testcase(programs: Path, values: dict[str, Finding]) -> None:
    printed = {row.name: [value for _, value in row.values] for row in pipeline.answer(programs).printed}
    assert set(printed["operations"]) == {"5120"}
    assert all(str(value).startswith("1.000") for value in printed["faults_per_operation"])
    marked, touch = values["marked"], values["touch"]
    assert (marked.unit, touch.unit) == ("instructions/round", "instructions/operation")
    assert 500 < value(marked) < 10_000  # ten system calls
    assert 300 < value(touch) < 10_000  # one fault, and clearing its page


def test_a_run_goes_on_when_the_program_is_gone(toggle: Path, tmp_path: Path) -> None:
    asked = f'question = "value"\nkernels = ["{NEW}"]\n{ONCE}profile = "none"\nrounds = 2\n'
    measured(f'{asked}[[workloads]]\nprogram = "{toggle}"\n', tmp_path / "d")
    toggle.unlink()
    measured((tmp_path / "d" / "pinned.toml").read_text(), tmp_path / "again")
    first, again = (read_journal(tmp_path / name / "journal.jsonl") for name in ("d", "again"))
    assert [record.outcome for record in first] == ["ok"]
    assert [record.stream_sha256 for record in again] == [record.stream_sha256 for record in first]


def test_every_bad_end_is_named_with_what_it_printed_last(tmp_path: Path) -> None:
    lines = [f'question = "value"\nkernels = ["{NEW}"]\n{ONCE}profile = "none"\nrounds = 2\nretries = 0']
    for name, (text, _) in BAD.items():
        (tmp_path / f"{name}.c").write_text(text)
        limit = {"chatty": 5000, "bomb": 50}.get(name, 100)
        lines.append(f'[[workloads]]\nprogram = "{tmp_path}/{name}.c"\nlimit_ms = {limit}')
    failures = answered("\n".join(lines), tmp_path / "d")["runs"]["failures"]
    assert len(failures) == len(BAD)
    details = [failure["detail"] for failure in failures]
    for name, (_, words) in BAD.items():
        assert any(words in detail for detail in details), (name, details)


def test_pages_that_the_kernel_calls_old_are_found_young_alike(tmp_path: Path) -> None:
    """QEMU sets a page's accessed bit when it walks the tables, and how often it does depended on the host's time."""
    source = tmp_path / "clearing.c"
    source.write_text(CLEARING)
    asked = f'question = "value"\nkernels = ["{OLD}"]\nboot = "snapshot"\nprofile = "counts"\nperturb = 0\n'
    asked += f'repeats = {CLEARINGS}\nrounds = 12\n[[workloads]]\nprogram = "{source}"\n'
    measured(asked, tmp_path / "d")
    records = read_journal(tmp_path / "d" / "journal.jsonl")
    assert [record.outcome for record in records] == ["ok"] * CLEARINGS
    assert len({(record.stream_sha256, record.profile_sha256) for record in records}) == 1


def test_a_copy_that_the_kernel_gives_up_in_its_middle_is_counted(tmp_path: Path) -> None:
    """Linux 7.3 copies with faults switched off: a fault in the middle of "rep movsq" goes on elsewhere."""
    source = tmp_path / "copy.c"
    source.write_text(GIVEN_UP)
    asked = f'question = "value"\n{ONCE}profile = "counts"\nkernels = ["debian:7.3"]\nrounds = 3\n'
    measured(f'{asked}[[workloads]]\nprogram = "{source}"\n', tmp_path / "d")
    profile = answers.profiles(tmp_path / "d", None, None)[0].profile
    copying = [cost for cost in profile.functions if cost.function == "rep_movs_alternative"]
    copied = sum(cost.instructions + cost.iterations for cost in copying)
    assert profile.problem == ""  # all functions add up to the guest's own count
    assert copied > 65536 / 8 * profile.operations


def test_a_process_that_is_left_behind_ends_the_measurement_on_new_kernels_too(kassay: Kassay, tmp_path: Path) -> None:
    """Linux 7.3 stops a process that is killed once more, as asked for those that end by themselves."""
    source = tmp_path / "orphan.c"
    source.write_text(BAD["orphan"][0])
    tried = kassay("try", "--program", str(source), "7.3", "--boot", "snapshot")
    assert tried.status == 4 and BAD["orphan"][1] in tried.out + tried.err


def test_a_program_that_fails_on_every_kernel_is_started_once_on_each(kassay: Kassay, tmp_path: Path) -> None:
    source, out = tmp_path / "status.c", tmp_path / "d"
    source.write_text(BAD["status"][0])
    words = ("compare", "--program", str(source), OLD, NEW, "--boot", "snapshot", "--out", str(out))
    for _ in range(2):  # the same command again starts nothing
        ran = kassay(*words)
        assert ran.status == 2
        assert "ended with status 3, not 0; it last printed: no such thing" in ran.err
    tried = kassay("try", "--program", str(source), OLD, "--boot", "snapshot")
    assert tried.status == 4 and "standard error:\n  no such thing\n" in tried.out
    records = read_journal(out / "journal.jsonl")
    assert all(record.attempt == 1 for record in records)
