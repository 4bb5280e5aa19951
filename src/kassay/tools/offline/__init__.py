# SPDX-License-Identifier: GPL-2.0-only
"""Kits: directories with everything that an experiment needs on a machine without network."""
