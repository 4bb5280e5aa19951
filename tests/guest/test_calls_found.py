# SPDX-License-Identifier: GPL-2.0-only
"""Memory and files that the calls of a watched program find."""

import subprocess
from pathlib import Path

import pytest

from kassay.model.guest import CapturedFile, GuestReport
from kassay.model.work import Found, FoundByCall
from kassay.supply.guest import compile
from kassay.supply.guest.program_output import FOUND, calls_found

pytestmark = pytest.mark.slow  # seconds for the whole file

FINDING = """
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Touches 100 pages of a mapping before or behind four calls on its first half; the argument says how many of them. */
int main(int argc, char **argv)
{
	char *pages = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int before = argc > 1 ? atoi(argv[1]) : 0;

	madvise(pages, 1 << 20, MADV_NOHUGEPAGE);
	for (int i = 0; i < before; i++)
		pages[i * 4096] = 1;
	for (int i = 0; i < 4; i++)
		mprotect(pages, 1 << 19, i % 2 ? PROT_READ | PROT_WRITE : PROT_READ);
	for (int i = before; i < 100; i++)
		pages[i * 4096] = 1;
	if (argc > 2)
		for (int i = 0; i < 50; i++)
			mprotect(pages + i * 8192, 4096, PROT_READ);
	if (!fork())
		_exit(0);
	wait(NULL);
	return 0;
}
"""


def found_in(watcher: Path, program: Path, text: str, *words: str) -> dict[str, Found]:
    """Memory that the calls of a program found, as the guest ships it and the host reads it."""
    sums = program.with_name("found")
    program.with_suffix(".c").write_text(text)
    subprocess.run(("gcc", *compile.FLAGS, "-o", program, program.with_suffix(".c")), check=True)
    subprocess.run((watcher, program, *words), check=True, capture_output=True, env={"FOUND_FILE": str(sums)})
    return {one.name: one for one in read_found(sums.read_text())}


def read_found(content: str) -> tuple[Found, ...]:
    file = CapturedFile(moment="before", path=FOUND, content=content)
    report = GuestReport(workload="p", clock="monotonic", ticks_per_second=None, overhead_ticks=0, phases=(),
                         requirements=(), files=(file,), check="ok")  # fmt: skip
    return calls_found(report, FOUND) or ()


def test_memory_that_calls_find_is_counted(watcher: Path, tmp_path: Path) -> None:
    """fork() is clone() in the C library; what a process has besides is the same in all executions."""
    before, behind, split = (
        found_in(watcher, tmp_path / "finding", FINDING, *words.split()) for words in ("100", "0", "100 split")
    )
    mprotect, clone = before["mprotect"], before["clone"]
    assert mprotect.looked == mprotect.calls == behind["mprotect"].calls > 4
    assert mprotect.bytes - behind["mprotect"].bytes == 4 * 100 * 4096
    assert mprotect.each is not None and FoundByCall(times=4, kb=400) in mprotect.each
    assert clone.looked == 1 and clone.bytes > 100 * 4096 and clone.table_bytes > 0
    assert clone.each is not None and clone.each[0].kb == clone.bytes >> 10 and clone.each[0].mappings == clone.mappings
    assert abs(clone.bytes - behind["clone"].bytes) < 4 * 4096, "where the stack begins is chance here"
    assert split["clone"].mappings - clone.mappings == 99
    assert split["clone"].before - clone.before == 50
    assert before["mmap"].calls and not before["mmap"].looked


NAMING = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* A mapping of 400 pages, 100 of which are written; each call names all of it. */
int main(void)
{
	static struct pollfd many[70000];
	static char text[400 * 8], data[40960];
	char *p = mmap(NULL, 400 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *pages[400];
	struct iovec parts[2] = { { p, 50 * 4096 }, { p + 50 * 4096, 350 * 4096 } };
	struct iovec to = { data, 4096 }, from = { p, 4096 };
	int map = open("/proc/self/pagemap", O_RDONLY), file = memfd_create("a", 0);
	int itself = (int)syscall(SYS_pidfd_open, getpid(), 0);
	unsigned long scan[12] = { 96, 0, (unsigned long)p, (unsigned long)p + 400 * 4096 };
	struct uffdio_writeprotect protect = { .range = { (unsigned long)p, 400 * 4096 } };

	madvise(p, 400 * 4096, MADV_NOHUGEPAGE);
	memset(p, 1, 100 * 4096);
	for (int i = 0; i < 400; i++)
		pages[i] = p + (i * 7 % 400) * 4096;
	syscall(SYS_process_madvise, itself, parts, 2, MADV_COLD, 0);
	process_vm_readv(getpid(), &to, 1, &from, 1, 0);
	syscall(SYS_move_pages, 0, 400, pages, NULL, many, 0);
	ioctl(map, _IOC(_IOC_READ | _IOC_WRITE, 'f', 16, 96), scan);
	ioctl(-1, UFFDIO_WRITEPROTECT, &protect);
	pread(map, text, sizeof(text), (unsigned long)p / 4096 * 8);
	poll(many, 70000, 0);
	pwrite(file, data, 40960, 0);
	sendfile(open("/proc/self/comm", O_WRONLY), file, NULL, 8); /* a text that is not read */
	sendfile(open("/dev/null", O_WRONLY), file, NULL, 8);
	ftruncate(file, 4096 * 100);
	preadv(file, parts, 1, 4096);
	return 0;
}
"""


@pytest.fixture(scope="module")
def named(watcher: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Found]:
    return found_in(watcher, tmp_path_factory.mktemp("named") / "naming", NAMING)


def test_memory_is_found_wherever_calls_name_it(named: dict[str, Found]) -> None:
    kb = {"process_madvise": 400, "move_pages": 400, "ioctl": 800, "pread64": 400}
    assert {name: named[name].bytes >> 10 for name in kb} == kb
    assert named["process_vm_readv"].bytes >> 10 == 4, "of the process that is read; the buffer has no page yet"
    assert (named["poll"].unread, named["move_pages"].unread, named["sendfile"].unread) == (1, 0, 1)


def test_pages_of_files_in_memory_are_found(named: dict[str, Found]) -> None:
    if not named["preadv"].files:
        pytest.skip("this kernel has no cachestat()")
    assert (named["pwrite64"].cached_bytes, named["preadv"].cached_bytes) == (0, 36864), "all but the first page"
    assert (named["preadv"].files, named["preadv"].looked) == (1, 0)


def test_lines_of_an_older_guest_are_read() -> None:
    (found,) = read_found("mprotect 4 10 4 1024 0 0 0 0\n")
    assert found == Found(name="mprotect", calls=4, before=10, looked=4, bytes=1024)
