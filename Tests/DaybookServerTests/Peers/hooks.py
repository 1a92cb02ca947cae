"""What schemathesis is told besides schemathesis.toml, and what it sent: fuzz.py imports this."""

import collections
import itertools
import json
import re

import schemathesis

# Examples of what the ledger of the test has; those of the description fit any ledger.
BODIES = {
    "whatIf": {"drop": ["ledger/tap-story-2"]},
    "commit": {"reservation": "one"},
    "voidGrant": {"grant": "one"},
}
PERSON = {"actor": "kim", "reason": "test"}

# By operation: whether it needs a key, and how often it did something.
described: dict[str, bool] = {}
done: collections.Counter[str] = collections.Counter()
keys = itertools.count()


@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    text = value if isinstance(value, str) else json.dumps(value)
    return {"data": text.encode()}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    raw_schema["components"]["parameters"]["customer"]["example"] = "ada"
    schemas = raw_schema["components"]["schemas"]
    # A server takes no payloads that Xcode makes up, and says so with 503.
    schemas["Environment"]["enum"].remove("xcode")
    for operation in (each for path in raw_schema["paths"].values() for each in path.values()):
        for content in operation.get("requestBody", {}).get("content", {}).values():
            example = BODIES.get(operation["operationId"], content.get("example"))
            schema = schemas.get(content["schema"].get("$ref", "").rpartition("/")[2], {})
            # A key of admin needs them, which the schema of all keys leaves to its words.
            if "actor" in schema.get("properties", {}):
                schema["required"] = sorted({*schema.get("required", []), *PERSON})
                example = {**example, **PERSON}
            if example:
                content["example"] = example


@schemathesis.hook
def before_call(context, case, kwargs):
    """Bounds waits, which may be of 50 s, and lets most keys be new: a key is for one request."""
    wait = (case.query or {}).get("wait")
    if isinstance(wait, str) and re.fullmatch(r"P(\d+[WD])*(T(\d+[HMS])+)?", wait):
        case.query["wait"] = "PT1S"
    key = (case.headers or {}).get("Idempotency-Key")
    # With another header a request that lacks one would no longer count as that.
    if key and case.meta.generation.mode.is_positive and next(keys) % 4:
        case.headers["Idempotency-Key"] = f"{key[:200]}-{next(keys)}"


@schemathesis.hook
def after_call(context, case, response):
    operation = case.operation.definition.raw
    described[operation["operationId"]] = bool(operation["security"])
    if response.status_code < 400:
        done[operation["operationId"]] += 1
