# SPDX-License-Identifier: GPL-2.0-only
"""Tools around the path of an experiment."""
