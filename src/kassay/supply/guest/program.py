# SPDX-License-Identifier: GPL-2.0-only
"""A program that the user brings: built, checked, and packed behind the runner that measures it."""

import io
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kassay.effects import process
from kassay.effects.distribution import install
from kassay.effects.elf import elf_damage
from kassay.effects.files import cache_directory, made_once, sha256_bytes
from kassay.errors import BadInput, HostLacks
from kassay.model.program import FLAGS, GROUP, ProgramUse, parameter_names
from kassay.model.workload import Parameter, Phase, Workload
from kassay.supply.arches import Arch, arch_of
from kassay.supply.guest import sources
from kassay.supply.guest.compile import build, compiler_for
from kassay.supply.guest.payload import Packed, pack, unpack
from kassay.supply.guest.program_source import SOURCES, contents, kind_of

if TYPE_CHECKING:
    from elftools.elf.elffile import ELFFile

_COMPILING = tuple(flag for flag in FLAGS if flag != "-static" and not flag.startswith(("-Wl,", "-no-pie")))
_TRACED = ("-fsanitize-coverage=trace-pc", "-fno-tree-loop-im")
"""Each basic block calls a function of ours. The test's counter must then be in memory, not in a register for the whole
loop."""
_BUILD_S = 300


def workload_of(name: str, use: ProgramUse) -> Workload:
    """A program as a workload."""
    if use.points:
        start = f"the first instruction of {use.start}" if use.start else "just before the program is started"
        end = f"the first one of {use.end}, or to the end of the program" if use.end else "the end of the program"
        metric, operation = "region", "round"
        definition = f"From {start} to {end}."
    elif use.marks == "testcase":
        metric, operation = "region", "operation"
        definition = (
            "Of one task from one count of its own to a later one; of several from the release of all until all have "
            "done theirs; divided by the operations that the tests' own counters counted."
        )
    elif use.marks == "macros":
        metric, operation = "region", "round"
        definition = "From KASSAY_ROUND_BEGIN() to KASSAY_ROUND_END() in the program."
    else:
        metric, operation = "run", "execution"
        definition = "From just before the program is started to just after it was waited for."
    if use.work:
        operation = "operation"
        definition = f"{definition} Divided by the number that the execution prints as {use.work}."
    return Workload(
        describe="kassay-workload/1",
        name=name,
        group=GROUP,
        summary=f"{use.path}, a program of yours",
        subject=f"Running {name}",
        state="what the program makes; what kassay can see of it is compared, and stays unproven where it sees nothing",
        parameters=_TESTCASE if use.marks == "testcase" else _parameters(use),
        phases=(Phase(name=metric, operation=operation, definition=definition, primary=True),),
    )


_TESTCASE = (
    Parameter(name="tasks", kind="count", unit="tasks", default="1", summary="tasks that run the test", minimum=1,
              maximum=64),
    Parameter(name="mode", kind="choice", unit="", default="process", summary="what a task is",
              choices=("process", "thread")),
    Parameter(name="operations", kind="count", unit="operations", default="1000",
              summary="operations of each task in a round", minimum=1, maximum=10_000_000),
)  # fmt: skip
"""Parameters of a program whose file has a testcase()."""


def _parameters(use: ProgramUse) -> tuple[Parameter, ...]:
    """One for each {word} of its arguments and variables."""
    names = dict.fromkeys(name for word in (*use.args, *use.env) for name in parameter_names(word))
    return tuple(
        Parameter(name=name, kind="word", unit="", default="", summary="a word of its arguments") for name in names
    )


def packed(use: ProgramUse, arch: str) -> Path:
    """The runner with the program of a pinned use and its files behind it, built when not yet there.

    Raises BadInput with the compiler's first error, or for a program that cannot run in the guest; HostLacks without a
    compiler.
    """
    runner = build(sources.RUNS_PROGRAMS, arch)
    cc, version = compiler_for(arch)
    packed_files, program = contents(use), b""
    inputs: tuple[object, ...] = (
        runner.name, version, FLAGS, _TRACED, use.sha256, use.cflags, use.link, use.marks, _own_sources(use)
    )  # fmt: skip
    if "source/Makefile" in packed_files:  # of several programs that it makes, the one of the directory's name is taken
        inputs = (*inputs, Path(use.path).name)
    if _reads_others(use):
        program = _program(use, packed_files, arch_of(arch), cc)
        inputs = (*inputs, sha256_bytes(program))
    key = repr(inputs)
    path = cache_directory() / "guest" / arch / f"program-{sha256_bytes(key.encode())[:16]}"

    def make() -> bytes:
        built = program or _program(use, packed_files, arch_of(arch), cc)
        files = [file for name, file in packed_files.items() if name.startswith("files/")]
        return pack(runner.read_bytes(), (Packed("program", built, 0o755), *files))

    return made_once(path, make, mode=0o755)


