# SPDX-License-Identifier: GPL-2.0-only
"""A cluster on one machine: hosts with addresses of their own, what may go wrong with them, how many runs they make.

network.py makes the hosts, fleet.py starts kassay on them; faults.py, throughput.py and farm.py are to be run, and
docs/results/cluster-found.md has what they printed.
"""
