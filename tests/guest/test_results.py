# SPDX-License-Identifier: GPL-2.0-only
"""How much the calls of a watched program were asked to do: lengths, items, moves of the break; and the vDSO."""

import subprocess
from pathlib import Path

import pytest

from kassay.supply.guest import compile, sources

PROGRAM = """
#define _GNU_SOURCE
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct iovec part = { "abc", 3 };
	struct mmsghdr sent[3] = { 0 };
	struct pollfd files[7] = { 0 };
	void *pages[5] = { 0 };
	int ends[2], where[5];
	char *end;

	for (int i = 0; i < 3; i++)
		sent[i].msg_hdr = (struct msghdr){ .msg_iov = &part, .msg_iovlen = 1 };
	socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
	sendmmsg(ends[0], sent, 3, 0);
	sendmmsg(ends[0], sent, 2, 0);
	poll(files, 7, 0);
	syscall(SYS_move_pages, 0, 5UL, pages, NULL, where, 0);
	end = (char *)syscall(SYS_brk, 0);
	if (argc > 1)
		syscall(SYS_brk, end + strlen(argv[1]) * 40960);
	if (argc > 1)
		syscall(SYS_brk, end + 8192);
	end = mmap(NULL, 12288, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(NULL, 0);
	madvise(NULL, 0, MADV_WILLNEED);
	madvise(NULL, 0, MADV_HUGEPAGE);
	for (int i = 0; i < 3000; i++)
		getppid();
	mlock(end, 5000);
	return 0;
}
"""


Results = dict[tuple[str, str], tuple[int, int]]
"""Name and error or kind of calls -> their number, and the sum of what they were asked for."""


@pytest.fixture(scope="module")
def watching(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    place = tmp_path_factory.mktemp("watched")
    (place / "program.c").write_text(PROGRAM)
    flags = ("gcc", *compile.FLAGS, "-o")
    subprocess.run((*flags, place / "program", place / "program.c"), check=True)
    files = (Path(__file__).with_name("watching.c"), "results.c", "amounts.c", "vdso.c")
    subprocess.run((*flags, place / "watching", *files), cwd=sources.directory(), check=True)
    return place / "watching", place / "program"


def watched(*words: str | Path) -> Results:
    text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    results: Results = {}
    for name, error, times, total, kind in (line.split() for line in text.splitlines()):
        results[name, error if error != "-" else kind] = int(times), int(total)
    return results


def test_items_are_counted_by_what_calls_return_or_are_given(watching: tuple[Path, Path]) -> None:
    results = watched(*watching)
    assert results["sendmmsg", "-"] == (2, 5)
    assert (results["poll", "-"], results["move_pages", "-"]) == ((1, 7), (1, 5))


def test_a_break_counts_by_how_far_it_moved(watching: tuple[Path, Path]) -> None:
    """The C library moves it, too, by as much in each execution."""
    once, thrice = (watched(*watching, word)["brk", "-"][1] for word in ("x", "xxx"))
    assert (once - watched(*watching)["brk", "-"][1], thrice - once) == (40960 + 32768, 4 * 40960)


def test_lengths_behind_thousands_of_calls_are_seen(watching: tuple[Path, Path]) -> None:
    results = watched(*watching)
    assert (results["getppid", "-"][0], results["mlock", "-"]) == (3000, (1, 5000))
    assert results["mmap", "0x22"] == (1, 12288) and results["munmap", "EINVAL"] == (1, 0)


def test_kinds_of_calls_are_told_apart(watching: tuple[Path, Path]) -> None:
    results = watched(*watching)
    assert {kind: times for (name, kind), (times, _) in results.items() if name == "madvise"} == {"0x3": 1, "0xe": 1}


def test_functions_of_the_vdso_are_shipped_with_their_offsets(watching: tuple[Path, Path]) -> None:
    text = subprocess.run(watching, capture_output=True, text=True, check=True).stderr
    offsets = {name: int(offset, 16) for offset, name in (line.split() for line in text.splitlines())}
    assert 0 < offsets["__vdso_clock_gettime"] < 1 << 20
