# SPDX-License-Identifier: GPL-2.0-only
"""One file for each kind of input that comes from outside; each has a constant TARGET."""
