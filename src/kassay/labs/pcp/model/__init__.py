# SPDX-License-Identifier: GPL-2.0-only
"""Records of the page allocator lab."""
