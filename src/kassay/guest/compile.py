# SPDX-License-Identifier: GPL-2.0-only
"""C sources -> one static program, kept by the content of all that went into it."""

import hashlib
import tempfile
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from kassay.arches import arch_of
from kassay.effects import process
from kassay.effects.files import cache_directory, sha256_bytes, write_atomic
from kassay.errors import Defect, HostLacks
from kassay.guest import sources
from kassay.model.guess import unknown
from kassay.model.guest import Programs

FLAGS = (
    "-static", "-O2", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wstrict-prototypes", "-fno-pie",
    "-Wl,--build-id=none", "-Wl,-z,relro", "-I.", "-pthread",
)  # fmt: skip
"""No path and no date reaches the output, so the same sources and compiler give the same bytes anywhere. Not
-z separate-code: x86_64 has it anyway, and on arm64 it leaves a hole between headers and code, which the runner reads
through page by page."""


def build(name: str, arch: str, *, compiler: str | None = None) -> Path:
    """The static program `name` (a workload, or "init") for `arch`, built when not yet there.

    compiler: a program on this host; by default gcc for the arch. Raises HostLacks
    without compiler or static C library, BadInput for an unknown name.
    """
    known = ("init", *sources.workload_names())
    if name not in known:
        raise unknown("unknown workload", name, known[1:])
    if arch not in sources.arches():
        raise HostLacks(
            f"no guest programs for {arch}", f"known: {', '.join(sources.arches())}; write guest/arch/{arch}.c"
        )
    cc = compiler or _usual(arch)
    key = _key(name, arch, cc)
    made = cache_directory() / "guest" / arch / f"{name}-{key[:16]}"
    if not made.is_file():
        write_atomic(made, _compile(name, arch, cc), mode=0o755)
    return made


def programs(names: Iterable[str], arch: str) -> Programs:
    """`names`, built by this host's compiler. Raises as build() does."""
    files = tuple((name, build(name, arch)) for name in names)
    return Programs(files=files, compiler=_compiler_words(_usual(arch), arch))


def brought(contents: Mapping[str, bytes], compiler: str) -> Programs:
    """Programs by name that came with a result, for running them here."""
    found = []
    for name, data in contents.items():
        path = cache_directory() / "guest" / "brought" / sha256_bytes(data)
        if not path.is_file():
            write_atomic(path, data, mode=0o755)
        found.append((name, path))
    return Programs(files=tuple(found), compiler=compiler)


def _usual(arch: str) -> str:
    """The compiler of programs for `arch` on this host."""
    return f"{arch_of(arch).build.cross}gcc"


def _compile(name: str, arch: str, cc: str) -> bytes:
    with tempfile.TemporaryDirectory(prefix="kassay-cc-") as scratch:
        made = Path(scratch) / name
        argv = (cc, *FLAGS, "-o", str(made), *sources.files_of(name, arch))
        done = process.run(argv, cwd=sources.directory(), timeout_s=120)
        if done.status == 0 and made.is_file():
            return made.read_bytes()
    if "cannot find -l" in done.err or "No such file or directory" in done.err:
        raise HostLacks(f"{cc}: no static C library for {arch} on this host", _remedy(arch))
    first = next((line for line in done.err.splitlines() if "error" in line), done.err.strip()[-200:])
    raise Defect(f"guest program {name} does not compile with {cc}: {first}")


def _key(name: str, arch: str, cc: str) -> str:
    """A hash over sources, headers, flags and the compiler's own words."""
    digest = hashlib.sha256(repr((arch, cc, _compiler_words(cc, arch), FLAGS)).encode())
    root = sources.directory()
    headers = sorted(path.name for path in root.glob("*.h"))
    for file in (*sources.files_of(name, arch), *headers):
        digest.update(f"\0{file}\0".encode() + (root / file).read_bytes())
    return digest.hexdigest()


@cache
def _compiler_words(cc: str, arch: str) -> str:
    if process.find(cc) is None:
        raise HostLacks(f"{cc}: not found on this host", _remedy(arch))
    return process.run((cc, "--version")).out.partition("\n")[0]


def _remedy(arch: str) -> str:
    return f"install it: apt install {arch_of(arch).build.guest_packages}"