def _reads_others(use: ProgramUse) -> bool:
    """True if headers or libraries may be part of the program that are no part of its pin: it is then compiled each
    time, and known by what it became."""
    return bool(use.link) or any("/" in word for word in use.cflags)


def program_in(path: Path) -> bytes | None:
    """The user's program in what packed() made; None of any other program."""
    program = unpack(path.read_bytes()).get("program")
    return program.data if program is not None else None


def header() -> Path:
    """The header whose macros mark rounds."""
    return sources.directory() / "program" / "kassay.h"


def _own_sources(use: ProgramUse) -> bytes:
    """Sources that kassay adds to the program."""
    return (
        header().with_name("will_it_scale.c").read_bytes() + header().read_bytes() if use.marks == "testcase" else b""
    )


def _program(use: ProgramUse, packed_files: Mapping[str, Packed], arch: Arch, cc: str) -> bytes:
    files = {name.removeprefix("source/"): file for name, file in packed_files.items() if name.startswith("source/")}
    kind = kind_of(use, packed_files)
    if kind == "binary":
        program = next(iter(files.values())).data
    else:
        with tempfile.TemporaryDirectory(prefix="kassay-cc-") as scratch:
            root = Path(scratch) / "source"
            for name, file in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_bytes(file.data)
                (root / name).chmod(file.mode)
            if kind == "directory" and (root / "Makefile").is_file():
                program = _by_make(use, root, cc)
            else:
                program = _compiled(use, root, _c_files(use, files, kind), cc)
    _check(use, program, arch)
    return program


def _c_files(use: ProgramUse, files: Mapping[str, Packed], kind: str) -> Sequence[str]:
    names = [next(iter(files))] if kind == "c" else [name for name in files if name.endswith(SOURCES)]
    if not names:
        raise BadInput(f"{use.path}: no Makefile and no .c file in it", "give a directory with sources, or one C file")
    return names


def _compiled(use: ProgramUse, root: Path, names: Sequence[str], cc: str) -> bytes:
    output = root.parent / "program"
    if use.marks == "testcase":
        names = [*_testcase_objects(use, root, names, cc)]
    plus = any(name.endswith((".cc", ".cpp", ".cxx")) for name in names)
    cc = f"{cc.removesuffix('gcc')}g++" if plus else cc
    if process.find(cc) is None:
        raise HostLacks(f"{use.path}: {cc} is not there to compile it", f"install it: {install(_package(cc))}")
    link = (*_linked(use, root), *(("-lbenchmark",) if use.marks == "benchmark" else ()))
    argv = (cc, *FLAGS, _without_place(root), "-I.", "-o", str(output), *use.cflags, *names, *link)
    done = process.run(argv, cwd=root, timeout_s=_BUILD_S)
    if done.status != 0 or not output.is_file():
        raise _refused(use, done.err, cc)
    return output.read_bytes()


def _without_place(root: Path) -> str:
    """The option by which debug information does not tell where the sources were compiled: the same sources give the
    same program."""
    return f"-fdebug-prefix-map={root}=."


def _linked(use: ProgramUse, root: Path) -> Iterator[str]:
    """The words for the linker; a source among them gets the path to which it was copied."""
    for word in use.link:
        copies = (path.relative_to(root) for path in root.rglob(Path(word).name)) if word.endswith(SOURCES) else ()
        yield str(next(iter(copies), word))


def _package(cc: str) -> str:
    """The package of a C++ compiler: "g++", "g++-x86-64-linux-gnu"."""
    return "-".join(filter(None, ("g++", cc.removesuffix("g++").rstrip("-").replace("_", "-"))))


def _testcase_objects(use: ProgramUse, root: Path, names: Sequence[str], cc: str) -> Iterator[str]:
    """The tests, each basic block of which calls the main() that stands behind them; that main()."""
    for number, name in enumerate(names):
        argv = (
            cc,
            *_COMPILING,
            _without_place(root),
            "-I.",
            *use.cflags,
            *_TRACED,
            "-c",
            "-o",
            f"kassay-{number}.o",
            name,
        )
        done = process.run(argv, cwd=root, timeout_s=_BUILD_S)
        if done.status != 0:
            raise _refused(use, done.err, cc)
        yield f"kassay-{number}.o"
    yield str(header().with_name("will_it_scale.c"))


