# SPDX-License-Identifier: GPL-2.0-only
"""The file tree that unmodified programs of the archive run in: made of packages, the same to the byte each time."""
