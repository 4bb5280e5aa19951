# SPDX-License-Identifier: GPL-2.0-only
"""The plugin is built for the interface that a QEMU takes, and only once."""

import os
import sys
from pathlib import Path

import pytest

from kassay.errors import HostLacks
from kassay.supply.machines import _plugin

_QEMU = """#!{python}
# Takes plugins for the interfaces from LEAST to 7, as a QEMU does.
import ctypes, os, sys
with open({tries!r}, "a") as tries:
    tries.write("tried\\n")
library = sys.argv[sys.argv.index("-plugin") + 1].partition(",")[0]
version = ctypes.c_int.in_dll(ctypes.CDLL(library, os.RTLD_LAZY), "qemu_plugin_version").value
if {least} <= version <= 7:
    sys.exit(f"{{sys.argv[sys.argv.index('-device') + 1]}} is not a valid device model name")
sys.exit(f"plugin requires API version {{version}}, but this QEMU supports only a minimum version of {least}")
"""


@pytest.fixture
def tries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with a line for each try to load a plugin. A QEMU for it is made by _qemu()."""
    monkeypatch.setattr(_plugin, "FLAGS", tuple(flag.replace("-O2", "-O0") for flag in _plugin.FLAGS))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return tmp_path / "tries"


def _qemu(tries: Path, least: int) -> None:
    program = tries.with_name("qemu-system-x86_64")
    program.write_text(_QEMU.format(python=sys.executable, tries=str(tries), least=least))
    program.chmod(0o755)


@pytest.mark.parametrize(("version", "least", "needed"), [("10.0.2", 1, 1), ("11.1.2 (Debian)", 7, 3)])
@pytest.mark.slow
def test_first_interface_that_loads_is_kept(tries: Path, version: str, least: int, needed: int) -> None:
    _qemu(tries, least)
    library = _plugin.plugin("x86_64", version)
    assert len(tries.read_text().splitlines()) == needed
    assert _plugin.plugin("x86_64", version) == library
    assert len(tries.read_text().splitlines()) == needed


@pytest.mark.slow
def test_qemu_that_takes_none_is_named_with_its_own_words(tries: Path) -> None:
    _qemu(tries, 8)
    with pytest.raises(HostLacks, match=r"QEMU 12\.0 does not load the plugin: .*a minimum version of 8"):
        _plugin.plugin("x86_64", "12.0")
