"""Asks the engine and the oracle the same questions, drawn by a seed, and prints every difference.

    metrics_compare.py DAYBOOK LEDGER EXPORT CATALOG.json SEED COUNT

DAYBOOK is the program, EXPORT what `daybook export` wrote of LEDGER, CATALOG.json its catalog. Ends with 1 when
anything differs. The last line tells how many values were compared, and how many of them were not 0.
"""

import datetime
import json
import os
import random
import subprocess
import sys
import tempfile
from fractions import Fraction

DAY = 86_400_000
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "metrics_oracle.py")
GROUPS = ["currency", "state", "reason", "feature", "meter", "survey", "context", "uses", "basis", "product"]
# A fold is not asked for more values than people can look at; days of a year with ages would be.
LENGTHS = {"day": 40, "week": 120, "month": 400, "quarter": 800, "year": 1_200}


def text(time):
    moment = datetime.datetime.fromtimestamp(time / 1000, datetime.timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def question(dice, lines, catalog, times, countries):
    """A question with whatever the rules allow, about a time in which something happened."""
    by = dice.choice(list(LENGTHS))
    start = dice.choice(times) // 1000 * 1000 - dice.randrange(LENGTHS[by] // 2) * DAY
    until = start + dice.randrange(1, LENGTHS[by]) * DAY
    cut = len(lines) * dice.choice([4, 5, 6]) // 6
    asked = {
        "metrics": [], "from": start, "until": until, "by": by,
        "zone": dice.choice(["UTC", "Europe/Amsterdam", "America/New_York", "Asia/Kolkata"]),
        "at": dice.choice([until, dice.choice(times) // 1000 * 1000 + dice.randrange(3 * DAY) // 1000 * 1000]),
        "refunds": dice.choice(["at-refund-date", "retroactive", "ignore"]),
        "monthly_price": dice.choice(["revenuecat", "adapty", "calendar"]),
        "commission": dice.choice(["30", "15", "12.5"]),
        "retention": dice.choice(["calendar", "own-calendar", "24-hours", "on-or-after"]),
        "every": dice.choice([None, "day", "week", "month"]), "ages": dice.randrange(8),
        "products": [], "cohort": None, "experiment": None, "variant": None,
        "countries": [], "currency": dice.choice([None, None, "EUR", "USD"]),
    }
    narrowed = dice.randrange(5)
    if narrowed == 1:
        asked["products"] = dice.sample(list(catalog["products"]), 1)
    elif narrowed == 2:
        month = datetime.datetime.fromtimestamp(dice.choice(times) / 1000, datetime.timezone.utc)
        asked["cohort"] = month.strftime("%Y-%m")
    elif narrowed == 3 and catalog.get("experiments"):
        asked["experiment"] = dice.choice(list(catalog["experiments"]))
    elif narrowed == 4:
        asked["countries"] = dice.sample(countries, min(2, len(countries)))
    return asked, cut


def engine(program, ledger, asked, cut):
    command = [
        program, "metrics", "--all", "--json", "--ledger", ledger, "--known-at", f"@{cut}",
        "--from", text(asked["from"]), "--until", text(asked["until"]), "--at", text(asked["at"]),
        "--by", asked["by"], "--tz", asked["zone"], "--refunds", asked["refunds"],
        "--monthly-price", asked["monthly_price"], "--commission", asked["commission"],
        "--retention", asked["retention"], "--ages", str(asked["ages"]),
    ]
    for option in ["every", "cohort", "experiment", "variant", "currency"]:
        if asked[option]:
            command += ["--" + option, asked[option]]
    for product in asked["products"]:
        command += ["--product", product]
    for country in asked["countries"]:
        command += ["--country", country]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr)
    found, shapes = {}, {}
    for metric in json.loads(run.stdout)["metrics"]:
        values = found[metric["name"]] = {}
        shapes[metric["name"]] = metric["shape"]
        for value in metric["values"]:
            group = next((str(value[name]) for name in GROUPS if name in value), "")
            key = f"{group}|{value['period']}|{value.get('age', '')}"
            values[key] = [value["numerator"], value["denominator"], value["complete"], value["value_micros"],
                           "currency" in value]
    return found, shapes


def oracle(lines, catalog, asked):
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ["export.ndjson", "request.json"]]
        with open(paths[0], "w") as file:
            file.writelines(lines)
        with open(paths[1], "w") as file:
            json.dump(asked, file)
        run = subprocess.run(
            [sys.executable, "-B", SCRIPT, paths[0], catalog, paths[1]], capture_output=True, text=True)
        if run.returncode:
            sys.exit(run.stderr)
        return json.loads(run.stdout)


def is_same(left, right, shape, currency):
    """Values that one side leaves out are 0, or there is none."""
    if left is None or right is None:
        value = left or right
        return value[0] == 0
    if (left[1] == 0) != (right[1] == 0) or left[2] != right[2]:
        return False
    if right[1] == 0:
        return left[3] is None
    exact = Fraction(right[0], right[1]) * (1_000 if shape.startswith("money") else 1_000_000)
    if round(exact) != left[3]:
        return False
    # In one currency both sides are rounded.
    return currency and left[4] or left[0] * right[1] == right[0] * left[1]


def main(program, ledger, export, catalog_path, seed, count):
    with open(export) as file:
        lines = file.readlines()
    with open(catalog_path) as file:
        catalog = json.load(file)
    events = [json.loads(line) for line in lines]
    times = [event["occurred_at"] for event in events if event["occurred_at"] > 1_000_000_000_000]
    told = {event["data"].get("country") for event in events} | {"DE", "US"}
    countries = sorted(code for code in told if code)
    dice = random.Random(seed)
    compared = telling = wrong = 0
    for number in range(count):
        asked, cut = question(dice, lines, catalog, times, countries)
        ours, shapes = engine(program, ledger, asked, cut)
        theirs = oracle(lines[:cut], catalog_path, asked)
        shown = {name: value for name, value in asked.items() if value}
        for name in sorted(set(ours) | set(theirs)):
            left, right = ours.get(name, {}), theirs.get(name, {})
            for key in sorted(set(left) | set(right)):
                compared += 1
                telling += 1 if (left.get(key) or [0])[0] != 0 else 0
                if not is_same(left.get(key), right.get(key), shapes.get(name, ""), asked["currency"]):
                    wrong += 1
                    if wrong <= 20:
                        print(f"{name} {key}: engine {left.get(key)}, oracle {right.get(key)}; "
                              f"question {number}, known at @{cut}, {shown}")
    print(f"{compared} values compared, {telling} of them not 0, {wrong} different")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 7:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:5], int(sys.argv[5]), int(sys.argv[6])))
