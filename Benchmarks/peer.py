"""The Python package `eventsourcing` on its SQLite recorder: the same events, its own ways; and DuckDB on Parquet.

    peer.py recorder FILE EVENTS SUBJECTS BATCH      stored events, made before the clock runs
    peer.py application FILE EVENTS SUBJECTS BATCH   an aggregate's method, BATCH events per save
    peer.py select FILE                              its recorder's notifications, 1,000 at a time
    peer.py subject FILE QUESTIONS                   one aggregate: select and reconstruct
    peer.py parquet LINES FILE                       DuckDB: exported events as Parquet
    peer.py questions FILE                           DuckDB: revenue and customers by day, a funnel
    peer.py version

Prints lines of a name and a number, as `raw` does. Journal and synchronous are left as the package
sets them: WAL, and SQLite's own default, FULL.
"""

import importlib.metadata
import json
import random
import sys
import time
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event
from eventsourcing.persistence import StoredEvent

PAGE = 1000


class Customer(Aggregate):
    """A customer whose uses of one meter are counted: the simplest state."""

    @event("Registered")
    def __init__(self) -> None:
        self.used = 0

    @event("Used")
    def use(self, meter: str, amount: int, ref: str, key: str) -> None:
        self.used += amount


class Ledger(Application):
    pass


def ledger(path: str) -> Ledger:
    return Ledger(
        env={
            "PERSISTENCE_MODULE": "eventsourcing.sqlite",
            "SQLITE_DBNAME": path,
        }
    )


def subjects(events: int, count: int):
    """Which customer each event is of; the order is random and the same on every run."""
    numbers = random.Random(1)
    return [numbers.randrange(count) for _ in range(events)]


def batches(items: list, size: int):
    return (items[start : start + size] for start in range(0, len(items), size))


def identifier(numbers: random.Random) -> UUID:
    return UUID(int=numbers.getrandbits(128), version=4)


def recorder(path: str, events: int, count: int, batch: int) -> None:
    app = ledger(path)
    numbers = random.Random(2)
    ids = [identifier(numbers) for _ in range(count)]
    versions = [0] * count
    stored = []
    for index, subject in enumerate(subjects(events, count)):
        versions[subject] += 1
        state = json.dumps(
            {
                "meter": "stories",
                "amount": 1,
                "ref": f"story-{index}",
                "key": str(identifier(numbers)),
                "occurred_at": 1767225600000 + index * 37,
            },
            separators=(",", ":"),
        ).encode()
        stored.append(StoredEvent(ids[subject], versions[subject], "peer:Customer.Used", state))
    start = time.perf_counter()
    for chunk in batches(stored, batch):
        app.recorder.insert_events(chunk)
    report(time.perf_counter() - start, events)


def application(path: str, events: int, count: int, batch: int) -> None:
    app = ledger(path)
    numbers = random.Random(2)
    keys = [str(identifier(numbers)) for _ in range(events)]
    customers: dict[int, Customer] = {}
    order = list(enumerate(subjects(events, count)))
    start = time.perf_counter()
    for chunk in batches(order, batch):
        touched = {}
        for index, subject in chunk:
            customer = customers.get(subject)
            if customer is None:
                customer = customers[subject] = Customer()
            customer.use("stories", 1, f"story-{index}", keys[index])
            touched[subject] = customer
        app.save(*touched.values())
    # The registrations are events too.
    report(time.perf_counter() - start, events + len(customers))


def select(path: str) -> None:
    app = ledger(path)
    events, start, position = 0, time.perf_counter(), 1
    while notifications := app.recorder.select_notifications(position, PAGE):
        events += len(notifications)
        position = notifications[-1].id + 1
    report(time.perf_counter() - start, events)


def subject(path: str, questions: int) -> None:
    app = ledger(path)
    with app.recorder.datastore.transaction(commit=False) as cursor:
        cursor.execute("SELECT DISTINCT originator_id FROM stored_events")
        ids = [UUID(row["originator_id"]) for row in cursor.fetchall()]
    asked = random.Random(3).choices(ids, k=questions)
    versions, start = 0, time.perf_counter()
    for one in asked:
        versions += app.repository.get(one).version
    report(time.perf_counter() - start, questions)
    print("events_each", versions / questions)


