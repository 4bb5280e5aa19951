# SPDX-License-Identifier: GPL-2.0-only
"""Files of the import format lkp_mail."""

from benchmarks.trials.targets._imported import imported

TARGET = imported("lkp_mail", "imports/lkp-mail.txt", "lkp/*.txt", kernel=None, longest=1 << 13)
