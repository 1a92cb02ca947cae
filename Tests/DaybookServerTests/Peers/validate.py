"""openapi-spec-validator: whether the description of the routes is OpenAPI 3.1.

    validate.py URL    of a server that runs: http://127.0.0.1:8137

Prints each mistake with its place in /openapi.json; exit status 1 where there is one.
"""

import json
import sys
import urllib.request

from openapi_spec_validator import OpenAPIV31SpecValidator


def main(url: str) -> int:
    with urllib.request.urlopen(f"{url}/openapi.json") as answer:
        description = json.load(answer)
    print("openapi", description["openapi"], "with", len(description["paths"]), "paths")
    if not description["openapi"].startswith("3.1."):
        print("this is not 3.1")
        return 1
    mistakes = list(OpenAPIV31SpecValidator(description, base_uri=url).iter_errors())
    for mistake in mistakes:
        place = "/".join(str(step) for step in mistake.absolute_path)
        print(f"{place}: {mistake.message[:400]}")
    return 1 if mistakes else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1].rstrip("/")))
