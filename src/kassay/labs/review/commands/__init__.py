# SPDX-License-Identifier: GPL-2.0-only
"""Commands of the laboratory, one file each."""
