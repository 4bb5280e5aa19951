# SPDX-License-Identifier: GPL-2.0-only
"""One file per format that `kassay import` reads; file name = name, each with a constant IMPORTER."""
