# SPDX-License-Identifier: GPL-2.0-only
"""Files of the import format libmicro."""

from benchmarks.trials.targets._imported import imported

TARGET = imported("libmicro", "imports/libmicro-*.txt")
