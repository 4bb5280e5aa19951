# SPDX-License-Identifier: GPL-2.0-only
"""An architecture is one file of plugin/; what QEMU emulates beyond these is refused by name."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kassay.supply.machines._plugin import FLAGS, sources

pytestmark = pytest.mark.slow

INSTALL = """
import ctypes, sys
class Info(ctypes.Structure):
    _fields_ = (("target", ctypes.c_char_p), ("min", ctypes.c_int), ("cur", ctypes.c_int),
                ("system", ctypes.c_bool), ("smp", ctypes.c_int), ("max", ctypes.c_int))
plugin = ctypes.CDLL(sys.argv[1])
info = Info(sys.argv[2].encode(), 0, 1, True, 1, 1)
sys.exit(plugin.qemu_plugin_install(ctypes.c_uint64(1), ctypes.byref(info), 0, None) & 255)
"""
ARCH = """
#include "code.h"
static struct last_insn ending(const uint8_t *code, size_t size, uint64_t address)
{
	return (struct last_insn){ code[0] ? END_PLAIN : END_HALT, address + size };
}
static int mark(const uint8_t *code, size_t size)
{
	return size > 8 && code[0];
}
static bool moves_stack(const uint8_t *code, size_t size)
{
	return size > 8 && code[0];
}
static struct arch riscv64 = { .target = "riscv64", .ending = ending, .mark = mark, .moves_stack = moves_stack };

ARCH(riscv64)
"""


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plugin with one file more, linked with stubs in QEMU's stead."""
    scratch = tmp_path_factory.mktemp("plugin")
    folder = shutil.copytree(sources(), scratch / "plugin")
    (folder / "arch-riscv64.c").write_text(ARCH)
    names = set(re.findall(r"\b(qemu_plugin_\w+)\(", (folder / "qemu_api.h").read_text())) - {"qemu_plugin_install"}
    stubs = scratch / "stubs.c"
    stubs.write_text("".join(f"int {name}(void);\nint {name}(void)\n{{\n\treturn 0;\n}}\n" for name in sorted(names)))
    made = scratch / "plugin.so"
    files = (*map(str, sorted(folder.glob("*.c"))), str(stubs))
    flags = [flag for flag in FLAGS if not flag.startswith("-O")]
    subprocess.run(("gcc", *flags, "-O0", "-DKASSAY_QEMU_API=1", "-o", str(made), *files), check=True)
    return made


def words_for(target: str, plugin: Path) -> str:
    """Message of the plugin when QEMU loads it without arguments."""
    done = subprocess.run((sys.executable, "-c", INSTALL, str(plugin), target), capture_output=True, text=True)
    assert done.returncode == 255
    return done.stderr


def test_an_architecture_is_one_file(plugin: Path) -> None:
    known = words_for("riscv64", plugin)
    assert "not known" not in known and "out=PATH and points=PATH are needed" in known


def test_a_target_that_no_file_is_for_is_refused_and_the_known_ones_are_named(plugin: Path) -> None:
    assert words_for("mips64", plugin) == "kassay-profile: mips64 is not known; known are aarch64, riscv64, x86_64\n"
