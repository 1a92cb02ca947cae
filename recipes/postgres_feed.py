"""Keeps a PostgreSQL table of a ledger's events up to date from its change feed.

    python recipes/postgres_feed.py dozzi.sqlite "host=localhost dbname=analytics"

Events and the place up to which they were taken are committed together, so whatever happens in between, no event is
missed and none is there twice. Run it again, or from cron, to take what is new. Of a ledger that was restored the
place is refused (history_replaced): the table is emptied, and filled anew.
"""

import json
import os
import subprocess
import sys

import psycopg

ledger, target = sys.argv[1:3]
PAGE = 1_000

TABLES = """
CREATE TABLE IF NOT EXISTS daybook_event (
    position bigint PRIMARY KEY, type text NOT NULL, subject text, environment text NOT NULL,
    occurred_at timestamptz NOT NULL, recorded_at timestamptz NOT NULL, data jsonb NOT NULL);
CREATE TABLE IF NOT EXISTS daybook_place (
    id integer PRIMARY KEY CHECK (id = 1), place text NOT NULL);
"""

INSERT = """
INSERT INTO daybook_event VALUES
(%s, %s, %s, %s, to_timestamp(%s / 1000.0), to_timestamp(%s / 1000.0), %s)
"""


def changes(place):
    """A page of events after a place, each with the place behind it."""
    words = [os.environ.get("DAYBOOK", "daybook"), "changes", "--ledger", ledger]
    words += ["--json", "--limit", str(PAGE)] + (["--after", place] if place else [])
    run = subprocess.run(words, capture_output=True, text=True)
    if run.returncode != 0:
        code = json.loads(run.stderr.splitlines()[-1])["error"]["code"]
        if code == "history_replaced":
            return None
        raise SystemExit(run.stderr)
    return [json.loads(line) for line in run.stdout.splitlines()]


with psycopg.connect(target) as connection:
    connection.execute(TABLES)
    connection.commit()
    taken = 0
    while True:
        # Of two runs at the same time one waits here.
        connection.execute("LOCK TABLE daybook_place IN EXCLUSIVE MODE")
        row = connection.execute("SELECT place FROM daybook_place").fetchone()
        page = changes(row[0] if row else None)
        if page is None:
            connection.execute("TRUNCATE daybook_event, daybook_place")
            connection.commit()
            continue
        # The last line says where the page ends.
        events = [line for line in page if "type" in line]
        with connection.cursor() as cursor:
            cursor.executemany(
                INSERT,
                [
                    (
                        e["position"], e["type"], e.get("subject"), e["environment"],
                        e["occurred_at"], e["recorded_at"], json.dumps(e["data"]),
                    )
                    for e in events
                ],
            )
        if events:
            connection.execute(
                "INSERT INTO daybook_place VALUES (1, %s) ON CONFLICT (id) DO UPDATE SET place = %s",
                [events[-1]["place"]] * 2,
            )
        connection.commit()
        taken += len(events)
        if len(events) < PAGE:
            break
    print(f"{taken} events taken")
