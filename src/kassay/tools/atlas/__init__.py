# SPDX-License-Identifier: GPL-2.0-only
"""The atlas: what each kernel function costs in each workload on each kernel, read from the histories on this host."""
