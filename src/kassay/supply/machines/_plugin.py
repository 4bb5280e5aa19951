# SPDX-License-Identifier: GPL-2.0-only
"""The profiling plugin: built for this host's QEMU when first used, and tried in it."""

import re
import shutil
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from kassay import registry
from kassay.effects import compiler, files, process
from kassay.effects.compiler import COMPILER
from kassay.effects.distribution import install
from kassay.errors import BadInput, HostLacks
from kassay.supply.arches import arch_of, arches

FLAGS = (
    "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-Wstrict-prototypes", "-fPIC", "-shared",
    "-fvisibility=hidden", "-pthread",
)  # fmt: skip
_NO_DEVICE = "kassay-none"


def plugin(arch: str, qemu_version: str) -> Path:
    """The plugin for the QEMU that calls itself `words` ("7.2.22 (Debian ...)"), built when not yet there.

    Raises HostLacks without a compiler, or when this QEMU takes no plugins; BadInput for a file of KASSAY_PATH that
    does not compile.
    """
    if process.find(COMPILER) is None:
        raise HostLacks(
            f"no profile: {COMPILER} is not there to build QEMU's plugin", f"install it: {install(COMPILER)}"
        )
    place = files.cache_directory() / "plugin"
    paths = {api: place / f"{_key(api, qemu_version, arch)}.so" for api in interfaces(qemu_version)}
    built = next((path for path in paths.values() if files.is_whole(path)), None)
    return built or _first_that_loads(paths, arch, qemu_version)


def _first_that_loads(paths: Mapping[int, Path], arch: str, qemu_version: str) -> Path:
    """The plugin for the first interface that this QEMU takes. paths: where each is kept. Raises HostLacks."""
    with tempfile.TemporaryDirectory(prefix="kassay-cc-") as scratch:
        for api, path in paths.items():
            library = _compile(api, qemu_version, Path(scratch))
            why = _refusal(library, arch)
            if not why:
                files.write_checked(path, library.read_bytes(), mode=0o755)
                return path
    raise HostLacks(f"no profile: QEMU {qemu_version} does not load the plugin: {why}",
                    "use a QEMU built with plugins (Debian's is), or measure with --profile none")  # fmt: skip


def interfaces(qemu_version: str) -> tuple[int, ...]:
    """Interfaces in plugin/qemu_api.h that a QEMU may have, in the order of trying: 1 to 8.2, 2 in 9.0, 3 since 9.1. A
    newer QEMU also takes plugins for earlier interfaces: 10.0 for 3, but 11.1 for 7 only."""
    numbers = re.match(r"(\d+)\.(\d+)", qemu_version)
    if numbers is None:
        raise HostLacks(f"no profile: QEMU's version is not understood: {qemu_version!r}", "use a QEMU of 7.2 or later")
    version = (int(numbers[1]), int(numbers[2]))
    return (1,) if version < (9, 0) else (2,) if version < (9, 1) else (3,) if version < (10, 2) else (3, 6, 7)


def sources() -> Path:
    """The folder with profile.c: in a checkout, or inside the installed package."""
    return compiler.sources("plugin", "profile.c", "the plugin's")


@cache
def sources_sha256(arch: str) -> str:
    """Hash of the plugin's sources for an architecture, the same on each host."""
    others = {f"arch-{name}.c" for name in arches()} - {f"arch-{arch}.c"}
    return compiler.digest((name, path) for name, path in _sources().items() if name not in others)


def contributed() -> Mapping[str, Path]:
    """arch-NAME.c of every architecture by name of the file: kassay's, and those of directories of KASSAY_PATH."""
    return registry.files(sources(), "plugin", "arch-*.c")


def _compile(api: int, qemu_version: str, scratch: Path) -> Path:
    library, names = scratch / "profile.so", []
    for name, path in _sources().items():
        shutil.copyfile(path, scratch / name)
        names += [name] if path.suffix == ".c" else []
    qemu = (f"-DKASSAY_QEMU_API={api}", f"-DKASSAY_QEMU_MAJOR={qemu_version.partition('.')[0]}")
    argv = (COMPILER, *FLAGS, *qemu, "-o", str(library), *names)
    first = compiler.compiled("plugin of QEMU", argv, library, scratch)
    if first:
        name = first.partition(":")[0]
        arch_file = contributed().get(name)
        if arch_file is not None and registry.is_extension(arch_file):
            raise BadInput(f"{arch_file}{first.removeprefix(name)}", f"correct the file; {COMPILER} compiled it")
        raise HostLacks(f"no profile: QEMU's plugin does not compile with {COMPILER}: {first}",
                        f"{install('gcc', 'libc6-dev')}, or measure with --profile none")  # fmt: skip
    return library


def _sources() -> Mapping[str, Path]:
    """Every file of the plugin by name, in order."""
    provided = {path.name: path for path in sources().glob("*.[ch]")}
    return dict(sorted({**provided, **contributed()}.items()))


def _refusal(library: Path, arch: str) -> str:
    """Why QEMU does not load a plugin; "" if it does.

    QEMU loads its plugins before it looks at its devices, so a device that is not there ends it just after.
    """
    argv = (
        arch_of(arch).qemu.program, "-M", "none", "-nodefaults", "-display", "none", "-device", _NO_DEVICE,
        "-plugin", f"{library},out=/dev/null,points=/dev/null",
    )  # fmt: skip
    errors = process.run(argv, timeout_s=30).err
    return "" if _NO_DEVICE in errors else (errors.strip().splitlines() or ["it printed no error"])[-1]


@cache
def _key(api: int, qemu_version: str, arch: str) -> str:
    """A hash over sources, flags, compiler and QEMU: when one of them changes, the plugin is built and tried again."""
    return compiler.digest(_sources().items(), (api, qemu_version, arch, compiler.version(COMPILER), FLAGS))[:16]
