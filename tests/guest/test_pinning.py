# SPDX-License-Identifier: GPL-2.0-only
"""Tasks are spread over the CPUs that there are, also where their numbers have gaps."""

import subprocess
from pathlib import Path

import pytest

from kassay.supply.guest import compile, sources
from kassay.supply.guest.program import header

WORKERS = ("--run", "size=64KiB", "tasks=4", "--rounds", "2", "--clock", "monotonic", "--out", "-")
TESTCASE = """
char *testcase_description = "nothing at all";
void testcase(unsigned long long *iterations, unsigned long nr)
{
	(void)nr;
	while (1)
		(*iterations)++;
}
"""

pytestmark = pytest.mark.slow


def built(directory: Path, *files: str | Path) -> str:
    """A program on a kernel with gaps between its CPUs (gaps.c)."""
    replaced = [f"-Dsched_{name}affinity=gaps_{name}affinity" for name in ("get", "set")]
    gaps = Path(__file__).with_name("gaps.c")
    argv = ("gcc", *compile.FLAGS, *replaced, "-o", directory / "program", gaps, *files)
    subprocess.run(argv, cwd=sources.directory(), check=True, timeout=120)
    return str(directory / "program")


@pytest.fixture(scope="module", params=["workers", "testcase"])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """A workload of kassay with four tasks, and a test of will-it-scale."""
    directory = tmp_path_factory.mktemp("gaps")
    if request.param == "workers":
        return built(directory, *map(sources.path_of, sources.files_of("page_fault", "x86_64"))), *WORKERS
    (directory / "test.c").write_text(TESTCASE)
    flags = ("-fsanitize-coverage=trace-pc", "-fno-tree-loop-im", "-c", "-o", directory / "test.o")
    subprocess.run(("gcc", "-O2", *flags, directory / "test.c"), check=True, timeout=60)
    return built(directory, header().with_name("will_it_scale.c"), directory / "test.o"), "4", "process", "500"


def test_every_second_task_is_on_the_second_cpu(program: tuple[str, ...]) -> None:
    done = subprocess.run(program, capture_output=True, timeout=30)
    pins = [line.split()[-1] for line in done.stderr.decode().splitlines() if line.startswith("pinned to")]
    assert done.returncode == 0, done.stderr
    assert (pins.count("2"), set(pins)) == (2, {"0", "2"})


def test_task_that_cannot_be_pinned_fails_the_run(program: tuple[str, ...]) -> None:
    done = subprocess.run(program, capture_output=True, timeout=30, env={"GONE": "1"})
    assert done.returncode == 1
    assert b"cannot be pinned" in done.stdout + done.stderr
