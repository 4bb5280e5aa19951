# SPDX-License-Identifier: GPL-2.0-only
"""The stand-in for a real machine: a Debian with sshd and kexec-tools in QEMU, for tests and demonstrations of
`--clock metal`.

image.py makes its disk from the archive, by mmdebstrap; files/ is what it has of its own. host.py starts it, with a
network that is a forward to this host's loopback and nothing else. `python -m tests.standin` does the same by hand.
"""