# Events as columns: what the questions below need, and nothing else.
PARQUET = """
COPY (
    SELECT position, type, subject, occurred_at, data->>'transaction_id' AS id,
        CAST(data->>'price_milli' AS BIGINT) AS price, data->>'currency' AS currency,
        CAST(data->>'revoked_at' AS BIGINT) AS revoked_at, (data->'offer') IS NOT NULL AS is_offer
    FROM read_json(
        ?, format = 'newline_delimited', maximum_object_size = 100000000,
        columns = {position: 'BIGINT', type: 'VARCHAR', subject: 'VARCHAR',
            occurred_at: 'BIGINT', environment: 'VARCHAR', data: 'JSON'})
    WHERE environment = 'production' ORDER BY position
) TO '%s' (FORMAT parquet)
"""

REVENUE = """
WITH events AS (SELECT * FROM read_parquet(?)),
paid AS (
    SELECT id, min(occurred_at) AS moment, any_value(price) AS price, any_value(currency) AS currency
    FROM events
    WHERE type IN ('subscription.started', 'subscription.renewed', 'purchase.completed')
        AND price > 0
    GROUP BY id),
returned AS (
    SELECT id, min(revoked_at) AS moment FROM events WHERE type = 'purchase.refunded' GROUP BY id),
moves AS (
    SELECT moment, price, currency FROM paid
    UNION ALL
    SELECT returned.moment, -price, currency FROM returned JOIN paid USING (id))
SELECT moment // 86400000 AS day, currency, sum(price) FROM moves GROUP BY ALL ORDER BY ALL
"""

CUSTOMERS = """
SELECT occurred_at // 86400000 AS day, count(DISTINCT subject)
FROM read_parquet(?) WHERE type = 'app.launched' GROUP BY day ORDER BY day
"""

FUNNEL = """
WITH events AS (SELECT * FROM read_parquet(?)),
first AS (
    SELECT subject, min(occurred_at) AS moment FROM events WHERE type = 'paywall.shown'
    GROUP BY subject),
second AS (
    SELECT subject, min(events.occurred_at) AS moment, any_value(first.moment) AS entry
    FROM events JOIN first USING (subject)
    WHERE type = 'subscription.started' AND is_offer AND occurred_at > first.moment
        AND occurred_at <= first.moment + 5875200000
    GROUP BY subject),
third AS (
    SELECT subject FROM events JOIN second USING (subject)
    WHERE type = 'subscription.renewed' AND occurred_at > second.moment
        AND occurred_at <= second.entry + 5875200000
    GROUP BY subject)
SELECT (SELECT count(*) FROM first), (SELECT count(*) FROM second), (SELECT count(*) FROM third)
"""


def parquet(lines: str, path: str) -> None:
    import duckdb

    start = time.perf_counter()
    duckdb.connect().execute(PARQUET % path, [lines])
    report(time.perf_counter() - start, 0)


def questions(path: str) -> None:
    import duckdb

    connection = duckdb.connect()
    events = connection.execute("SELECT count(*) FROM read_parquet(?)", [path]).fetchone()[0]
    start = time.perf_counter()
    for question in [REVENUE, CUSTOMERS, FUNNEL]:
        rows = connection.execute(question, [path]).fetchall()
        assert rows, question
    report(time.perf_counter() - start, events)


def report(seconds: float, events: int) -> None:
    print("seconds", seconds)
    print("events", events)


def main(arguments: list[str]) -> None:
    commands = {
        "recorder": recorder, "application": application, "select": select, "subject": subject,
        "parquet": parquet, "questions": questions,
    }
    if arguments == ["version"]:
        print(importlib.metadata.version("eventsourcing"))
    elif len(arguments) >= 2 and arguments[0] in commands:
        numbers = [int(word) if word.isdigit() else word for word in arguments[2:]]
        commands[arguments[0]](arguments[1], *numbers)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
