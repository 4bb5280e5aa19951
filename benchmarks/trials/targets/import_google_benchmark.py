# SPDX-License-Identifier: GPL-2.0-only
"""Files of the import format google_benchmark."""

from benchmarks.trials.targets._imported import imported

TARGET = imported("google_benchmark", "imports/google-benchmark-*.json")
