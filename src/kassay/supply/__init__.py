# SPDX-License-Identifier: GPL-2.0-only
"""Supplies of a measurement: kernels, guest programs, disk images, machines."""
