# SPDX-License-Identifier: GPL-2.0-only
"""Who notices: from a finding's functions to the applications that execute them."""
