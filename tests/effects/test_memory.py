# SPDX-License-Identifier: GPL-2.0-only
"""How much memory the host can give."""

from pathlib import Path

from kassay.effects.memory import available_bytes, memory_bytes


def test_page_cache_that_can_go_is_available(tmp_path: Path) -> None:
    (tmp_path / "meminfo").write_text("MemTotal: 8000 kB\nMemFree: 10 kB\nMemAvailable:    4000 kB\nCached: 3990 kB\n")
    assert available_bytes(tmp_path / "meminfo") == 4000 << 10


def test_this_host_has_no_more_than_it_has() -> None:
    assert 0 < available_bytes() <= memory_bytes()
