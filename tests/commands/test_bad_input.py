# SPDX-License-Identifier: GPL-2.0-only
"""Bad input and missing tools: one to three lines with the way out, and the right exit status."""

import os
import sys
from pathlib import Path

import pytest

from kassay.effects.distribution import install
from kassay.effects.process import run
from tests.commands.conftest import Kassay

TWO = ("image:/etc/hostname", "image:/etc/hostname")


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (
            ("compare", "mprotect_toggle", "linux-6.12", "debian:6.17"),
            2,
            "kernel 'linux-6.12': not a kernel",
        ),
        (
            ("compare", "mprotect_togle", *TWO),
            2,
            "unknown workload 'mprotect_togle' did you mean mprotect_toggle? known: ",
        ),
        (("compare", "mprotect_toggle", "debain:6.12", "6.17"), 2, "did you mean debian:6.12?"),
        (
            ("compare", "mprotect_toggle", "6.17", "6.17@thp=never"),
            2,
            "kernel '6.17@thp=never': '@thp=' is no setting of one kernel",
        ),
        (("compare", "mprotect_toggle", *TWO, "--format", "htlm"), 2, "did you mean html?"),
        (("compare", "mprotect_toggle", *TWO, "--order", "sandwhich"), 2, "did you mean sandwich? known: interleaved"),
        (("compare", "mprotect_toggle", *TWO, "--set", "sise=1MiB"), 2, "unknown parameter 'sise'"),
        (("compare", "mprotect_toggle", *TWO, "--set", "size=9EiB"), 2, "'9EiB' is not a size"),
        (("compare", "mprotect_toggle", *TWO, "--set", "size=4TiB"), 2, "outside"),
        (("compare", "mprotect_toggle", *TWO, "--set", "size=4097B"), 2, "not a multiple of 4KiB"),
        (("compare", "mprotect_toggle", *TWO, "--set", "size"), 2, "write NAME=VALUE"),
        (
            ("compare", "mprotect_toggle", *TWO, "--clock", "tcg,icount"),
            2,
            "not two clocks that can stand side by side",
        ),
        (
            ("compare", "mprotect_toggle", *TWO, "--clock", "icount,host"),
            2,
            "write icount,tcg, icount,kvm or icount,metal",
        ),
        (("compare", "mprotect_toggle", *TWO, "--memory", "lots"), 2, "'lots' is not a size"),
        (("compare", "mprotect_toggle", *TWO, "--memory", "16MiB"), 2, "--memory: 16MiB is outside"),
        (("compare", "mprotect_toggle", *TWO, "--cpus", "many"), 2, "--cpus 'many'"),
        (("compare", "mprotect_toggle", *TWO, "--repeats", "0"), 2, "repeats: 0 is outside"),
        (("compare", "mprotect_toggle", *TWO, "--clock", "sundial"), 2, "clock: unknown 'sundial'"),
        (("compare", "mprotect_toggle", *TWO, "--order", "up"), 2, "order: unknown 'up'"),
        (("compare", "mprotect_toggle", *TWO, "--format", "papyrus"), 2, "--format: unknown 'papyrus'"),
        (("compare", "mprotect_toggle", *TWO), 2, "/etc/hostname"),
        (("compare", "mprotect_toggle", "image:/nowhere", "image:/nowhere"), 2, "/nowhere"),
        (("ladder", "mprotect_toggle", "image:/nowhere"), 2, "a ladder needs at least two"),
        (("run", "/nowhere.toml"), 2, "/nowhere.toml: No such file"),
        (("report", "/tmp"), 2, "/tmp: not a run directory"),
        (("workloads", "nothing"), 2, "unknown workload 'nothing'"),
        (
            ("notice", "do_wp_page", "6.17", "--no-measure", "--rounds", "3"),
            2,
            "--rounds: does nothing with --no-measure leave out one of them",
        ),
        (("weigh",), 2, "No such command"),
        (("compare", "mprotect_toggle", *TWO, "--no-such-option"), 2, "No such option"),
    ],
)
def test_bad_input_is_said_briefly(
    kassay: Kassay,
    tmp_path: Path,
    words: tuple[str, ...],
    status: int,
    said: str,
) -> None:
    out = ("--out", str(tmp_path / "d")) if words[0] in ("compare", "ladder") else ()
    found, _, err = kassay(*words, *out)
    assert found == status, err
    assert said in " ".join(err.split()), err
    if err.startswith("kassay:"):
        assert len(err.strip().splitlines()) <= 3, err
    assert "Traceback" not in err


@pytest.mark.slow
def test_without_qemu_the_package_is_named(tmp_path: Path) -> None:
    """In a process of its own: which programs this host has is looked up once."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("gcc", "setpriv", "as", "ld"):
        (tools / name).symlink_to(f"/usr/bin/{name}")
    words = ("compare", "mprotect_toggle", *TWO, "--out", str(tmp_path / "d"))
    argv = (sys.executable, "-c", "from kassay.cli import main; main()", *words)
    done = run(argv, env={**os.environ, "PATH": str(tools)}, timeout_s=120)
    assert (done.status, install("qemu-system-x86") in done.err) == (3, True), done.err


@pytest.mark.slow
def test_without_network_and_index_the_way_out_is_said(kassay: Kassay, tmp_path: Path) -> None:
    words = ("kernels", "fetch", "debian:6.12")
    dead = "http://127.0.0.1:9"
    status, _, err = kassay(*words, XDG_CACHE_HOME=str(tmp_path), http_proxy=dead, https_proxy=dead)
    assert status == 3, err
    last = err[err.index("kassay:") :]
    assert "network" in last and len(last.strip().splitlines()) <= 3


def test_a_read_only_place_is_said(kassay: Kassay, tmp_path: Path) -> None:
    status, _, err = kassay("compare", "mprotect_toggle", *TWO, "--out", "/proc/nowhere/d")
    assert status in (2, 3), err
    assert "Traceback" not in err
