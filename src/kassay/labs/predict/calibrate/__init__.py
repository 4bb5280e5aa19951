# SPDX-License-Identifier: GPL-2.0-only
"""`kassay calibrate`: measures what a timing file says of a CPU.

machine.py says which machine this is, program.py builds and runs the microbenchmarks of core/probes, points.py lists
what they are asked, samples.py makes quantities of their samples and keeps them for a repeated command, parameters of
the core model are found from these by derive.py (steps.py finds sizes, privileged.py costs of ring 0), and text.py
writes the file.
"""
