# SPDX-License-Identifier: GPL-2.0-only
"""Files of the import format will_it_scale."""

from benchmarks.trials.targets._imported import imported

TARGET = imported("will_it_scale", "imports/page_fault2*")
