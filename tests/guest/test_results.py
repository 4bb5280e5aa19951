# SPDX-License-Identifier: GPL-2.0-only
"""Calls of a watched program, with what they were asked to do, and on which files; and the vDSO."""

import subprocess
from pathlib import Path

import pytest

from kassay.supply.guest import compile

pytestmark = pytest.mark.slow  # seconds for the whole file

PROGRAM = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Two reads of 4096 bytes and one operation that does nothing. */
static void submit(void)
{
	struct io_uring_params asked = { 0 };
	int ring = syscall(SYS_io_uring_setup, 8, &asked);
	int how = PROT_READ | PROT_WRITE;
	char data[4096], *indices;
	struct io_uring_sqe *entries;

	if (ring < 0)
		return; /* this kernel or container has none */
	indices = mmap(NULL, asked.sq_off.array + 32, how, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	entries = mmap(NULL, 512, how, MAP_SHARED, ring, IORING_OFF_SQES);
	for (unsigned int i = 0; i < 3; i++) {
		entries[i] = (struct io_uring_sqe){ .opcode = i == 2 ? IORING_OP_NOP : IORING_OP_READ,
			.addr = (unsigned long)data, .len = i == 2 ? 0 : 4096 };
		((unsigned int *)(indices + asked.sq_off.array))[i] = i;
	}
	*(unsigned int *)(indices + asked.sq_off.tail) = 3;
	syscall(SYS_io_uring_enter, ring, 3, 0, 0, NULL, 0);
	close(ring);
}

static void use_files(void)
{
	int ends[2], file = open("/dev/null", O_WRONLY);
	char text[8];

	write(file, "abc", 3);
	close(file);
	file = open("/proc/self/task/1/../stat", O_RDONLY);
	file = open("/proc/uptime", O_RDONLY);
	read(file, text, 5);
	pipe(ends);
	fcntl(ends[0], F_SETPIPE_SZ, 8192);
	write(ends[1], "ab", 2);
	file = open(getenv("HOME"), O_RDONLY | O_DIRECTORY);
	lseek(file, 0, SEEK_SET);
}

int main(int argc, char **argv)
{
	struct iovec part = { "abc", 3 };
	struct mmsghdr sent[3] = { 0 };
	struct pollfd files[7] = { 0 };
	void *pages[5] = { 0 };
	int ends[2], where[5];
	char *end;

	if (argc > 2) {
		argv[2] = NULL;
		execv("/proc/self/exe", argv);
	}
	if (argc > 1 && !strcmp(argv[1], "walk")) {
		char name[] = "/proc/self/aaa";

		for (int i = 0; i < 600; i++) {
			name[11] = 'a' + i / 26;
			name[12] = 'a' + i % 26;
			open(name, O_RDONLY);
			open("/proc/self/stat", O_RDONLY);
		}
	}
	use_files();
	submit();
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
def watching(watcher: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The watcher, and a program for it."""
    program = tmp_path_factory.mktemp("watched") / "program"
    program.with_suffix(".c").write_text(PROGRAM)
    subprocess.run(("gcc", *compile.FLAGS, "-o", program, program.with_suffix(".c")), check=True)
    return watcher, program


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


def test_what_calls_work_on_is_told_apart(watching: tuple[Path, Path]) -> None:
    results = watched(*watching)
    assert (results["write", "device-1:3"], results["write", "pipe"]) == ((1, 3), (1, 2))
    assert (results["openat", "/proc/uptime"], results["read", "/proc/uptime"]) == ((1, 0), (1, 5))
    assert ("openat", "/proc/self/task/N/../stat") in results or ("openat", "ENOENT") in results
    assert results["lseek", "-"] == (1, 0), "names elsewhere may be chance"
    assert (results["fcntl", "0x407"], results["socketpair", "family-1-type-2"]) == ((1, 8192), (1, 0))


def test_an_executed_program_counts_by_its_arguments(watching: tuple[Path, Path]) -> None:
    results = watched(*watching, "x" * 1000, "dropped")
    assert results["execve", "/proc/self/exe"] == (1, len(str(watching[1])) + 1 + 1001)


def test_operations_of_a_ring_are_counted_with_their_lengths(watching: tuple[Path, Path]) -> None:
    results = watched(*watching)
    if ("io_uring_enter", "-") not in results:
        pytest.skip("io_uring is not allowed here")
    assert results["io_uring_enter", "operation-22"] == (2, 8192)
    assert (results["io_uring_enter", "operation-0"], results["io_uring_enter", "-"]) == ((1, 0), (1, 0))


def test_more_names_than_there_is_room_for_are_counted_together(watching: tuple[Path, Path]) -> None:
    text = subprocess.run((*watching, "walk"), capture_output=True, text=True, check=True).stdout
    lines = [line.split() for line in text.splitlines()]
    (others,) = (line for line in lines if line[:2] == ["openat", "ENOENT"] and line[4] == "others")
    named = [line for line in lines if line[1] == "ENOENT" and line[4].startswith("/proc/self/")]
    assert int(others[2]) == 601 - len(named) > 100 and len(lines) < 512


def test_functions_of_the_vdso_are_shipped_with_their_offsets(watching: tuple[Path, Path]) -> None:
    text = subprocess.run(watching, capture_output=True, text=True, check=True).stderr
    offsets = {name: int(offset, 16) for offset, name in (line.split() for line in text.splitlines())}
    assert 0 < offsets["__vdso_clock_gettime"] < 1 << 20


ARGUED = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

static char names[2][40] = { "/tmp/abc", "/tmp/./././abc" };

/* Long arrays, of which an item far behind the first ones may be another; and the value of an option. */
static void give_arrays(char *pages, char other)
{
	int ends[2], size = other == 'o' ? 30000 : 60000;
	static struct iovec parts[128];
	static struct pollfd polled[5000];
	static struct sembuf operations[100];
	static void *addresses[5000];

	for (int i = 0; i < 5000; i++) {
		polled[i] = (struct pollfd){ .fd = i == 4900 && other == 'P' ? 0 : -1, .events = POLLIN };
		addresses[i] = pages + (i == 4900 && other == 'M' ? 8192 : 4096);
	}
	for (int i = 0; i < 128; i++)
		parts[i] = (struct iovec){ pages, i == 120 && other == 'V' ? 2 : 1 };
	for (int i = 0; i < 100; i++)
		operations[i] = (struct sembuf){ .sem_num = i == 90 && other == 'S' ? 1 : 0, .sem_op = 1 };
	poll(polled, 5000, 0);
	syscall(SYS_move_pages, 0, 5000UL, addresses, NULL, polled, 0);
	readv(open("/dev/zero", O_RDONLY), parts, 128);
	semop(-1, operations, 100);
	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
}

/* Commands for the kernel, of one length each. */
static void give_commands(char other)
{
	int file = open("/proc/self/comm", O_WRONLY);
	char text[2] = { other == 'w' ? '5' : '1', other == 'W' ? '5' : '1' };
	struct iovec parts[2] = { { text + 1, 0 }, { text, 1 } };

	pwritev(file, parts, 2, 0);
	pwrite(file, text + 1, 1, 0);
}

/* Rights, queues, addresses of sockets, types of file systems, and operations of a ring. */
static void give_records(char *pages, char other)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(other == 'k' ? 9 : 7) };
	long queue[4] = { 0, other == 'q' ? 4 : 3, 64 };
	struct io_uring_params asked = { 0 };
	unsigned long rights[2] = { other == 'r' ? 3 : 1, 0 };
	int ring = syscall(SYS_io_uring_setup, 8, &asked), bytes = asked.sq_off.array + 32, how = PROT_READ | PROT_WRITE;
	char *indices = mmap(NULL, bytes, how, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	struct io_uring_sqe *entry = mmap(NULL, 512, how, MAP_SHARED, ring, IORING_OFF_SQES);

	to.sin_addr.s_addr = htonl(other == 't' ? 0x7f000002 : 0x7f000001);
	syscall(SYS_landlock_create_ruleset, rights, 8UL, 0);
	syscall(SYS_mq_open, "kassay-test", O_CREAT | O_RDWR, 0600, queue);
	syscall(SYS_mq_timedsend, -1, "x", 1UL, other == 'Q' ? 1 : 0, NULL);
	syscall(SYS_mq_unlink, "kassay-test");
	connect(-1, (struct sockaddr *)&to, sizeof(to));
	mount("x", "/nowhere/x", other == 'y' ? "ramfs" : "tmpfs", 0, NULL);
	setxattr("/nowhere/x", other == 'x' ? "user.a" : "user.b", "1", 1, 0);
	if (indices == MAP_FAILED || entry == MAP_FAILED)
		return;
	*entry = (struct io_uring_sqe){ .opcode = IORING_OP_READ, .fd = -1, .addr = (unsigned long)pages, .len = 64,
					.off = other == 'u' ? 4096 : 0 };
	*(unsigned *)(indices + asked.sq_off.array) = 0;
	*(unsigned *)(indices + asked.sq_off.tail) = 1;
	syscall(SYS_io_uring_enter, ring, 1, 0, 0, NULL, 0);
}

int main(int argc, char **argv)
{
	char other = argc > 1 ? argv[1][0] : 0, space[512];
	char *near = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *pages = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct pollfd polled[2] = { { .fd = 0, .events = POLLIN }, { .fd = other == 'p' ? -1 : 1, .events = POLLIN } };
	struct iovec parts[2] = { { pages, other == 'v' ? 1 : 2 }, { pages + 8, other == 'v' ? 3 : 2 } };
	struct sock_filter filters[2] = { { 0x20, 0, 0, 0 }, { 0x6, 0, 0, 0x7fff0000 } }; /* load a word, allow */
	struct sock_fprog filter = { 2, filters };
	struct iovec own = { pages, 8 };
	struct stat info;

	give_arrays(pages, other);
	give_commands(other);
	give_records(pages, other);
	memset(space, 'x', sizeof(space));
	mprotect(other == 'a' ? pages + 8192 : pages, 4096, PROT_READ);
	mprotect(near, 4096, other == 'f' ? PROT_NONE : PROT_READ);
	close(open(names[other == 'n'], O_RDONLY));
	poll(polled, 2, 0);
	writev(open("/dev/null", O_WRONLY), parts, 2);
	read(-1, argc > 2 ? space + 64 : space, 4); /* elsewhere: the stack */
	stat(other == 's' ? "/proc" : "/root", &info);
	filters[0].k = other == 'l' ? 4 : 0; /* another word */
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
	process_vm_readv(getpid(), &own, 1, &own, other == 'm' ? 0 : 1, 0);
	execv("/nowhere/abc", other == 'e' ? (char *[]){ "ab", NULL } : (char *[]){ "a", "", NULL });
	if (!syscall(SYS_clone, SIGCHLD | (other == 'c' ? CLONE_FILES : 0), 0, 0, 0, 0))
		_exit(0);
	return 0;
}
"""


@pytest.fixture(scope="module")
def argued_program(watching: tuple[Path, Path]) -> Path:
    program = watching[1].with_name("argued")
    program.with_suffix(".c").write_text(ARGUED)
    subprocess.run(("gcc", *compile.FLAGS, "-o", program, program.with_suffix(".c")), check=True)
    return program


def argued(watching: Path, program: Path, *words: str) -> dict[str, str]:
    sums = program.with_name("sums")
    subprocess.run((watching, program, *words), check=True, capture_output=True, env={"ARGUMENTS_FILE": str(sums)})
    return dict(line.split() for line in sums.read_text().splitlines())


@pytest.mark.parametrize(
    ("word", "calls"),
    [
        ("a", {"mprotect"}), ("f", {"mprotect"}), ("n", {"openat"}), ("p", {"poll"}), ("v", {"writev"}), ("-", set()),
        ("s", {"newfstatat"}), ("l", {"prctl"}), ("m", {"process_vm_readv"}), ("c", {"clone"}),
        ("e", {"execve"}), ("P", {"poll"}), ("M", {"move_pages"}), ("V", {"readv"}), ("S", {"semtimedop"}),
        ("q", {"mq_open"}), ("Q", {"mq_timedsend"}), ("r", {"landlock_create_ruleset"}), ("k", {"connect"}),
        ("t", {"connect"}), ("y", {"mount"}), ("x", {"setxattr"}), ("u", {"io_uring_enter"}),
        ("o", {"setsockopt"}), ("w", {"pwritev"}), ("W", {"pwrite64"}),
    ],
)  # fmt: skip
def test_a_call_with_other_arguments_has_another_sum(
    watching: tuple[Path, Path], argued_program: Path, word: str, calls: set[str]
) -> None:
    usual, other = (argued(watching[0], argued_program, one) for one in ("-", word))
    if calls == {"io_uring_enter"} and not calls <= usual.keys() & other.keys():
        pytest.skip("io_uring is not allowed here, or its memory is not free yet")
    assert {name for name in usual | other if usual.get(name) != other.get(name)} == calls
    assert {"mmap", "mprotect", "openat", "close", "poll", "writev", "read"} <= usual.keys()


def test_where_the_kernel_puts_the_stack_is_no_argument(watching: tuple[Path, Path], argued_program: Path) -> None:
    usual, moved = (argued(watching[0], argued_program, "-", *more) for more in ((), ("x" * 5000,)))
    assert usual == moved, "addresses are chance here, too: the host places mappings as it likes"
