# SPDX-License-Identifier: GPL-2.0-only
"""One turn of `kassay lab`: new kernels, missing pairs, history, steps with their lives, mail drafts, and the site."""
