# SPDX-License-Identifier: GPL-2.0-only
"""A patch series: its rows as source trees, as kernels, as an experiment."""
