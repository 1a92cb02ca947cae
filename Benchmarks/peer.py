"""The Python package `eventsourcing` on its SQLite recorder: the same events, its own ways.

    peer.py recorder FILE EVENTS SUBJECTS BATCH      stored events, made before the clock runs
    peer.py application FILE EVENTS SUBJECTS BATCH   an aggregate's method, BATCH events per save
    peer.py select FILE                              its recorder's notifications, 1,000 at a time
    peer.py subject FILE QUESTIONS                   one aggregate: select and reconstruct
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


def report(seconds: float, events: int) -> None:
    print("seconds", seconds)
    print("events", events)


def main(arguments: list[str]) -> None:
    commands = {
        "recorder": recorder, "application": application, "select": select, "subject": subject,
    }
    if arguments == ["version"]:
        print(importlib.metadata.version("eventsourcing"))
    elif len(arguments) >= 2 and arguments[0] in commands:
        commands[arguments[0]](arguments[1], *map(int, arguments[2:]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
