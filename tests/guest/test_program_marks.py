# SPDX-License-Identifier: GPL-2.0-only
"""Rounds that a program marks itself: kassay.h, and files with a testcase() in the way of will-it-scale."""

import contextlib
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from kassay.errors import BadInput
from kassay.model.experiment import WorkloadUse
from kassay.model.program import ProgramUse
from kassay.model.records import Setting
from kassay.supply.guest.program import header, packed, program_in, workload_of
from kassay.supply.guest.program_source import pinned
from kassay.supply.measured import measured_of

MARKED = """
#include "kassay.h"
int main(void)
{
	for (int i = 0; i < 3; i++) {
		KASSAY_ROUND_BEGIN();
		KASSAY_ROUND_END();
	}
	return 0;
}
"""
TESTCASE = """
#include <stdlib.h>

char *testcase_description = "nothing at all";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	while (1) {
		(*iterations)++;
	}
}
"""
PARTNERS = """
#include <stdlib.h>
#include <unistd.h>

char *testcase_description = "bytes to a partner and back";

void new_task(void *(*function)(void *), void *argument);

static void *partner(void *pipes)
{
	int *fd = pipes;
	char byte;

	while (1) {
		if (read(fd[0], &byte, 1) != 1 || write(fd[3], &byte, 1) != 1)
			abort();
	}
	return NULL;
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int fd[4];
	char byte = nr;

	if (pipe(fd) || pipe(fd + 2))
		abort();
	new_task(partner, fd);
	while (1) {
		if (write(fd[1], &byte, 1) != 1 || read(fd[2], &byte, 1) != 1)
			abort();
		(*iterations)++;
	}
}
"""
COMPILERS = {
    "x86_64": (("gcc",), ("clang",)),
    "arm64": (("aarch64-linux-gnu-gcc",), ("clang", "--target=aarch64-linux-gnu")),
}


def source(directory: Path, text: str) -> ProgramUse:
    shutil.copyfile(header(), directory / "kassay.h")
    (directory / "p.c").write_text(text)
    return pinned(ProgramUse(path=str(directory / "p.c")))


def runner_words(use: ProgramUse, settings: tuple[Setting, ...]) -> tuple[str, ...]:
    """Words for the runner, behind those of kassay's own programs."""
    words = measured_of(WorkloadUse(name="p", program=use)).arguments(settings, ())
    return words[words.index("--") + 1 :]


