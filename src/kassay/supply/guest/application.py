# SPDX-License-Identifier: GPL-2.0-only
"""Files of an application that the guest gets in addition to its image: arguments, input, and the program that prepares
it."""

import stat
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

from kassay.effects.files import cache_directory, made_once, sha256_bytes
from kassay.errors import BadInput, Defect
from kassay.model.application import GROUP, Application, Words
from kassay.model.packages import ArchivePackage
from kassay.model.program import ProgramUse, filled
from kassay.model.records import Setting
from kassay.model.workload import Phase, Workload
from kassay.supply.guest import cpio, sources
from kassay.supply.guest.compile import build
from kassay.supply.guest.payload import Packed, pack, unpack
from kassay.supply.guest.program_source import contents, keep

_USUAL = ("PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME={}", "TMPDIR=/tmp", "LANG=C", "TZ=UTC")
_INPUT_BYTES = 256 << 20
_CONF_BYTES = 1 << 20


def use_of(application: Application, closure: Sequence[ArchivePackage]) -> ProgramUse:
    """An application as an experiment records it: pinned by its packages and by the hash of its input, which is stored.

    closure: every package of its image. Raises BadInput for an input that cannot be used.
    """
    files = tuple(_packed(application, name, data) for name, data in sorted(application.inputs().items()))
    if sum(len(file.data) for file in files) > _INPUT_BYTES:
        raise BadInput(f"{application.name}: more than {_INPUT_BYTES >> 20} MiB of input", "make it in `setup`")
    fields = {name: getattr(application, name) for name in Words.__struct_fields__ if name != "closure"}
    return ProgramUse(
        path=application.name,
        sha256=keep(files),
        args=application.command[1:],
        env=application.environment,
        require=application.require,
        limit_ms=application.limit_ms,
        application=Words(**fields, closure=tuple(closure)),
    )


def _packed(application: Application, name: str, data: bytes) -> Packed:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\n" in name or str(path) != name:
        raise BadInput(f"{application.name}: input {name!r} is no plain relative path", "correct its inputs()")
    return Packed(f"files/{name}", data, 0o755 if data.startswith(b"#!") else 0o644)


def workload_of(words: Words) -> Workload:
    """An application as a workload."""
    whole = not words.start_line
    start = "just before it is started" if whole else f'a line with "{words.start_line}" that it prints'
    end = "just after it was waited for" if whole else f'the next one with "{words.end_line}"'
    divided = "" if words.operations == "1" else f", divided by {words.operations}"
    return Workload(
        describe="kassay-workload/1",
        name=words.name,
        group=GROUP,
        summary=words.summary,
        subject=f"Running {words.name}",
        state="what the program makes: it is an unmodified program of the archive, and what its memory was is "
        "seen once, at the end of an execution outside of the region",
        parameters=words.parameters,
        phases=(
            Phase(
                name="run" if whole else "region",
                operation=words.operation,
                definition=f"One execution of {words.command[0]}, from {start} to {end}{divided}.",
                primary=True,
            ),
        ),
    )


def packed(use: ProgramUse, arch: str) -> Path:
    """The runner with the program that prepares the application, and its input, behind it; built when not yet there.

    Raises BadInput when the input is gone, HostLacks without a compiler.
    """
    runs, setup = build(sources.RUNS_PROGRAMS, arch), build(sources.SETUP, arch)
    key = sha256_bytes(repr((runs.name, setup.name, use.sha256)).encode())
    path = cache_directory() / "guest" / arch / f"application-{key[:16]}"

    def make() -> bytes:
        return pack(runs.read_bytes(), (Packed("setup", setup.read_bytes(), 0o755), *contents(use).values()))

    return made_once(path, make, mode=0o755)


def runner(program: bytes) -> bytes:
    """The runner alone of what packed() made: in the guest the rest lies in the image."""
    return program[: len(program) - len(pack(b"", tuple(unpack(program).values())))]


def layer(program: Path, use: ProgramUse, settings: Iterable[Setting]) -> bytes:
    """Files of the guest besides kassay's own and the image, as a cpio archive. program: what packed() made."""
    words = use.application
    if not words:
        raise Defect(f"{use.path} is no application")
    payload_files = unpack(program.read_bytes())
    conf = _conf(words, {setting.name: setting.value for setting in settings})
    root = PurePosixPath(words.directory.lstrip("/"))
    owner = (words.user, words.user)
    files = {
        str(root / name.removeprefix("files/")): file
        for name, file in payload_files.items()
        if name.startswith("files/")
    }
    parents = {str(parent) for path in files for parent in PurePosixPath(path).parents if parent.is_relative_to(root)}
    above = [str(parent) for parent in reversed(root.parents) if parent.parts]
    entry = cpio.Entry
    return cpio.archive(
        (
            *(cpio.directory(path) for path in above),
            *(entry(path=path, mode=stat.S_IFDIR | 0o755, owner=owner) for path in sorted({str(root), *parents})),
            *(
                entry(path=path, mode=stat.S_IFREG | file.mode, data=file.data, owner=owner)
                for path, file in sorted(files.items())
            ),
            cpio.file("application.conf", conf),
            cpio.file("setup", payload_files["setup"].data, executable=True),
        )
    )


def _conf(words: Words, values: Mapping[str, str]) -> bytes:
    """guest/application.h reads it."""
    variables = (*(text.format(words.directory) for text in _USUAL), *(filled(v, values) for v in words.environment))
    last = {variable.partition("=")[0]: variable for variable in variables}
    texts = [f"user={words.user}", f"directory={words.directory}", f"limit_ms={words.limit_ms}"]
    texts += [f"ready={words.ready}"] if words.ready else []
    texts += [f"start_line={words.start_line}", f"end_line={words.end_line}"] if words.start_line else []
    texts += [f"env={variable}" for variable in last.values()]
    for kind, command in words.commands:
        texts += [f"command={kind}", *(f"arg={filled(word, values)}" for word in command)]
    data = b"".join(text.encode() + b"\0" for text in texts)
    if len(data) > _CONF_BYTES or any("\0" in text for text in texts):
        raise Defect(f"{words.name}: its commands take more than {_CONF_BYTES} bytes, or hold a zero byte")
    return data
