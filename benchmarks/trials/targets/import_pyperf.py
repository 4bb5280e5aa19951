# SPDX-License-Identifier: GPL-2.0-only
"""Files of the import format pyperf."""

from benchmarks.trials.targets._imported import imported

TARGET = imported("pyperf", "imports/pyperf-*.json")
