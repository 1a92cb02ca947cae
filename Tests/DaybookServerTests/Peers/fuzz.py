"""Schemathesis: requests from the server's own description, and whether each answer is in it.

    fuzz.py URL    of a server of Dozzi that runs: http://127.0.0.1:8137

With DAYBOOK_KEY in the environment requests carry this key, one of admin; without it none
but the open routes may do anything. Prints what schemathesis found, its seed (DAYBOOK_SEED repeats
another one) and which routes did nothing; exit status 1 where something is wrong.
"""

import json
import os
import pathlib
import signal
import sys
import tempfile
import urllib.request

from schemathesis.cli import schemathesis as command

import hooks

SEED = os.environ.get("DAYBOOK_SEED", "20261124")
KEY = os.environ.get("DAYBOOK_KEY")
# Event streams do not end, but are only sent to who accepts them; schemathesis accepts anything.
OPTIONS = [
    "--seed", SEED, "--max-examples", "40", "--request-timeout", "10",
    # With more workers the order, and so what is found, would be another one each time.
    "--workers", "1",
    # Members that are null, and what a device or a store sends without a body, are taken.
    "--exclude-checks", "negative_data_rejection",
    # The description cannot say that NUL is refused; the tests of hostile requests do.
    "--generation-allow-x00", "false", "--generation-database", "none",
    "--suppress-health-check", "all", "--warnings", "off", "--continue-on-failure", "--no-color",
]
# Half a minute is usual; a run that hangs is ended by a signal.
SECONDS_MAX = 220
# How many of the routes that need a key must have done something: else a run has shown little.
REACHED_MIN = 40


def place(url: str) -> str:
    if not KEY:
        return "1" + "A" * 32
    request = urllib.request.Request(
        f"{url}/v1/dozzi/place", headers={"Authorization": f"Bearer {KEY}"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["place"]


def run(url: str, folder: str) -> int:
    settings = pathlib.Path(__file__).with_name("schemathesis.toml").read_text(encoding="utf-8")
    path = pathlib.Path(folder, "schemathesis.toml")
    path.write_text(settings.replace("PLACE", place(url)), encoding="utf-8")
    header = ["--header", f"Authorization: Bearer {KEY}"] if KEY else []
    try:
        command.main(
            ["--config-file", str(path), "run", f"{url}/openapi.json", *OPTIONS, *header])
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def main(url: str) -> int:
    signal.alarm(SECONDS_MAX)
    # What schemathesis itself writes is written there too.
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        status = run(url, folder)
        os.chdir("/")
    opened = {name for name, needs_key in hooks.described.items() if not needs_key}
    closed, did = set(hooks.described) - opened, set(hooks.done)
    print(f"{len(closed & did)} of {len(closed)} routes that need a key did something.")
    if KEY:
        print("Nothing did:", *sorted(closed - did))
        if len(closed & did) < REACHED_MIN:
            print(f"These are less than {REACHED_MIN}: the run has shown too little.")
            return 1
    elif did != opened:
        print("Without a key what is open should do something, and nothing else:", *(did ^ opened))
        return 1
    return status


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1].rstrip("/")))
