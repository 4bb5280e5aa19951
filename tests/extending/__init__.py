# SPDX-License-Identifier: GPL-2.0-only
"""One new file adds one of each kind, proven from outside: a directory in KASSAY_PATH, and the command line."""
