# SPDX-License-Identifier: GPL-2.0-only
"""An application: an unmodified program of the archive. It runs in an image of its packages."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import structs

from kassay.effects.files import disk_errors, sha256_bytes
from kassay.errors import BadInput
from kassay.evidence.profile.tables import NAMELESS_USER_CODE
from kassay.model.application import Words
from kassay.model.experiment import APPLICATION_TRACE_BUDGET, WorkloadUse
from kassay.model.packages import Image
from kassay.model.program import Check, checks, filled
from kassay.model.progress import Tell
from kassay.model.records import Setting
from kassay.model.units import format_bytes, parse_bytes
from kassay.model.workload import Workload
from kassay.supply.applications import application
from kassay.supply.archive.packages import closure, fetched
from kassay.supply.guest import application as files
from kassay.supply.guest import program_source
from kassay.supply.images.programs import check_programs
from kassay.supply.images.tree import image
from kassay.supply.measured._interface import Archive
from kassay.supply.measured._program import MeasuredProgram


class MeasuredApplication(MeasuredProgram):
    """It is named alone until it is pinned to the packages of a day and to its input."""

    trace_budget = APPLICATION_TRACE_BUDGET

    @property
    def words(self) -> Words:
        """The application as the use has pinned it, else as its file has it today."""
        return (self.use.program and self.use.program.application) or application(self.name)

    @property
    def has_every_task(self) -> bool:
        return bool(self.words.server or self.counted)

    @property
    def commands_around(self) -> tuple[int, int]:
        return len(self.words.between), len(self.words.checks)

    def pin(self, arch: str, tell: Tell, directory: Path | None = None) -> WorkloadUse:
        """Raises BadInput for a package that the archive lacks, or an architecture that the application is not for."""
        if self.use.program:
            program_source.contents(self.use.program, directory)  # an input has no path from which it could be read
            return self.use
        app = application(self.name)
        if arch not in app.arches:
            raise BadInput(f"{app.name}: not for {arch}", f"it is for {', '.join(app.arches)}: choose another --arch")
        packages = closure(app.packages, arch, tell, without=app.without)
        return structs.replace(self.use, program=files.use_of(app, packages))

    def describe(self) -> Workload:
        return files.workload_of(self.words)

    def build(self, arch: str) -> Path:
        return files.packed(self.program, arch)

    def image(self, arch: str, memory_bytes: int, tell: Tell) -> tuple[Image, Path] | None:
        """Raises BadInput if it needs more memory than the machine has, HostLacks for packages that are gone."""
        words = self.words
        guest_image, path = image(words.closure, words.links, arch, lambda: fetched(words.closure, arch, tell), tell)
        needed = max(parse_bytes(words.memory), -(-guest_image.needed_bytes // (64 << 20)) * (64 << 20))
        if memory_bytes < needed:
            resident = format_bytes(guest_image.resident_bytes >> 20 << 20)
            raise BadInput(
                f"{words.name}: needs {format_bytes(needed)} of memory, and the machine has "
                f"{format_bytes(memory_bytes)} (its image takes {resident})",
                f"--memory {format_bytes(needed)}",
            )
        programs = (command[0] for _, command in words.commands)
        check_programs(self.name, path, [name for name in programs if not name.startswith(f"{words.directory}/")])
        return guest_image, path

    def executable(self, built: Path, directory: Path) -> Path:
        """The runner without the files of the image."""
        with disk_errors(directory):
            (directory / "runner").write_bytes(files.runner(built.read_bytes()))
        return directory / "runner"

    def archives(
        self, built: Path, image: tuple[Image, Path] | None, settings: Sequence[Setting], directory: Path
    ) -> tuple[Archive, ...]:
        assert image is not None  # image() makes one for every application
        layer = files.layer(built, self.program, settings)
        with disk_errors(directory):
            (directory / "layer").write_bytes(layer)
        return Archive(str(image[1]), image[0].sha256), Archive(str(directory / "layer"), sha256_bytes(layer))

    def points(self, built: Path) -> bytes:
        return NAMELESS_USER_CODE  # there are no symbols of an image's programs

    def _runner_words(self, values: Mapping[str, str]) -> Iterator[str]:
        yield from super()._runner_words(values)
        yield "application=1"

    def _start_words(self, values: Mapping[str, str]) -> Iterator[str]:
        return iter(())  # they are in the layer, with those of all its commands

    def _operations(self, values: Mapping[str, str]) -> int:
        """Raises ValueError if its own is no number."""
        return int(filled(self.words.operations, values))

    def _required(self, values: Mapping[str, str]) -> tuple[Check, ...]:
        return checks(filled(text, values) for text in self.program.require)
