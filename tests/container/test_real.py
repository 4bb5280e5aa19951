# SPDX-License-Identifier: GPL-2.0-only
"""scripts/kassay with the real podman or docker, where one can run the image."""

import os
import pty
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "kassay"

pytestmark = pytest.mark.slow


def _run(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run((SCRIPT, *arguments), cwd=place, env={**os.environ, "PWD": str(place)}, timeout=60,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)  # fmt: skip


@pytest.fixture(autouse=True)
def _image(tmp_path: Path) -> None:
    if shutil.which("podman") is None and shutil.which("docker") is None:
        pytest.skip("no podman and no docker on this host")
    done = _run(tmp_path, "--version")
    if done.returncode:
        pytest.skip(f"the container cannot run here: {done.stderr.strip()[:200]}")


def test_files_status_and_errors_are_those_of_the_command(tmp_path: Path) -> None:
    shown = _run(tmp_path, "workloads")
    assert shown.returncode == 0 and "mprotect_toggle" in shown.stdout
    assert {line.partition(":")[0] for line in shown.stderr.splitlines()} <= {"compile"}  # of a fresh cache
    done = _run(tmp_path, "report", "nothing-here")
    assert done.returncode == 2 and "nothing-here" in done.stderr
    (tmp_path / "broken.toml").write_text("x = ")
    done = _run(tmp_path, "run", "broken.toml")
    assert done.returncode == 2 and "broken.toml" in done.stderr


def test_place_that_is_not_mounted_is_named(tmp_path: Path) -> None:
    done = _run(tmp_path, "run", "/srv/kassay-nowhere/broken.toml")
    assert done.returncode == 2 and "KASSAY_MOUNT" in done.stderr
    done = _run(tmp_path, "kernels", "source", "build:debian-source:7.3", "--out", "/var/tmp/kassay-nowhere")
    assert done.returncode == 3 and "KASSAY_MOUNT" in done.stderr


def test_the_models_compile_in_it(tmp_path: Path) -> None:
    """They are made with link-time optimisation."""
    environment = {**os.environ, "PWD": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    argv = (SCRIPT, "pcp", "simulate", "--policy", "fixed", "--set", "events=1000")
    done = subprocess.run(argv, cwd=tmp_path, env=environment, timeout=60, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_ctrl_c_ends_the_container(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "experiment.toml")  # which kassay waits for
    # As in a terminal: what runs the tests may ignore the signal, and that is inherited.
    argv = ("env", "--default-signal=INT", SCRIPT, "run", "experiment.toml")
    environment = {**os.environ, "PWD": str(tmp_path)}
    with subprocess.Popen(argv, cwd=tmp_path, env=environment, start_new_session=True) as child:
        assert _comes(lambda: bool(_readers(tmp_path)))
        os.killpg(child.pid, signal.SIGINT)
        assert child.wait(timeout=30) == 130
    assert _comes(lambda: not _readers(tmp_path))


def test_output_is_a_terminal_if_the_caller_has_one(tmp_path: Path) -> None:
    controller, terminal = pty.openpty()
    environment = {**os.environ, "PWD": str(tmp_path), "TERM": "xterm", "COLUMNS": "80"}
    done = subprocess.run((SCRIPT, "workloads"), cwd=tmp_path, env=environment, stdin=terminal, stdout=terminal,
                          stderr=terminal, timeout=60)  # fmt: skip
    os.close(terminal)
    assert done.returncode == 0 and b"\x1b[" in os.read(controller, 4096)
    os.close(controller)


def _readers(place: Path) -> list[str]:
    """Processes of the command, in the container or not."""
    lines = [(path / "cmdline").read_bytes() for path in Path("/proc").glob("[0-9]*") if _has_cwd(path, place)]
    return [line.decode() for line in lines if b"kassay" in line]


def _has_cwd(process: Path, place: Path) -> bool:
    try:
        return b"python3" in (process / "cmdline").read_bytes() and str((process / "cwd").readlink()) == str(place)
    except OSError:
        return False


def _comes(true: Callable[[], bool]) -> bool:
    for _ in range(200):
        if true():
            return True
        time.sleep(0.1)
    return False
