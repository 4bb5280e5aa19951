# SPDX-License-Identifier: GPL-2.0-only
"""Measured subjects, ready to run: description, settings, programs and image."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product

from msgspec import structs

from kassay.effects.memory import memory_bytes
from kassay.errors import BadInput, HostLacks
from kassay.model.experiment import Axis, Experiment, WorkloadUse
from kassay.model.guest import Programs
from kassay.model.machine import STATE, STATE_OPTIONS
from kassay.model.packages import Image
from kassay.model.plan import WorkloadSettings
from kassay.model.progress import Tell
from kassay.model.records import Setting
from kassay.model.units import format_bytes, parse_bytes
from kassay.model.workload import Workload
from kassay.supply.arches import arch_of
from kassay.supply.guest import catalog
from kassay.supply.guest.compile import build, compiler_for
from kassay.supply.measured import Measured, measured_by_name


def describe_workloads(uses: Sequence[WorkloadUse], given_programs: Programs | None) -> Mapping[str, Workload]:
    """The workloads of an experiment by name: as given programs describe themselves, else as kassay knows them.
    Raises BadInput for a name that is unknown."""
    if given_programs:
        described = {workload.name: workload for workload in given_programs.workloads}
        return {use.name: catalog.find(described, use.name) for use in uses}
    return {name: measured.describe() for name, measured in measured_by_name(uses).items()}


def check_settings(experiment: Experiment) -> None:
    """Raises BadInput for a workload, a parameter or a value that does not exist."""
    settings_of(experiment, describe_workloads(experiment.workloads, None))


def settings_of(experiment: Experiment, workloads: Mapping[str, Workload]) -> tuple[WorkloadSettings, ...]:
    """Every point of every workload's matrix, complete and checked.

    Raises BadInput with all problems of a point, and for settings that cannot be measured together.
    """
    settings = _settings(experiment, workloads)
    if problems := tuple(_conflicts(experiment, workloads, settings).values()):
        more = f"; so it is with {len(problems) - 1} more of the settings" if len(problems) > 1 else ""
        raise BadInput(f"{problems[0]}{more}", "leave one of them out, or measure other settings")
    if len(set(settings)) != len(settings):
        raise BadInput("workloads: the same setting appears twice", "list each workload setting once")
    return settings


def _settings(experiment: Experiment, workloads: Mapping[str, Workload]) -> tuple[WorkloadSettings, ...]:
    _check_owners(experiment.workloads, workloads)
    return tuple(
        (use.name, catalog.settings(workloads[use.name], point, arch_of(experiment.arch)))
        for use in experiment.workloads
        for point in matrix(use.axes)
    )


def _check_owners(uses: Sequence[WorkloadUse], workloads: Mapping[str, Workload]) -> None:
    """Raises BadInput for a parameter that another one of the workloads has, with what to write for that one alone."""
    names_of = {use.name: {parameter.name for parameter in workloads[use.name].parameters} for use in uses}
    unknown = ((use.name, axis) for use in uses for axis in use.axes if axis.name not in names_of[use.name])
    for workload, axis in unknown:
        if owner := next((name for name, names in names_of.items() if axis.name in names), ""):
            raise BadInput(
                f"workload {workload}: unknown parameter {axis.name!r}",
                f"write --set {owner}.{axis.name}={','.join(axis.values)}, which is for {owner} alone",
            )


def possible_workloads(experiment: Experiment) -> tuple[Experiment, tuple[str, ...]]:
    """An experiment without the workloads that cannot be measured on its machines, and a sentence for each of those.

    Without any that can, the experiment stays as it is.
    """
    if not _options(experiment):
        return experiment, ()
    uses = {}
    for use in experiment.workloads:
        alone = structs.replace(experiment, workloads=(use,))
        workloads = describe_workloads((use,), None)
        uses[use] = _conflicts(alone, workloads, _settings(alone, workloads))
    possible = tuple(use for use, problems in uses.items() if not problems)
    if not possible:
        return experiment, ()
    sentences = dict.fromkeys(text for problems in uses.values() for text in problems.values())
    return structs.replace(experiment, workloads=possible), tuple(sentences)


def _conflicts(
    experiment: Experiment, workloads: Mapping[str, Workload], settings: Sequence[WorkloadSettings]
) -> Mapping[WorkloadSettings, str]:
    """Why settings cannot be measured, for those that cannot."""
    options = _options(experiment)
    found = ((one, workloads[one[0]].conflict({s.name: s.value for s in one[1]}, options)) for one in settings)
    return {one: text for one, text in found if text}


def _options(experiment: Experiment) -> tuple[str, ...]:
    """Options of the machine's state that were given."""
    return tuple(option for name, option in zip(STATE, STATE_OPTIONS, strict=True) if getattr(experiment, name))


def matrix(axes: Sequence[Axis]) -> tuple[tuple[Setting, ...], ...]:
    """Every point of the axes' product, last axis fastest; no axes give one empty point."""
    return tuple(
        tuple(Setting(name=axis.name, value=value) for axis, value in zip(axes, values, strict=True))
        for values in product(*(axis.values for axis in axes))
    )


_TIMES_HOST = 4
"""A guest takes what it touches: its kernel's array of pages, which is 1/64 of its memory, and the workload's."""


def check_memory(experiment: Experiment, settings: Sequence[WorkloadSettings], *, remote: bool) -> None:
    """Raises BadInput or HostLacks for a machine or a size that does not fit into memory."""
    host = memory_bytes()
    most, least = max(experiment.memory_bytes), min(experiment.memory_bytes)
    if most > _TIMES_HOST * host and not remote:
        what = f"a machine of {format_bytes(most)} on a host with {format_bytes(host)}"
        raise HostLacks(what, f"choose a smaller --memory, at most {_TIMES_HOST} times the host's")
    for workload, values in settings:
        for item in values:
            if item.name == "size" and parse_bytes(item.value) >= least:
                what = f"{workload}: size={item.value} does not fit into {format_bytes(least)} of memory"
                raise BadInput(what, "choose a smaller size or a larger --memory")


def build_programs(measured: Iterable[Measured], arch: str) -> Programs:
    """Everything that runs in the guest, built here: init and kassay's own programs first."""
    ordered = sorted(measured, key=lambda one: one.guest_program != one.name)
    files = (("init", build("init", arch)), *((one.name, one.build(arch)) for one in ordered))
    return Programs(files=files, compiler=compiler_for(arch)[1])


def make_images(
    measured: Iterable[Measured], experiment: Experiment, tell: Tell
) -> tuple[tuple[str, Image, str], ...]:  # fmt: skip
    """(workload, image, path of its archive) of everything that needs an image."""
    memory = min(experiment.memory_bytes)
    images = ((one.name, one.image(experiment.arch, memory, tell)) for one in measured)
    return tuple((name, image[0], str(image[1])) for name, image in images if image is not None)
