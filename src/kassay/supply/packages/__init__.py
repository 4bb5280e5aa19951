# SPDX-License-Identifier: GPL-2.0-only
"""Package files of distributions: the name and files of each. Nothing is installed, and no script is executed."""
