# SPDX-License-Identifier: GPL-2.0-only
"""All that the runs of an experiment need: fetched, built and probed before the experiment is planned."""
