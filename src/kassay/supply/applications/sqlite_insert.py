# SPDX-License-Identifier: GPL-2.0-only
"""sqlite3 fills a database in many transactions, and asks it."""

from collections.abc import Mapping

from kassay.model.application import Application

_ROWS = 20_000
_SCRIPT = f"""\
pragma journal_mode=wal;
create table rows(id integer primary key, name text, value integer);
create index by_value on rows(value);
with recursive n(i) as (select 1 union all select i + 1 from n where i < {_ROWS // 2})
insert into rows select i, 'row ' || (i * 7919 % 10007), i * 104729 % 65537 from n;
with recursive n(i) as (select {_ROWS // 2 + 1} union all select i + 1 from n where i < {_ROWS})
insert into rows select i, 'row ' || (i * 7919 % 10007), i * 104729 % 65537 from n;
update rows set value = value + 1 where id % 7 = 0;
delete from rows where id % 11 = 0;
select 'rows=' || count(*) from rows;
select 'names=' || count(distinct name) from rows where value > 1000;
"""


def _inputs() -> Mapping[str, bytes]:
    small = "".join(
        f"insert into rows values ({100_000 + number}, 'small {number}', {number * 31 % 997});\n"
        for number in range(500)
    )
    return {"job.sql": (_SCRIPT + small).encode()}


APPLICATION = Application(
    name="sqlite_insert",
    summary=f"sqlite3: {_ROWS} rows in two transactions, 500 in one each, an index, two queries",
    uses="a page cache of its own in heap; write, read and fsync of a file; a shared mapping for the index of its log",
    packages=("coreutils", "sqlite3"),
    command=("/usr/bin/sqlite3", "job.db", ".read job.sql"),
    between=(("/bin/rm", "-f", "job.db", "job.db-wal", "job.db-shm"),),
    operation="job",
    require=("rows==18182",),
    inputs=_inputs,
)
