# SPDX-License-Identifier: GPL-2.0-only
"""An experiment whose parts are named by their content, so that an edit makes it another experiment."""

from msgspec import structs

from kassay.model.experiment import Experiment
from kassay.model.kernel import parse_ref
from kassay.model.progress import Tell
from kassay.supply import kernels as kernel_store
from kassay.supply.prepare.machine import choose_machine


def pin_experiment(experiment: Experiment, tell: Tell) -> Experiment:
    """The experiment with kernels to be built named by their content. They keep the names the user gave them. Of
    several machines of the clock that which works here is named, unless it is the first. Raises BadInput, NotBuilt."""
    uses = []
    for use in experiment.kernels:
        ref = kernel_store.pinned(parse_ref(use.ref, experiment.arch), tell)
        uses.append(use if ref == use.ref else structs.replace(use, ref=ref, name=use.name or use.ref))
    return structs.replace(experiment, kernels=tuple(uses), machine=choose_machine(experiment, tell))
