# SPDX-License-Identifier: GPL-2.0-only
"""A snapshot is used again only by a machine that would boot to the same state, and only if it is whole."""

from pathlib import Path

import msgspec
import pytest

from kassay.supply.machines import _plugin, _qemu, _snapshot, machine_for, qemu_icount
from tests.machines.test_argv import job


def restored(monkeypatch: pytest.MonkeyPatch, plugin: str) -> Path:
    """The snapshot that a run with this plugin looks for."""

    class Looked(Exception):
        pass

    found: list[Path] = []

    def look(path: Path) -> None:
        found.append(path)
        raise Looked

    monkeypatch.setattr(_qemu, "version", lambda _: "7.2.22")
    monkeypatch.setattr(_qemu, "_has_plugin", lambda *_: bool(plugin))
    monkeypatch.setattr(_qemu, "plugin", lambda *_: Path(plugin))
    monkeypatch.setattr(_qemu, "snapshot_lock", look)
    with pytest.raises(Looked):
        _qemu._run(
            qemu_icount.EMULATION, msgspec.structs.replace(job(), program=("w",), snapshot="kernel init"), "x86_64"
        )
    return found[0]


def test_another_plugin_takes_another_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [restored(monkeypatch, plugin) for plugin in ("/cache/1.so", "/cache/2.so", "/elsewhere/2.so", "")]
    assert paths[1] == paths[2] and len(set(paths)) == 3


def test_a_machine_knows_the_sources_of_its_plugin(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    machine, before = machine_for("icount"), _plugin.sources_sha256("x86_64")
    assert machine.plugin_sha256("x86_64") == before != machine.plugin_sha256("arm64")
    assert machine_for("kvm").plugin_sha256("x86_64") == machine_for("host").plugin_sha256("x86_64") == ""
    for path in _plugin.sources().glob("*.[ch]"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr(_plugin, "sources", lambda: tmp_path)
    changed = _plugin.sources_sha256.__wrapped__
    assert changed("x86_64") == before
    with (tmp_path / "arch-arm64.c").open("a") as file:
        file.write("int x;")
    assert changed("x86_64") == before
    with (tmp_path / "halt.c").open("a") as file:
        file.write("int x;")
    assert changed("x86_64") != before


@pytest.mark.parametrize("suffix", ["", ".console", ".sha256"])
def test_a_damaged_snapshot_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str) -> None:
    path = tmp_path / "0123"
    files = {"": b"state of a machine", ".console": b"log", ".sha256": b""}
    for name, data in files.items():
        path.with_suffix(name).write_bytes(data)
    path.with_suffix(".sha256").write_text(_snapshot._sha256(path, path))
    monkeypatch.setattr(_snapshot, "_WHOLE", {})
    damaged = path.with_suffix(suffix)
    whole = damaged.read_bytes()
    damaged.write_bytes(bytes((whole[0] ^ 1, *whole[1:])))
    assert not _snapshot.is_kept(path)
    damaged.write_bytes(whole)
    assert _snapshot.is_kept(path)
