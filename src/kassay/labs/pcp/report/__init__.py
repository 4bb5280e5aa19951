# SPDX-License-Identifier: GPL-2.0-only
"""Documents of the page allocator lab: what was simulated, measured, replayed."""
