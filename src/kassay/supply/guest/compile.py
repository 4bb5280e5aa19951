# SPDX-License-Identifier: GPL-2.0-only
"""C sources -> one static program. Objects and programs are kept by the content of all that went into them."""

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kassay.effects import process
from kassay.effects.compiler import digest, version
from kassay.effects.compiling import report_compilation
from kassay.effects.distribution import install
from kassay.effects.files import cache_directory, is_whole, made_once, sha256_bytes, write_checked
from kassay.errors import BadInput, Defect, HostLacks, KassayError, unknown
from kassay.model.guest import Programs
from kassay.model.program import RUNNER_BASE
from kassay.model.workload import Workload
from kassay.registry import is_extension
from kassay.supply.arches import arch_of
from kassay.supply.guest import sources

FLAGS = (
    "-static", "-O2", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wstrict-prototypes", "-fno-pie",
    "-Wl,--build-id=none", "-Wl,-z,relro", "-I.", "-pthread",
)  # fmt: skip
"""No path and no date reaches the output, so the same sources and compiler give the same bytes anywhere. Not
-z separate-code: x86_64 has it anyway, and on arm64 it leaves a hole between headers and code, which the runner reads
through page by page."""
_LINKING = ("-static", "-Wl,--build-id=none", "-Wl,-z,relro")
_COMPILING = tuple(flag for flag in FLAGS if flag not in _LINKING)


@dataclass(frozen=True, slots=True)
class _Program:
    """A program and the compiler that makes it."""

    name: str
    arch: str
    cc: str

    @property
    def files(self) -> tuple[str, ...]:
        """Its C files, as sources.path_of() takes them."""
        return sources.files_of(self.name, self.arch)

    @property
    def path(self) -> Path:
        """Where it is kept."""
        return _kept(self.arch) / f"{self.name}-{self._key(self.files)}"

    def object_path(self, file: str) -> Path:
        """Where the object of one C file is kept. Most files are part of every program, and compiled once."""
        return _kept(self.arch) / "objects" / f"{Path(file).stem}-{self._key((file,))}.o"

    def _key(self, files: Sequence[str]) -> str:
        """A hash over C files, all headers, flags and the compiler's own words."""
        named = ((file, sources.path_of(file)) for file in (*files, *sources.headers()))
        return digest(named, (self.arch, self.cc, _compiler_words(self.cc, self.arch), FLAGS))[:16]


def build(name: str, arch: str, *, compiler: str | None = None) -> Path:
    """The static program `name` (a workload, or "init") for `arch`, built when not yet there.

    compiler: a program on this host; by default gcc for the arch. Raises HostLacks without compiler or static C
    library, BadInput for an unknown name, and for a file of KASSAY_PATH that does not compile.
    """
    names = ("init", sources.RUNS_PROGRAMS, sources.SETUP, sources.RECORDER, *sources.workload_names())
    if name not in names:
        raise unknown("unknown workload", name, names[4:])
    if arch not in sources.arches():
        raise HostLacks(
            f"no guest programs for {arch}", f"known: {', '.join(sources.arches())}; write guest/arch/{arch}.c"
        )
    program = _Program(name, arch, compiler or _usual(arch))
    return made_once(program.path, lambda: _compile(program), mode=0o755)


def received_programs(contents: Mapping[str, bytes], compiler: str, workloads: tuple[Workload, ...]) -> Programs:
    """Programs by name that came with a result, for running them here. workloads: as they describe themselves."""
    files = []
    for name, data in contents.items():
        path = cache_directory() / "guest" / "brought" / sha256_bytes(data)
        if not is_whole(path):
            write_checked(path, data, mode=0o755)
        files.append((name, path))
    return Programs(files=tuple(files), compiler=compiler, workloads=workloads)


def compiler_for(arch: str) -> tuple[str, str]:
    """The compiler of programs for `arch` on this host, and what it calls itself. Raises HostLacks without one."""
    return _usual(arch), _compiler_words(_usual(arch), arch)


def _usual(arch: str) -> str:
    """The compiler of programs for `arch` on this host."""
    return f"{arch_of(arch).build.cross}gcc"


def _compile(program: _Program) -> bytes:
    report_compilation(f"guest program {program.name}")
    with tempfile.TemporaryDirectory(prefix="kassay-cc-") as scratch:
        output, root = Path(scratch) / program.name, Path(scratch) / "guest"
        sources.copy_to(root, (*program.files, *sources.headers()))
        objects: list[Path] = []
        for file in program.files:
            objects.append(program.object_path(file))
            if not is_whole(objects[-1]):
                done = process.run((program.cc, *_COMPILING, "-c", "-o", str(output), file), cwd=root, timeout_s=120)
                if done.status != 0:
                    break
                write_checked(objects[-1], output.read_bytes())
        else:
            base = (f"-Wl,-Ttext-segment={RUNNER_BASE:#x}",) if program.name == sources.RUNS_PROGRAMS else ()
            argv = (program.cc, *_LINKING, *base, "-pthread", "-o", str(output), *map(str, objects))
            done = process.run(argv, cwd=root, timeout_s=120)
            if done.status == 0 and output.is_file():
                return output.read_bytes()
    raise _failed(program, done.err)


def _failed(program: _Program, err: str) -> KassayError:
    """err: what the compiler or the linker wrote."""
    cc, contributed = program.cc, [file for file in program.files if is_extension(sources.path_of(file))]
    if program.name != "init" and contributed:
        build("init", program.arch, compiler=cc)  # raises HostLacks where it is not the file that is wrong
    if not contributed and ("cannot find -l" in err or "No such file or directory" in err):
        return HostLacks(f"{cc}: no static C library for {program.arch} on this host", _remedy(program.arch))
    first = _first_error(err)
    if contributed:
        return _wrong(contributed, first, cc)
    return Defect(f"guest program {program.name} does not compile with {cc}: {first}")


def _first_error(text: str) -> str:
    """The first line of a compiler's or linker's output that says what is wrong."""
    lines = [line for line in text.splitlines() if re.search(r"error:|undefined reference|multiple definition", line)]
    return lines[0] if lines else text.strip()[-200:]


def _wrong(contributed: Sequence[str], first: str, cc: str) -> BadInput:
    """Error for files of KASSAY_PATH that do not compile to a program."""
    if re.search(r"undefined reference to .workload\W*$", first):
        path = sources.path_of(contributed[0])
        return BadInput(
            f"{path}: describes no workload", "define `const struct workload workload`, as guest/workload.h says"
        )
    for file in contributed:
        if first.startswith(f"{file}:"):
            return BadInput(f"{sources.path_of(file)}{first.removeprefix(file)}", f"correct the file; {cc} compiled it")
    paths = ", ".join(str(sources.path_of(file)) for file in contributed)
    return BadInput(f"{paths}: no program can be made of it with {cc}: {first}", "correct the file")


def _kept(arch: str) -> Path:
    return cache_directory() / "guest" / arch


@cache
def _compiler_words(cc: str, arch: str) -> str:
    if process.find(cc) is None:
        raise HostLacks(f"{cc}: not found on this host", _remedy(arch))
    return version(cc)


def _remedy(arch: str) -> str:
    return f"install it: {install(*arch_of(arch).build.guest_packages.split())}"
