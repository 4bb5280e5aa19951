# SPDX-License-Identifier: GPL-2.0-only
"""Kernels out of single files that the user has: an image, with modules, a configuration and a vmlinux beside it."""

import mmap
import stat
from pathlib import Path

from msgspec import structs

from kassay.effects.elf import elf_damage
from kassay.effects.files import cache_directory, readable, sha256_bytes, sha256_file, write_atomic
from kassay.errors import BadInput
from kassay.model.configuration import configured, has_options
from kassay.model.kernel import KernelArtifact, KernelFile
from kassay.supply.kernels._configuration import of_another


def check_file(path: Path, ref: str, remedy: str, unreadable: str = "give a file that you may read") -> None:
    """Raises BadInput for a file that is not there or cannot be read."""
    if not path.is_file():
        raise BadInput(f"kernel {ref!r}: {path} {'is not a file' if path.exists() else 'does not exist'}", remedy)
    if not readable(path):
        raise BadInput(f"kernel {ref!r}: {path}: Permission denied", unreadable)


def with_modules(artifact: KernelArtifact, directory: Path) -> KernelArtifact:
    """The kernel with a directory of modules, such as /lib/modules/6.17.1. Raises BadInput if it has none."""
    ref = artifact.identity.ref
    if not directory.is_dir():
        raise BadInput(f"kernel {ref!r}: modules: {directory} is not a directory", "give a directory with modules")
    try:
        files = _tree(directory)
    except OSError as error:
        raise BadInput(f"kernel {ref!r}: {error.filename}: {error.strerror}", "make it readable for you") from error
    if not any(".ko" in name.rpartition("/")[2] for name, _ in files):
        raise BadInput(
            f"kernel {ref!r}: no modules (*.ko) below {directory}", "give a directory such as /lib/modules/6.17.1"
        )
    digest = sha256_bytes("".join(f"{sha256} {name}\n" for name, sha256 in files).encode())
    return structs.replace(
        _with_file(artifact, KernelFile(name=f"modules {directory.name}", sha256=digest)), modules=(str(directory),)
    )


def with_config(artifact: KernelArtifact, data: bytes, name: str) -> KernelArtifact:
    """The kernel with this configuration, in the place of any other. name: of the file."""
    text = data.decode("utf-8", "replace")
    if not has_options(text):
        raise BadInput(f"kernel {artifact.identity.ref!r}: {name} has no line of a kernel's configuration",
                       "name a .config, as /boot has them")  # fmt: skip
    artifact = _with_file(artifact, KernelFile(name=name, sha256=sha256_bytes(data)))
    return configured_by(artifact, data, f"file {name}")


def with_config_beside(artifact: KernelArtifact, path: Path) -> KernelArtifact:
    """The kernel with a .config beside its image, which the user did not name, if it can be of this kernel.

    Otherwise the reason is known.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        return _without_config(artifact, f"{path.name} beside the image: {error.strerror}")
    text = data.decode("utf-8", "replace")
    if reason := of_another(text, artifact.identity) if has_options(text) else "has no options":
        return _without_config(artifact, f"{path.name} beside the image {reason}")
    return configured_by(artifact, data, f"file {path.name} beside the image")


def _without_config(artifact: KernelArtifact, reason: str) -> KernelArtifact:
    identity = artifact.identity
    source = identity.config_source if artifact.config else f"not known: {reason}"
    return structs.replace(artifact, identity=structs.replace(identity, config_source=source))


def configured_by(artifact: KernelArtifact, data: bytes, source: str) -> KernelArtifact:
    """The kernel with this configuration, which is kept. source: as KernelIdentity.config_source."""
    sha256 = sha256_bytes(data)
    kept = kept_config(sha256)
    if not kept.is_file():
        write_atomic(kept, data, mode=0o444)
    options = configured(data.decode("utf-8", "replace"))
    identity = structs.replace(artifact.identity, config_sha256=sha256, configuration=options, config_source=source)
    return structs.replace(artifact, identity=identity, config=str(kept))


def kept_config(sha256: str) -> Path:
    """The file of a configuration that is kept by its hash."""
    return cache_directory() / "configurations" / f"{sha256}.config"


def with_lines(artifact: KernelArtifact, vmlinux: Path) -> KernelArtifact:
    """The kernel with a vmlinux that has its line tables. Raises BadInput for the vmlinux of another build."""
    why = _unlike(artifact, vmlinux)
    if why:
        raise BadInput(f"kernel {artifact.identity.ref!r}: {vmlinux} is not the vmlinux of this image ({why})",
                       "give the vmlinux that was built with it")  # fmt: skip
    return structs.replace(artifact, lines=str(vmlinux))


def _unlike(artifact: KernelArtifact, vmlinux: Path) -> str:
    """Reason why a vmlinux is not of this image; "" if it is. A separate file with debug information has no banner."""
    with vmlinux.open("rb") as file:
        if file.read(4) != b"\x7fELF":
            return "no ELF file"
        own = _build_id(vmlinux)
        image = _build_id(Path(artifact.vmlinux)) if artifact.vmlinux else None
        if own and image:
            return "" if own == image else "its build ID is another one"
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            same = data.find((artifact.identity.banner or "").encode()) >= 0
    return "" if same else 'its text "Linux version ..." is another one'


def _build_id(elf: Path) -> str | None:
    """The GNU build ID that the linker gave a kernel, or None."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile
    from elftools.elf.sections import NoteSection

    try:
        with elf_damage(), elf.open("rb") as file:
            sections = [part for part in ELFFile(file).iter_sections() if isinstance(part, NoteSection)]
            notes = (note for section in sections for note in section.iter_notes())
            return next(
                (
                    str(note["n_desc"])
                    for note in notes
                    if note["n_name"] == "GNU" and note["n_type"] == "NT_GNU_BUILD_ID"
                ),
                None,
            )
    except ELFError:
        return None


def with_vmlinux(artifact: KernelArtifact, vmlinux: Path) -> KernelArtifact:
    """The kernel with the lines of a vmlinux that the user named, which is part of its identity."""
    artifact = with_lines(artifact, vmlinux)
    return _with_file(artifact, KernelFile(name=vmlinux.name, sha256=sha256_file(vmlinux)))


def _with_file(artifact: KernelArtifact, file: KernelFile) -> KernelArtifact:
    files = (*(artifact.identity.files or ()), file)
    return structs.replace(artifact, identity=structs.replace(artifact.identity, files=files))


def _tree(directory: Path) -> list[tuple[str, str]]:
    """Name and hash of each module below a directory, and of its list of what is compiled in."""
    paths = (path for path in directory.rglob("*") if ".ko" in path.name or path.name == "modules.builtin")
    return sorted(
        (str(path.relative_to(directory)), sha256_file(path)) for path in paths if stat.S_ISREG(path.lstat().st_mode)
    )
