# SPDX-License-Identifier: GPL-2.0-only
"""Single symbols of a kernel's configuration, and the modules that some of them make."""

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from kassay.errors import BadInput
from kassay.model.kernel import KernelArtifact

_LINE = re.compile(r"^CONFIG_(\w+)=(.*)$", re.M)
_WHOLE = "64BIT"
"""Symbol that every whole configuration of a known architecture has, and a fragment has not."""
_MODULES = {"zram": "ZRAM", "brd": "BLK_DEV_RAM"}
"""Modules that kassay's workloads need, and the symbol of each."""


def option(artifact: KernelArtifact, symbol: str) -> str | None:
    """Value of a symbol ("PROC_FS"): "y", "m", "n" or a text. None if the kernel's whole configuration is not known."""
    if artifact.config is None:
        return None
    options = _options(artifact.config, Path(artifact.config).stat().st_mtime_ns)
    return options.get(symbol, "n") if _WHOLE in options else None


def built_in(artifact: KernelArtifact) -> frozenset[str]:
    """Modules that the configuration compiles in."""
    return frozenset(name for name, symbol in _MODULES.items() if option(artifact, symbol) == "y")


def check_modules(artifact: KernelArtifact, names: Sequence[str]) -> None:
    """Raises BadInput for a module that the configuration leaves out."""
    for name in names:
        if name in _MODULES and option(artifact, _MODULES[name]) == "n":
            symbol = f"CONFIG_{_MODULES[name]}"
            raise BadInput(f"kernel {artifact.identity.ref!r}: has no module {name}: {symbol} is not set",
                           f"build it with {symbol}=m, or leave that workload or swap away")  # fmt: skip


@lru_cache(16)
def _options(path: str, _: int) -> dict[str, str]:
    return dict(_LINE.findall(Path(path).read_text("utf-8", "replace")))
