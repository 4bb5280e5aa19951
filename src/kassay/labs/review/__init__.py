# SPDX-License-Identifier: GPL-2.0-only
"""From a patch series to where it gains, where it costs, and a reply that says so."""
