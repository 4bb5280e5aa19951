# SPDX-License-Identifier: GPL-2.0-only
"""The archive's tables and the documented views over them.

Version history ("kassay-history/N" in the table `about`):
1   experiments, kernels, series, runs, samples, confirmations; views as in docs/history.md.
"""

SCHEMA = "kassay-history/1"

# No keys and no indexes: who writes holds the lock and looks first, and ten million rows stay small and quick.
TABLES = """
CREATE TABLE about (name VARCHAR, value VARCHAR);
CREATE TABLE t_experiments (
    experiment INTEGER, plan VARCHAR, session VARCHAR, kind VARCHAR, name VARCHAR, directory VARCHAR,
    added_utc VARCHAR, spec VARCHAR
);
CREATE TABLE t_kernels (
    kernel INTEGER, id VARCHAR, name VARCHAR, ref VARCHAR, release VARCHAR, arch VARCHAR, image_sha256 VARCHAR,
    compiler VARCHAR, config_sha256 VARCHAR, "commit" VARCHAR
);
CREATE TABLE t_series (
    series INTEGER, id VARCHAR, workload VARCHAR, metric VARCHAR, unit VARCHAR, better VARCHAR, clock VARCHAR,
    arch VARCHAR, cpus INTEGER, memory_bytes BIGINT, settings MAP(VARCHAR, VARCHAR), conditions MAP(VARCHAR, VARCHAR),
    definition VARCHAR, is_primary BOOLEAN
);
CREATE TABLE t_runs (
    run INTEGER, experiment INTEGER, name VARCHAR, kernel INTEGER, outcome VARCHAR, attempts INTEGER,
    perturbation INTEGER, is_control BOOLEAN, block INTEGER, started_utc TIMESTAMP
);
CREATE TABLE t_samples (
    series INTEGER, kernel INTEGER, experiment INTEGER, run INTEGER, value DOUBLE, counted BOOLEAN,
    started_utc TIMESTAMP, printed BOOLEAN, deviation DOUBLE, told INTEGER
);
CREATE TABLE t_points (
    series INTEGER, kernel INTEGER, value DOUBLE, n INTEGER, spread DOUBLE, lowest DOUBLE, highest DOUBLE,
    all_runs INTEGER, first_utc TIMESTAMP, last_utc TIMESTAMP, deviation DOUBLE
);
CREATE TABLE t_confirmations (
    nomination VARCHAR, when_utc VARCHAR, outcome VARCHAR, words VARCHAR, directory VARCHAR, verdict VARCHAR,
    evidence VARCHAR, change DOUBLE, low DOUBLE, high DOUBLE
);
"""

_POINT = """
    q[2] AS value, CASE WHEN printed THEN told ELSE counted END AS n, (q[3] - q[1]) / q[2] AS spread, lowest, highest,
    all_runs, first_utc, last_utc, deviation
"""
_GROUPED = """
    quantile_cont(value, [0.25, 0.5, 0.75]) FILTER (counted) AS q, count(*) FILTER (counted) AS counted,
    bool_or(printed) AS printed, max(told) AS told, max(deviation) AS deviation, min(value) AS lowest,
    max(value) AS highest, count(*) AS all_runs, min(started_utc) AS first_utc, max(started_utc) AS last_utc
    FROM t_samples
"""

VIEWS = f"""
CREATE VIEW experiments AS SELECT experiment, plan, session, kind, name, directory, added_utc FROM t_experiments;
CREATE VIEW kernels AS FROM t_kernels;
CREATE VIEW series AS FROM t_series;
CREATE VIEW runs AS FROM t_runs;
CREATE VIEW samples AS FROM t_samples;
CREATE VIEW confirmations AS FROM t_confirmations;
CREATE VIEW points AS FROM t_points;
CREATE VIEW sessions AS SELECT series, kernel, experiment, {_POINT}
    FROM (SELECT series, kernel, experiment, {_GROUPED} GROUP BY series, kernel, experiment);
"""

_TOUCHED = "SELECT DISTINCT series, kernel FROM t_samples WHERE experiment = ?"
FORGET_POINTS = f"DELETE FROM t_points WHERE (series, kernel) IN ({_TOUCHED})"
MAKE_POINTS = f"""
INSERT INTO t_points SELECT series, kernel, {_POINT} FROM (
    SELECT series, kernel, {_GROUPED} SEMI JOIN ({_TOUCHED}) USING (series, kernel) GROUP BY series, kernel
)
"""
"""Points are kept as runs are added: those that an experiment has a part in are made anew, of all their samples."""

VIEW_NAMES = ("experiments", "kernels", "series", "runs", "samples", "points", "sessions", "confirmations")
