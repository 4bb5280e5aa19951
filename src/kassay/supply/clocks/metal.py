# SPDX-License-Identifier: GPL-2.0-only
"""metal: wall time on a real machine that boots each kernel itself."""

from kassay.supply.clocks import Clock

CLOCK = Clock(
    name="metal",
    order=50,
    scope="time on a real machine",
    elsewhere=True,
    flavour="generic",
    limits=("This is time on one machine, with its firmware and its devices; another one may differ.",),
    meaning="This is time on a real machine that booted each kernel.",
    mechanism="Clock: the machine's own; each kernel was booted there, on its own root file system.",
    where="on a real machine",
)
