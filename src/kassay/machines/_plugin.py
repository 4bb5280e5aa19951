# SPDX-License-Identifier: GPL-2.0-only
"""The profiling plugin: built for this host's QEMU when first used, and tried in it."""

import hashlib
import re
import tempfile
from functools import cache
from pathlib import Path

from kassay.arches import arch_of
from kassay.effects import files, process
from kassay.errors import Defect, HostLacks

COMPILER = "gcc"
FLAGS = (
    "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-Wstrict-prototypes", "-fPIC", "-shared",
    "-fvisibility=hidden", "-pthread",
)  # fmt: skip
_NO_DEVICE = "kassay-none"


def plugin(arch: str, words: str) -> Path:
    """The plugin for the QEMU that calls itself `words` ("7.2.22 (Debian ...)"), built when not yet there.

    Raises HostLacks without a compiler, or when this QEMU takes no plugins.
    """
    if process.find(COMPILER) is None:
        raise HostLacks(
            f"no profile: {COMPILER} is not there to build QEMU's plugin", f"install it: apt install {COMPILER}"
        )
    api = interface(words)
    kept = files.cache_directory() / "plugin" / f"{_key(api, words, arch)}.so"
    if not kept.is_file():
        with tempfile.TemporaryDirectory(prefix="kassay-cc-") as scratch:
            made = _compile(api, Path(scratch))
            _try(made, arch, words)
            files.write_atomic(kept, made.read_bytes(), mode=0o755)
    return kept


def interface(words: str) -> int:
    """Which of the interfaces in plugin/qemu_api.h a QEMU has: 1 to 8.2, 2 in 9.0, 3 since 9.1."""
    numbers = re.match(r"(\d+)\.(\d+)", words)
    if numbers is None:
        raise HostLacks(f"no profile: QEMU's version is not understood: {words!r}", "use a QEMU of 7.2 or later")
    version = (int(numbers[1]), int(numbers[2]))
    return 1 if version < (9, 0) else 2 if version < (9, 1) else 3


def sources() -> Path:
    """The folder with profile.c: in a checkout, or inside the installed package."""
    here = Path(__file__).resolve()
    for candidate in (here.parents[1] / "_plugin", here.parents[3] / "plugin"):
        if (candidate / "profile.c").is_file():
            return candidate
    raise Defect(f"{here.parents[1]}: the plugin's sources are not part of this installation")


def _compile(api: int, scratch: Path) -> Path:
    made = scratch / "profile.so"
    names = sorted(path.name for path in sources().glob("*.c"))
    argv = (COMPILER, *FLAGS, f"-DKASSAY_QEMU_API={api}", "-o", str(made), *names)
    done = process.run(argv, cwd=sources(), timeout_s=120)
    if done.status or not made.is_file():
        first = next((line for line in done.err.splitlines() if "error" in line), done.err.strip()[-200:])
        raise HostLacks(f"no profile: QEMU's plugin does not compile with {COMPILER}: {first}",
                        "apt install gcc libc6-dev, or measure with --profile none")  # fmt: skip
    return made


def _try(made: Path, arch: str, words: str) -> None:
    """QEMU loads its plugins before it looks at its devices, so a device that is not there ends it just after."""
    argv = (
        arch_of(arch).qemu.program, "-M", "none", "-nodefaults", "-display", "none", "-device", _NO_DEVICE,
        "-plugin", f"{made},out=/dev/null,points=/dev/null",
    )  # fmt: skip
    said = process.run(argv, timeout_s=30).err
    if _NO_DEVICE not in said:
        why = (said.strip().splitlines() or ["it said nothing"])[-1]
        raise HostLacks(f"no profile: QEMU {words} does not load the plugin: {why}",
                        "use a QEMU built with plugins (Debian's is), or measure with --profile none")  # fmt: skip


@cache
def _key(api: int, words: str, arch: str) -> str:
    """A hash over sources, flags, compiler and QEMU: what any of them changes is built and tried anew."""
    said = process.run((COMPILER, "--version")).out.partition("\n")[0]
    digest = hashlib.sha256(repr((api, words, arch, said, FLAGS)).encode())
    for path in sorted(sources().glob("*.[ch]")):
        digest.update(f"\0{path.name}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]
