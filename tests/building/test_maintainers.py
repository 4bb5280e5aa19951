# SPDX-License-Identifier: GPL-2.0-only
"""Whom MAINTAINERS names for files: by its own rules, and by the kernel's script on a real tree."""

import subprocess
from pathlib import Path

import pytest

from kassay.supply.building import git
from kassay.supply.building.maintainers import Maintainers
from kassay.supply.building.source import releases_at_hand

TEXT = """List of maintainers

	M: *Mail* patches to: FullName <address@domain>

# A comment.
MEMORY MANAGEMENT
M:	Andrew A <andrew@example.org>
L:	linux-mm@example.org
L:	moderated@example.org (moderated for non-subscribers)
L:	closed@example.org (subscribers-only)
S:	Maintained
F:	mm/
X:	mm/slab*

PROTECTION
M:	Lo "Bracket" L. <old@example.org>
R:	Second P <second@example.org>
R:	Andrew A <elsewhere@example.org>
F:	mm/mprotect.c

FLAT
M:	flat@example.org
F:	mm/*

EVERYTHING BELOW
M:	Deep D <deep@example.org>
F:	fs/**/*file*

BY NAME
M:	Named N <named@example.org>
N:	[^a-z]pte

NO SLASH
M:	Bare B <bare@example.org>
F:	kernel/sched

THE REST
M:	Linus Torvalds <torvalds@linux-foundation.org>
L:	linux-kernel@example.org
S:	Buried alive in reporters
F:	*
F:	*/
"""
MAILMAP = """# present names
Lo Bracket <new@example.org> <old@example.org>
"""
FILES = (
    "arch/arm64/mm/fault.c", "arch/x86/entry/syscall_64.c", "arch/x86/mm/fault.c", "block/blk-mq.c", "fs/exec.c",
    "fs/ext4/inode.c", "fs/pipe.c", "fs/proc/task_mmu.c", "fs/xfs/xfs_inode.c", "include/linux/mm.h",
    "include/linux/slab.h", "kernel/bpf/core.c", "kernel/fork.c", "kernel/futex/core.c", "kernel/locking/rwsem.c",
    "kernel/rcu/tree.c", "kernel/sched/core.c", "kernel/time/tick-sched.c", "lib/iov_iter.c", "lib/maple_tree.c",
    "lib/string.c", "mm/damon/core.c", "mm/huge_memory.c", "mm/memory.c", "mm/mprotect.c", "mm/mremap.c",
    "mm/page_alloc.c", "mm/shmem.c", "mm/slub.c", "mm/vmscan.c",
)  # fmt: skip


@pytest.mark.parametrize(
    ("file", "people"),
    [
        ("mm/mprotect.c", ['"Lo \\"Bracket\\" L." <old@example.org>', "Second P <second@example.org>",
                           "Andrew A <elsewhere@example.org>", "flat@example.org", "linux-mm@example.org",
                           "moderated@example.org", "linux-kernel@example.org"]),
        ("mm/slab_common.c", ["flat@example.org", "linux-kernel@example.org"]),
        ("mm/damon/core.c", ["Andrew A <andrew@example.org>", "linux-mm@example.org", "moderated@example.org",
                             "linux-kernel@example.org"]),
        ("fs/a/b/file.c", ["Deep D <deep@example.org>", "linux-kernel@example.org"]),
        ("arch/x86/pte.c", ["Named N <named@example.org>", "linux-kernel@example.org"]),
        ("kernel/sched/core.c", ["Bare B <bare@example.org>", "linux-kernel@example.org"]),
        ("README", ["linux-kernel@example.org"]),
    ],
)  # fmt: skip
def test_people_of_the_deepest_pattern_come_first_and_lists_last(file: str, people: list[str]) -> None:
    assert list(Maintainers(TEXT).recipients([file])) == people


def test_people_are_called_by_their_present_names() -> None:
    found = Maintainers(TEXT.replace('Lo "Bracket" L.', "L. Bracket"), MAILMAP).recipients(["mm/mprotect.c"])
    assert found[0] == "Lo Bracket <new@example.org>"


def test_several_files_have_everybody_once() -> None:
    found = Maintainers(TEXT).recipients(["mm/damon/core.c", "kernel/sched/core.c"])
    assert found == ("Bare B <bare@example.org>", "Andrew A <andrew@example.org>", "linux-kernel@example.org",
                     "linux-mm@example.org", "moderated@example.org")  # fmt: skip


@pytest.mark.slow
def test_the_script_of_the_kernel_names_the_same_people(tmp_path: Path) -> None:
    """Their order may differ: the script sorts sections of equal depth at random."""
    trees = list(releases_at_hand().values())
    if not trees:
        pytest.skip("no sources of a release are in the cache")
    wanted = ("MAINTAINERS", ".mailmap", "scripts/get_maintainer.pl", *FILES)
    for path in wanted:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(git.read(trees[0], path) or "")
    read = Maintainers((tmp_path / "MAINTAINERS").read_text(), (tmp_path / ".mailmap").read_text())
    options = ("--no-tree", "--no-git", "--no-git-fallback", "--norolestats", "-f")
    for file in FILES:
        script = ("perl", "scripts/get_maintainer.pl", *options, file)
        said = subprocess.run(script, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert sorted(read.recipients([file])) == sorted(said.stdout.splitlines()), file
