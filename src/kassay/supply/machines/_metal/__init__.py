# SPDX-License-Identifier: GPL-2.0-only
"""A real machine, reached by ssh, that boots the kernels itself. scripts/ is all that is executed there."""
