"""Net revenue by month and currency, from an export of transactions.

    daybook export transactions --format csv --output sales.csv
    python recipes/pandas_revenue.py sales.csv
"""

import json
import sys

import pandas

path = sys.argv[1]
with open(path + ".schema.json") as file:
    schema = json.load(file)
kinds = {"string": "string", "integer": "Int64", "boolean": "boolean"}
sales = pandas.read_csv(
    path,
    dtype={f["name"]: kinds[f["type"]] for f in schema["fields"] if f["type"] in kinds},
    parse_dates=[f["name"] for f in schema["fields"] if f["type"] == "datetime"],
)
assert len(sales) == schema["daybook"]["rows"]
paid = sales[["purchased_at", "currency", "amount_milli"]].set_axis(["at", "currency", "milli"], axis=1)
back = sales.dropna(subset=["refunded_at"])[["refunded_at", "currency", "refunded_milli"]]
back = back.set_axis(["at", "currency", "milli"], axis=1).assign(milli=lambda row: -row["milli"])
moves = pandas.concat([paid, back])
moves = moves[moves["milli"] != 0]
moves["month"] = moves["at"].dt.strftime("%Y-%m")
for (month, currency), milli in moves.groupby(["month", "currency"])["milli"].sum().items():
    print(month, currency, milli, sep=",")
