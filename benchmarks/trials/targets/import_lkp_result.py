# SPDX-License-Identifier: GPL-2.0-only
"""Files of the import format lkp_result."""

from benchmarks.trials.targets._imported import imported

TARGET = imported("lkp_result", "imports/lkp/result/*/*/*/*/*/*/9f*/*/*.json")
