# SPDX-License-Identifier: GPL-2.0-only
"""Kernel modules out of a kernel's packages: decompressed, with all they depend on, in loading order."""

import io
from collections.abc import Sequence
from pathlib import Path

import msgspec

from kassay.effects.elf import elf_damage
from kassay.effects.files import cache_directory, sha256_bytes, write_atomic
from kassay.effects.lock import locked, waiting
from kassay.errors import BadInput
from kassay.model.kernel import KernelArtifact
from kassay.model.progress import Progress, Tell
from kassay.model.records import from_msgpack
from kassay.supply.kernels._compression import decompress, is_compressed
from kassay.supply.kernels._module_files import content_key, modules_of
from kassay.supply.kernels._options import built_in, check_modules
from kassay.supply.packages.contents import Contents

Modules = tuple[tuple[str, bytes], ...]


_FORMAT = "with those that are asked for by name"  # of what is stored


def load_modules(artifact: KernelArtifact, names: Sequence[str], tell: Tell) -> Modules:
    """(name, decompressed .ko) for `names` and all they depend on, dependencies first; built-in ones need nothing.

    Names are the kernel's, with "_" for "-". The result is cached. Raises BadInput when
    the kernel has no such module, HostLacks when its package cannot be had any more.
    """
    builtin = _builtin(artifact) | built_in(artifact)
    wanted = tuple(dict.fromkeys(n for n in map(normalised, names) if n not in builtin))
    if not wanted:
        return ()
    check_modules(artifact, wanted)
    image = artifact.identity.image_sha256 or "none"
    key = " ".join((_FORMAT, *wanted)) + content_key(artifact.identity)
    path = cache_directory() / "modules" / image / f"{sha256_bytes(key.encode())[:16]}.msgpack"
    with locked(path.with_suffix(".lock"), waiting(tell, artifact.identity.ref)):
        stored = _load(path)
        if stored is None:
            with modules_of(artifact, tell) as contents:
                tell(Progress(stage="kernels", subject=artifact.identity.ref, text=f"taking {', '.join(wanted)} out"))
                stored = closure(contents, wanted, builtin, f"kernel {artifact.identity.ref!r}")
            packed = msgspec.msgpack.encode(stored)
            write_atomic(path, sha256_bytes(packed).encode() + packed)
        return stored


def closure(contents: Contents, wanted: Sequence[str], builtin: frozenset[str], where: str) -> Modules:
    """The modules `wanted` and their dependencies in the order in which they must be loaded."""
    paths = {normalised(Path(p).name.partition(".ko")[0]): p for p in contents.paths if ".ko" in Path(p).name}
    paths |= {n: p for n, p in _builtin_paths(contents).items() if n not in paths}
    done: dict[str, bytes] = {}
    open_names: list[str] = []

    def visit(name: str) -> None:
        if name in done or name in builtin or paths.get(name) == "":
            return
        if name not in paths:
            chain = f" (needed by {open_names[-1]})" if open_names else ""
            raise BadInput(f"{where}: no module {name!r}{chain}", "see its package for the names it has")
        if name in open_names:
            raise BadInput(f"{where}: modules depend on each other in a circle: {', '.join(open_names)}", "")
        data = contents.read(paths[name])
        data = decompress(data, f"{where}: {paths[name]}") if is_compressed(data) else data
        open_names.append(name)
        for needed in (*dependencies(data, f"{where}: {paths[name]}"), *_by_name(name, data)):
            visit(needed)
        open_names.pop()
        done[name] = data

    for name in wanted:
        visit(name)
    return tuple(done.items())


def dependencies(module: bytes, where: str) -> tuple[str, ...]:
    """Modules that a .ko names in "depends=". Raises BadInput that names `where` if the file is no module."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    try:
        with elf_damage():
            section = ELFFile(io.BytesIO(module)).get_section_by_name(".modinfo")
            entries = section.data().split(b"\0") if section else []
    except ELFError as error:
        raise BadInput(f"{where}: not a kernel module ({error})", "fetch the kernel again") from error
    depends = (e.removeprefix(b"depends=").decode("utf-8", "replace") for e in entries if e.startswith(b"depends="))
    return tuple(normalised(name) for entry in depends for name in entry.split(",") if name)


def _by_name(name: str, module: bytes) -> tuple[str, ...]:
    """Modules that a module requests by name when it is used: they are not in its "depends=", and the guest has no
    modprobe. Before 6.12 zram took its compressor from the crypto layer; lzo_rle is the default one."""
    return ("lzo_rle",) if name == "zram" and b"crypto_has_alg\0" in module else ()


def normalised(name: str) -> str:
    """The kernel's own spelling: "lzo-rle" is lzo_rle."""
    return name.replace("-", "_")


def _builtin(artifact: KernelArtifact) -> frozenset[str]:
    """Names of what is compiled in, as far as the kernel's packages say."""
    path = Path(artifact.directory) / "modules.builtin"
    return _names(path.read_text("utf-8", "replace")) if path.is_file() else frozenset()


def _builtin_paths(contents: Contents) -> dict[str, str]:
    text = contents.find("", "/modules.builtin")
    return dict.fromkeys(_names(text.decode("utf-8", "replace")), "") if text else {}


def _names(modules_builtin: str) -> frozenset[str]:
    return frozenset(normalised(Path(line).name.partition(".ko")[0]) for line in modules_builtin.splitlines())


def _load(path: Path) -> Modules | None:
    try:
        data = path.read_bytes()
        if data[:64].decode("ascii", "replace") != sha256_bytes(data[64:]):
            return None
        return from_msgpack(data[64:], Modules)
    except (OSError, msgspec.MsgspecError):
        return None
