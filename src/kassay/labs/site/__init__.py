# SPDX-License-Identifier: GPL-2.0-only
"""The public page of a history, and the laboratory that keeps it current.

model.py has what the pages show; contents.py reads it from a history; pages/ writes it as static files; turn/ is one
turn of `kassay lab`: find new kernels, measure what is missing, add it, confirm, narrow, write the pages.
"""
