# SPDX-License-Identifier: GPL-2.0-only
"""Functions of a C file are found as the compiler finds them, and their state is told per kernel."""

import contextlib
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.analysis.pairing import folded
from kassay.errors import BadInput
from kassay.evidence.profile.coverage import functions_of, rows
from kassay.model.profile import FunctionCost, Profile

GUEST = Path(__file__).parents[2] / "guest"
SOURCES = sorted(path for path in GUEST.glob("*.c") if "<sys/io.h>" not in path.read_text())  # defines functions, too
TRICKY = """
/* not_one(int x)
{ */
#define NOT_TWO(x) do { /* over
 * lines (a) { */ \\
\tbar(x); \\
} while (0)
#error don't
struct __attribute__((packed)) not_three {
\tint (*callback)(int);
};
static const struct ops not_four = {
\t.open = opened(x),
};
EXPORT_SYMBOL(not_five);
extern void not_six(int a);
enum { NOT_SEVEN, EIGHT };
static int not_nine[] = { 1, f(2) };
static inline int one_line(void) { return 0; }
static inline void twice_opened(int a)
{
\tchar *text = "}\\"{ not_ten(int a)";

#ifdef A
\tif (a) {
#else
\tif (!a) {
#endif
\t}
}
static __printf(1, 2) void __attributes_before(const char *format,
\t\t\t\t\t   ...)
\t__acquires(x) __unheard_of(y)
{
out:
\treturn;
}
#ifdef A
static int two_heads(int a)
#else
static int two_heads(void)
#endif
{
}
int takes_a_function(int (*callback)(void)) {
\treturn '{' + '"';
}
DEFINE_IDTENTRY_RAW(exc_trap)
{
}
static __always_inline
long type_above(void)
{ }
SYSCALL_DEFINE2(mincore, unsigned long, start,
\t\tsize_t, len)
{
}
COMPAT_SYSCALL_DEFINE1(old, int, x)
{
}
"""


def cost(function: str, calls: int = 1, *, context: str = "kernel", place: str = "kernel", count: int = 10,
         iterations: int = 0) -> FunctionCost:  # fmt: skip
    return FunctionCost(
        function=function, place=place, context=context, instructions=count, calls=calls, iterations=iterations
    )


def profile(*functions: FunctionCost, operations: int = 4) -> Profile:
    return Profile(
        kernel="k", run="r", mode="counts", phase="scan", rounds=(0,), operations=operations, ticks=None,
        functions=functions, edges=(),
    )  # fmt: skip


def test_what_looks_like_a_function_and_is_none_is_left_out(tmp_path: Path) -> None:
    source = tmp_path / "tricky.c"
    source.write_text(TRICKY)
    syscalls = [f"__{prefix}_{name}" for name in ("sys_mincore", "compat_sys_old")
                for prefix in ("x64", "arm64", "do", "se")]  # fmt: skip
    assert functions_of(source) == (
        "one_line", "twice_opened", "__attributes_before", "two_heads", "takes_a_function", "exc_trap", "type_above",
        *syscalls,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_it_finds_what_the_compiler_finds(source: Path, tmp_path: Path) -> None:
    compiled = tmp_path / "o"
    flags = ("-std=gnu11", "-O0", "-fkeep-static-functions", f"-I{GUEST}", "-w")
    subprocess.run(["gcc", *flags, "-c", source, "-o", compiled], check=True)
    told = subprocess.run(["nm", "--defined-only", compiled], capture_output=True, text=True, check=True).stdout
    symbols = {line.split()[2] for line in told.splitlines() if line.split()[1] in "tTW"}
    headers = {name for header in GUEST.glob("*.h") for name in _functions_in(header)}
    assert set(functions_of(source)) - headers == symbols - headers


def _functions_in(header: Path) -> tuple[str, ...]:
    return functions_of(header) if re.search(r"^static", header.read_text(), re.MULTILINE) else ()


@given(st.text("ab(){};\"'/*#\\\n =x", max_size=300))
def test_any_text_is_read_without_an_exception_of_its_own(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    source = tmp_path_factory.mktemp("c") / "any.c"
    source.write_text(text + "\nvoid last(void)\n{\n}\n")
    with contextlib.suppress(BadInput):  # an open comment or brace may swallow the rest
        assert functions_of(source)


def test_a_missing_file_and_one_without_functions_are_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="No such file"):
        functions_of(tmp_path / "none.c")
    (tmp_path / "empty.c").write_text("int a;\n")
    with pytest.raises(BadInput, match="defines no function"):
        functions_of(tmp_path / "empty.c")


def test_a_program_is_not_taken_for_a_source(tmp_path: Path) -> None:
    (tmp_path / "true").write_bytes(b"\x7fELF\0\0\nint t(void)\n{\n}\n")
    with pytest.raises(BadInput, match="not a text file"):
        functions_of(tmp_path / "true")


def test_a_function_is_executed_or_not_or_has_no_symbol_on_each_kernel() -> None:
    old = folded(profile(cost("walk", 8, iterations=2), cost("walk.cold", 1), cost("user_like", place="program")))
    new = profile(cost("other_task", context="other"), operations=1)
    known = (frozenset({"walk", "idle_one"}), frozenset({"walk.constprop.0", "other_task"}))
    found = {row.function: row for row in rows(("walk", "idle_one", "other_task", "user_like"), (old, new), known)}
    assert found["walk"].states == ("executed", "not executed")
    assert found["walk"].calls == (2.0, 0.0)
    assert found["walk"].counts == (22 / 4, 0.0)
    assert found["idle_one"].states == ("not executed", "no symbol")
    assert found["idle_one"].calls == (0.0, None)
    assert found["other_task"].states == ("no symbol", "not executed")
    assert found["user_like"].states == ("no symbol", "no symbol")


def test_of_a_system_call_only_the_wrappers_that_exist_are_shown() -> None:
    names = ("__x64_sys_a", "__arm64_sys_a", "__do_sys_a", "__se_sys_a", "__x64_sys_gone", "helper")
    made = rows(names, (profile(cost("__x64_sys_a")),), (frozenset({"__x64_sys_a", "__do_sys_a"}),))
    assert [row.function for row in made] == ["__x64_sys_a", "__do_sys_a", "__x64_sys_gone", "helper"]