def _refused(use: ProgramUse, err: str, cc: str) -> BadInput:
    """The first error of the compiler or the linker, and what to do about it."""
    where = str(Path(use.path).parent)
    if use.marks == "benchmark" and re.search(r"benchmark/benchmark\.h: No such file|cannot find -lbenchmark", err):
        return BadInput(
            f"{use.path}: it needs google-benchmark for {cc}, and a static libbenchmark.a is not on this host",
            "build it from its sources with -DBENCHMARK_STATIC_DEFINE (Debian's libbenchmark-dev has no static one), "
            "and give --cflags='-IDIR/include -DBENCHMARK_STATIC_DEFINE' --link=-LDIR",
        )
    if library := re.search(r"cannot find -l([\w.+-]+)", err):
        return BadInput(
            f"{use.path}: it needs library {library[1]}, of which there is no static one (lib{library[1]}.a) for {cc}",
            "install it, leave it out of --link, or bring the program already linked",
        )
    lines = [line for line in err.splitlines() if re.search(r"error:|undefined reference|multiple definition", line)]
    first = re.sub(r"^/\S*?/source/|^/usr/bin/\S*ld: (/\S+: )?", "", lines[0]) if lines else err.strip()[-200:]
    if header := re.search(r"fatal error: (\S+): No such file", first):
        remedy = f"install what has {header[1]}, or add its directory with --cflags=-I{where}/..."
    elif "undefined reference to `main'" in first:
        remedy = "the file has no main(), and no testcase() of will-it-scale: add one, or name the file that has it"
    elif "undefined reference" in first:
        remedy = "name the library that has it: --link=-lNAME"
    else:
        remedy = f"correct the file, or change how {cc} takes it with --cflags, e.g. --cflags=-std=gnu11"
    return BadInput(f"{use.path}: it does not compile: {first}", remedy)


def _by_make(use: ProgramUse, root: Path, cc: str) -> bytes:
    flags = " ".join((*FLAGS[:1], _without_place(root), *use.cflags))
    linking = " ".join((*FLAGS[1:], *use.link))
    argv = ("make", "-j2", f"CC={cc}", f"CFLAGS={flags} -fno-pie", f"LDFLAGS={linking}")
    done = process.run(argv, cwd=root, timeout_s=_BUILD_S)
    if done.status != 0:
        lines = [line for line in done.err.splitlines() if "error" in line.lower() or "***" in line]
        first = lines[0] if lines else done.err.strip()[-200:]
        raise BadInput(
            f"{use.path}: make fails: {first}", "correct it; CC, CFLAGS and LDFLAGS are given on make's command line"
        )
    programs = [path for path in root.rglob("*") if os.access(path, os.X_OK) and path.is_file() and _is_program(path)]
    named = [path for path in programs if path.name == root.parent.name or path.name == Path(use.path).name]
    if len(programs) != 1 and len(named) != 1:
        names = ", ".join(sorted(path.name for path in programs)) or "none"
        raise BadInput(
            f"{use.path}: make leaves {len(programs)} programs ({names}), not one",
            "build it yourself, statically, and give the program",
        )
    return (named or programs)[0].read_bytes()


def _is_program(path: Path) -> bool:
    data = path.read_bytes()[:18]
    return data[:4] == b"\x7fELF" and data[16:18] in (b"\x02\x00", b"\x03\x00")


def _check(use: ProgramUse, program: bytes, arch: Arch) -> None:
    """Raises BadInput for what cannot run in the guest."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    try:
        with elf_damage():
            _check_elf(use, ELFFile(io.BytesIO(program)), program, arch)
    except ELFError as error:
        raise BadInput(f"{use.path}: not an ELF program: {error}", "give a static program") from error


def _check_elf(use: ProgramUse, elf: "ELFFile", program: bytes, arch: Arch) -> None:
    if int.from_bytes(program[18:20], "little") != arch.elf:
        machine = str(elf["e_machine"]).removeprefix("EM_")
        raise BadInput(
            f"{use.path}: a program for {machine}, not for {arch.name}",
            f"build it for {arch.name}, or choose another --arch",
        )
    needed = _needed(elf)
    if needed or _interpreter(elf):
        libraries = f" ({', '.join(needed)})" if needed else ""
        raise BadInput(
            f"{use.path}: it is linked dynamically{libraries}, and the guest has no libraries",
            "let the Makefile link with $(LDFLAGS), in which kassay gives -static"
            if Path(use.path).is_dir()
            else "link it with -static",
        )
    if elf["e_type"] != "ET_EXEC":
        raise BadInput(
            f"{use.path}: it is position-independent, so its addresses are not known before it runs",
            "link it with -static -no-pie",
        )


def _interpreter(elf: "ELFFile") -> bool:
    return any(segment["p_type"] == "PT_INTERP" for segment in elf.iter_segments())


def _needed(elf: "ELFFile") -> list[str]:
    from elftools.elf.dynamic import DynamicSection

    section = elf.get_section_by_name(".dynamic")
    tags = section.iter_tags("DT_NEEDED") if isinstance(section, DynamicSection) else ()
    return [str(getattr(tag, "needed", "")) for tag in tags]
