# SPDX-License-Identifier: GPL-2.0-only
"""Files of the import format framework_csv."""

from benchmarks.trials.targets._imported import imported

TARGET = imported("framework_csv", "imports/framework.raw.csv", kernel=None)