@pytest.mark.parametrize(("arch", "compiler"), [(arch, cc) for arch, all_ in COMPILERS.items() for cc in all_])
def test_the_header_compiles_without_a_warning_and_without_a_library(
    arch: str, compiler: tuple[str, ...], tmp_path: Path
) -> None:
    if shutil.which(compiler[0]) is None:
        pytest.skip(f"no {compiler[0]} on this host")
    source(tmp_path, MARKED)
    flags = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-ffreestanding", "-nostdinc", "-O2")
    done = subprocess.run([*compiler, *flags, "-c", "p.c", "-o", "p.o"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    marks = {"x86_64": ("0f1f804f53414b", "0f1f804353414b"), "arm64": ("ff6989d2", "7f6889d2")}[arch]
    assert all(bytes.fromhex(mark) in (tmp_path / "p.o").read_bytes() for mark in marks)


def test_macros_are_found_in_sources_and_in_programs_and_do_no_harm(tmp_path: Path) -> None:
    use = source(tmp_path, MARKED)
    assert (use.marks, use.counted) == ("macros", True)
    assert workload_of("p", use).phases[0].operation == "round"
    program = tmp_path / "program"
    program.write_bytes(program_in(packed(use, "x86_64")) or b"")
    program.chmod(0o755)
    assert subprocess.run([program], timeout=10).returncode == 0
    assert pinned(ProgramUse(path=str(program))).marks == "macros"
    assert pinned(ProgramUse(path=use.path, start="main")).marks == ""  # the user's own word comes first


def ran(program: Path, use: ProgramUse, *words: str) -> subprocess.CompletedProcess[str]:
    """A test of will-it-scale, with all tasks that it started."""
    program.write_bytes(program_in(packed(use, "x86_64")) or b"")
    program.chmod(0o755)
    pipe = subprocess.PIPE
    with subprocess.Popen([program, *words], stdout=pipe, stderr=pipe, text=True, start_new_session=True) as running:
        try:
            printed, said = running.communicate(timeout=20)  # a process that is left behind keeps the pipe open
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
    return subprocess.CompletedProcess(words, running.returncode, printed, said)


@pytest.mark.parametrize(("test", "says"), [(TESTCASE, "nothing at all"), (PARTNERS, "a partner and back")])
@pytest.mark.parametrize("mode", ["process", "thread"])
@pytest.mark.parametrize("tasks", ["1", "3"])
def test_a_testcase_is_stopped_after_exactly_its_operations(
    tmp_path: Path, tasks: str, mode: str, test: str, says: str
) -> None:
    use = source(tmp_path, test)
    assert use.marks == "testcase"
    done = ran(tmp_path / "program", use, tasks, mode, "500")
    operations = 500 * (10 if tasks == "1" else 3)
    assert done.returncode == 0
    assert f"operations={operations} " in done.stdout and says in done.stdout


@pytest.mark.parametrize("tasks", ["1", "3"])
@pytest.mark.parametrize("mode", ["process", "thread"])
@pytest.mark.parametrize(
    ("instead", "says"),
    [("if (*iterations == 7) return", "returned after 7 operations"), ("if (*iterations == 7) abort()", "")],
)
def test_a_testcase_that_ends_before_its_operations_ends_the_program(
    tmp_path: Path, instead: str, says: str, mode: str, tasks: str
) -> None:
    use = source(tmp_path, TESTCASE.replace("(*iterations)++;", f"(*iterations)++;\n\t\t{instead};"))
    done = ran(tmp_path / "program", use, tasks, mode, "500")
    assert done.returncode != 0 and says in done.stderr


@pytest.mark.parametrize("tasks", ["1", "3"])
@pytest.mark.parametrize(("step", "says"), [("5", ""), ("64", "counted to 512 and passed 500: operations must be")])
def test_operations_that_no_step_of_the_counter_reaches_end_the_program(
    tmp_path: Path, step: str, says: str, tasks: str
) -> None:
    use = source(tmp_path, TESTCASE.replace("(*iterations)++;", f"*iterations += {step};"))
    done = ran(tmp_path / "program", use, tasks, "process", "500")
    assert (done.returncode != 0) == bool(says) and says in done.stderr


def test_a_testcase_has_parameters_and_divides_by_its_operations(tmp_path: Path) -> None:
    use = source(tmp_path, TESTCASE)
    workload = workload_of("p", use)
    assert [parameter.name for parameter in workload.parameters] == ["tasks", "mode", "operations"]
    settings = (Setting(name="tasks", value="2"), Setting(name="mode", value="thread"),
                Setting(name="operations", value="50"))  # fmt: skip
    words = runner_words(use, settings)
    assert words[:3] == ("arg=2", "arg=thread", "arg=50") and "operations=100" in words


def test_a_testcase_with_a_main_of_its_own_is_a_program_like_any_other(tmp_path: Path) -> None:
    assert source(tmp_path, TESTCASE + "int main(void) { return 0; }\n").marks == ""


def test_words_in_braces_are_parameters(tmp_path: Path) -> None:
    source(tmp_path, "int main(void) { return 0; }\n")
    use = pinned(ProgramUse(path=str(tmp_path / "p.c"), args=("-n{loops}", "{x}")))
    assert [parameter.name for parameter in workload_of("p", use).parameters] == ["loops", "x"]
    assert runner_words(use, (Setting(name="loops", value="5"), Setting(name="x", value="")))[:2] == (
        "arg=-n5",
        "arg={x}",
    )


def test_a_google_benchmark_runs_its_own_registration_for_a_number_of_iterations(tmp_path: Path) -> None:
    (tmp_path / "b.cc").write_text("#include <benchmark/benchmark.h>\nBENCHMARK_MAIN();\n")
    use = pinned(ProgramUse(path=str(tmp_path / "b.cc"), args=("--benchmark_filter=x",)))
    assert (use.marks, use.counted) == ("benchmark", False)
    words = [word for word in runner_words(use, ()) if word.startswith("arg=")]
    assert words == ["arg=--benchmark_format=json", "arg=--benchmark_min_time=1000x", "arg=--benchmark_filter=x"]
    assert [phase.name for phase in workload_of("b", use).phases] == ["run"]  # what its executions are measured as
    with pytest.raises(BadInput, match="needs google-benchmark") as caught:
        packed(use, "x86_64")
    assert "libbenchmark-dev" in caught.value.remedy
