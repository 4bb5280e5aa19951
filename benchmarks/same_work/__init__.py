# SPDX-License-Identifier: GPL-2.0-only
"""Programs that did, or did not do, the same work on two kernels, each with the verdict that is right."""
