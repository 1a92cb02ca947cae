"""Reads a ledger's SQL views with DuckDB, and writes the events of one type as Parquet.

    daybook views --add
    python recipes/duckdb_views.py dozzi.sqlite usage_recorded_v1 usage.parquet
"""

import json
import os
import subprocess
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

# SQLite computes the view and gives texts; Daybook knows what each column is.
program = os.environ.get("DAYBOOK", "daybook")
words = [program, "views", f"event_{view}", "--json"]
described = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
types = {
    "text": '"{0}"',
    "integer": 'CAST("{0}" AS BIGINT) AS "{0}"',
    "money": 'CAST("{0}" AS BIGINT) AS "{0}"',
    "flag": 'CAST("{0}" AS BIGINT) = 1 AS "{0}"',
    "time": 'epoch_ms(CAST("{0}" AS BIGINT)) AS "{0}"',
}
columns = ", ".join(types[c["kind"]].format(c["name"]) for c in described["columns"])
connection.execute(
    f"""
    COPY (
        SELECT {columns}
        FROM sqlite_query('ledger', 'SELECT * FROM event_{view} ORDER BY position')
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
