"""Reads a ledger's SQL views with DuckDB, and writes the events of one type as Parquet.

    daybook views --add
    python recipes/duckdb_views.py dozzi.sqlite usage_recorded_v1 usage.parquet
"""

import os
import sys

import duckdb
import duckdb_extension_sqlite_scanner

ledger, view, parquet = sys.argv[1:4]

# The extension comes with a package of DuckDB's own version, so nothing is downloaded at run time.
folder = os.path.dirname(duckdb_extension_sqlite_scanner.__file__)
extension = next(
    os.path.join(path, name)
    for path, _, names in os.walk(folder)
    for name in names
    if name.endswith(".duckdb_extension")
)
connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
connection.execute(f"LOAD '{extension}'")
connection.execute(f"ATTACH '{ledger}' AS ledger (TYPE sqlite, READ_ONLY)")
connection.execute(
    f"""
    COPY (
        SELECT * REPLACE (
            epoch_ms(occurred_at) AS occurred_at, epoch_ms(recorded_at) AS recorded_at
        )
        FROM ledger.event_{view} ORDER BY position
    ) TO '{parquet}' (FORMAT parquet)
    """
)
print("month,events,customers")
for row in connection.execute(
    """
    SELECT strftime(occurred_at, '%Y-%m') AS month, count(*), count(DISTINCT subject)
    FROM read_parquet(?) GROUP BY month ORDER BY month
    """,
    [parquet],
).fetchall():
    print(*row, sep=",")
