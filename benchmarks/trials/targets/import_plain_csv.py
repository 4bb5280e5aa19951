# SPDX-License-Identifier: GPL-2.0-only
"""Files of the import format plain_csv."""

from benchmarks.trials.targets._imported import imported

TARGET = imported("plain_csv", "imports/plain.csv", kernel=None)
