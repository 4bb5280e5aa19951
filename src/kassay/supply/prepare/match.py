# SPDX-License-Identifier: GPL-2.0-only
"""Boot all kernels with one preemption model, where they let it be chosen at boot."""

import re

from msgspec import structs

from kassay.errors import BadInput
from kassay.model.experiment import Experiment
from kassay.model.preemption import boot_models, common_model
from kassay.model.progress import Progress, Tell
from kassay.supply import kernels as kernel_store
from kassay.supply.prepare.kernels import kernel_refs

_GIVEN = re.compile(r"(?:^|\s)preempt=")


def match_preemption(experiment: Experiment, tell: Tell) -> Experiment:
    """The experiment with preempt=MODEL for each kernel that was built with another model and can choose.

    MODEL is the one that most kernels can boot with. A kernel that cannot have it keeps its own; the report names the
    difference. Fetches or builds the kernels. Raises BadInput where the user gave preempt=, KassayError where a kernel
    cannot be had.
    """
    if any(_GIVEN.search(use.cmdline) for use in experiment.kernels):
        raise BadInput("--match preempt: the kernel parameters have preempt=, too", "leave one of the two out")
    artifacts = kernel_store.fetch(kernel_refs(experiment), experiment.flavour, tell)
    models = [boot_models(artifact.identity) for artifact in artifacts]
    common = common_model(models)
    uses = []
    for use, possible in zip(experiment.kernels, models, strict=True):
        own = possible[0] if possible else "not known"
        word = f"preempt={common}" if common != own and common in possible else ""
        uses.append(structs.replace(use, cmdline=" ".join(filter(None, (use.cmdline, word)))))
        text = f"{common} in place of {own}" if word else own if own == common else f"{own}, which cannot be changed"
        tell(Progress(stage="match", subject=use.ref, text=f"preemption: {text}"))
    return structs.replace(experiment, kernels=tuple(uses))
