# SPDX-License-Identifier: GPL-2.0-only
"""Where functions are defined: what counts as a definition, several candidates, names of compiled system calls."""

from pathlib import Path

import pytest

from kassay.errors import HostLacks
from kassay.model.progress import Progress, silent
from kassay.supply.building import git
from kassay.supply.building.source_index import SourceIndex, defined_in, index_of

MPROTECT = """// SPDX-License-Identifier: GPL-2.0-only
#define MAKE(name)	\\
static int name(int n)	\\
{			\\
	return n;	\\
}

struct walk {
	int (*entry)(int n);
};

int only_declared(int n,
			int m);
extern int declared_too(int n);

static __always_inline __attribute__((cold))
int change_pte_range(struct mmu_gather *tlb,
			unsigned long addr)
	__must_hold(ptl)
{
out:
	return helper(tlb);
}

static const struct walk ops = {
	.entry = change_pte_range,
};

static struct walk made = MAKE_WALK(1);

static int helper(struct mmu_gather *tlb) { return 0; }

static __printf(2, 3) void say(int level,
const char *format, ...)
{
}

SYSCALL_DEFINE3(mprotect, unsigned long, start, size_t, len,
		unsigned long, prot)
{
	return do_mprotect_pkey(start, len, prot, -1);
}
"""
FILES = {
    "mm/mprotect.c": MPROTECT,
    "mm/memory.c": "int helper(int n)\n{\n}\n\nint walk_pte(void)\n{\n}\n",
    "include/linux/mm.h": "static inline int walk_pte(void)\n{\n}\n\nstatic inline int is_pte(int n)\n{\n}\n",
    "arch/x86/mm/fault.c": "DEFINE_IDTENTRY_RAW_ERRORCODE(exc_page_fault)\n{\n}\nint fault_in(void)\n{\n}\n",
    "arch/arm64/mm/fault.c": "int fault_in(void)\n{\n}\n",
    "arch/x86/boot/compressed/string.c": "void *memset(void *s)\n{\n}\n",
    "arch/x86/lib/memset_64.S": "SYM_FUNC_START(__memset)\nSYM_FUNC_END(__memset)\nSYM_FUNC_ALIAS(memset, __memset)\n",
    "drivers/other.c": "int unseen(void)\n{\n}\n",
    "mm/Makefile": "define_walk(\n{\n",
    "MAINTAINERS": "MEMORY\nM:\tA <a@example.org>\nF:\tmm/\n",
}  # fmt: skip


@pytest.fixture
def tree(tmp_path: Path, cache: Path) -> str:
    for path, text in FILES.items():
        (tmp_path / "linux" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "linux" / path).write_text(text)
    return git.tree_of_files(tmp_path / "linux", silent, subject="x")


@pytest.fixture
def index(tree: str) -> SourceIndex:
    return index_of(tree, silent)


def test_definitions_are_told_from_declarations_macros_and_data() -> None:
    lines = [line for line in MPROTECT.split("\n") if line[:1].isalpha() or line[:1] in ("_", "{")]
    assert list(defined_in(lines)) == ["change_pte_range", "helper", "say", "__do_sys_mprotect"]


@pytest.mark.parametrize(
    ("function", "files"),
    [
        ("change_pte_range.constprop.0", ("mm/mprotect.c",)),
        ("__x64_sys_mprotect", ("mm/mprotect.c",)),
        ("__arm64_sys_mprotect", ("mm/mprotect.c",)),
        ("helper", ("mm/memory.c", "mm/mprotect.c")),
        ("walk_pte", ("mm/memory.c",)),
        ("is_pte", ("include/linux/mm.h",)),
        ("exc_page_fault", ("arch/x86/mm/fault.c",)),
        ("memset", ("arch/x86/lib/memset_64.S",)),
        ("only_declared", ()),
        ("unseen", ()),
        ("define_walk", ()),
    ],
)
def test_a_function_has_the_files_that_may_define_it(index: SourceIndex, function: str, files: tuple[str, ...]) -> None:
    assert index.files_of(function) == files


def test_files_of_another_architecture_are_left_out(index: SourceIndex) -> None:
    assert len(index.files_of("fault_in")) == 2
    assert index.files_of("fault_in", "x86_64") == ("arch/x86/mm/fault.c",)
    assert index.files_of("fault_in", "arm64") == ("arch/arm64/mm/fault.c",)


def test_an_index_names_people_and_is_made_once_for_a_content(tree: str, index: SourceIndex, tmp_path: Path) -> None:
    said: list[Progress] = []
    again = index_of(tmp_path / "linux", said.append)
    assert again.files_of("is_pte") == index.files_of("is_pte") and said == []
    assert again.recipients(again.files_of("walk_pte")) == ("A <a@example.org>",)


def test_a_tree_that_the_store_lacks_is_refused(cache: Path) -> None:
    with pytest.raises(HostLacks, match="no kernel sources"):
        index_of("0" * 40, silent)
