# SPDX-License-Identifier: GPL-2.0-only
"""From a finding's functions to the applications that execute them."""
