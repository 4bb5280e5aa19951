# SPDX-License-Identifier: GPL-2.0-only
"""From a profile's call stacks to paths of the kernel."""

import pytest

from kassay.errors import BadInput
from kassay.labs.notice.paths import kernel_paths
from tests.analysis.profiles import profile

KNOWN = {"do_syscall_64", "__x64_sys_mprotect", "mprotect_fixup", "change_protection.isra.0", "memcpy"}
WAY = ("kernel", "main", "toggle", "do_syscall_64", "__x64_sys_mprotect", "mprotect_fixup")


def test_user_code_is_cut_off_and_a_copy_has_the_name_of_its_function() -> None:
    one = profile({"change_protection.isra.0": (40, 2)}, stacks={(*WAY, "change_protection.isra.0"): 40})
    found = kernel_paths(one, KNOWN, 10)
    (path,) = found.paths
    assert path.functions == ("do_syscall_64", "__x64_sys_mprotect", "mprotect_fixup", "change_protection")
    assert (path.entry, path.function, path.cost) == ("mprotect", "__x64_sys_mprotect", 4)
    assert found.calls == {"change_protection": 0.2}


def test_user_code_with_the_name_of_a_kernel_function_is_cut_off() -> None:
    """The functions read_pages and memset are in programs and in kernels."""
    way = ("main", "read_pages", "asm_exc_page_fault", "do_user_addr_fault")
    one = profile({"f": (1, 1)}, stacks={("user", "main", "read_pages"): 9, ("kernel", *way): 20})
    (path,) = kernel_paths(one, {*way[1:]}, 10).paths
    assert (path.entry, path.functions) == ("page fault", way[2:])


def test_user_code_itself_and_other_tasks_are_left_out() -> None:
    one = profile({"f": (1, 1)}, stacks={("user", "main"): 9, ("other", "do_syscall_64"): 9, WAY[:4]: 20})
    (path,) = kernel_paths(one, KNOWN, 10).paths
    assert (path.entry, path.functions, path.cost) == ("", ("do_syscall_64",), 2)


def test_a_profile_without_call_stacks_is_refused() -> None:
    with pytest.raises(BadInput, match="no call stacks"):
        kernel_paths(profile({"f": (1, 1)}), KNOWN, 10)
