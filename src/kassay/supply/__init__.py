# SPDX-License-Identifier: GPL-2.0-only
"""What a measurement needs: kernels, guest programs, disk images, machines."""
