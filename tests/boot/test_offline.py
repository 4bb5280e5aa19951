# SPDX-License-Identifier: GPL-2.0-only
"""An experiment on a machine without network and with an empty cache, from a kit: the same digits."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.boot.conftest import OLD, Kassay, command, measured, restored

pytestmark = [pytest.mark.boot, pytest.mark.network]


def test_a_kit_gives_the_same_digits_without_network(kassay: Kassay, tmp_path: Path) -> None:
    online, kit = tmp_path / "online", tmp_path / "kit"
    measured(restored("mprotect_toggle", OLD, settings={"size": "2MiB"}), online)
    ran = kassay("kernels", "fetch", "--for", str(online / "spec.toml"), "--out", str(kit))
    assert ran.status == 0, ran.err
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "empty")}

    def offline(*words: str) -> str:
        argv = ("unshare", "--map-root-user", "--net", *command(*words))
        done = subprocess.run(argv, capture_output=True, text=True, timeout=600, env=environment, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "every hash is right" in offline("kernels", "use", str(kit))
    values = offline("run", str(kit / "experiment.toml"), "--out", str(tmp_path / "offline"), "--format", "csv")
    assert values == kassay("report", str(online), "--format", "csv").out
