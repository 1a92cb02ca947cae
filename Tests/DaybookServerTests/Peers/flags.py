"""The Python SDK of OpenFeature, by its provider for the remote evaluation protocol (OFREP).

    flags.py URL    of a server of Dozzi that runs: http://127.0.0.1:8137

DAYBOOK_KEY in the environment is a key of the app's backend. Asks for flags of a customer who has
bought nothing and of one who has bought unlimited stories, and for what cannot be evaluated. Prints
each answer, and what should have come where it is another one; exit status 1 then.
"""

import os
import sys

from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext
from openfeature.exception import ErrorCode
from openfeature.flag_evaluation import Reason

NEWCOMER, BUYER = "ada", "u_1107"

# Of whom, which flag, the default, and what comes: value, reason, variant, error.
ANSWERS = [
    (NEWCOMER, "basicVoices", False, (True, Reason.TARGETING_MATCH, "free_feature", None)),
    (NEWCOMER, "premiumVoices", True, (False, Reason.TARGETING_MATCH, "not_entitled", None)),
    (BUYER, "premiumVoices", False, (True, Reason.TARGETING_MATCH, "lifetime", None)),
    ("Ада / b?c", "premiumVoices", True, (False, Reason.TARGETING_MATCH, "not_entitled", None)),
    (NEWCOMER, "noSuchFlag", True, (True, Reason.ERROR, None, ErrorCode.FLAG_NOT_FOUND)),
    (None, "basicVoices", False, (False, Reason.ERROR, None, ErrorCode.TARGETING_KEY_MISSING)),
    ("", "basicVoices", False, (False, Reason.ERROR, None, ErrorCode.TARGETING_KEY_MISSING)),
]


def client(url: str, key: str, domain: str):
    headers = {"Authorization": f"Bearer {key}"}
    provider = OFREPProvider(f"{url}/v1/dozzi", headers_factory=lambda: headers)
    api.set_provider(provider, domain)
    return api.get_client(domain)


def compare(what: str, came: object, expected: object) -> bool:
    print(f"{what}: {came}" if came == expected else f"{what}: {came}, expected {expected}")
    return came == expected


def main(url: str, key: str) -> int:
    flags = client(url, key, "backend")
    right = []
    for customer, name, default, expected in ANSWERS:
        # Members of the context that are not the server's are the app's business.
        context = EvaluationContext(customer, {"appVersion": "1.0.3"})
        answer = flags.get_boolean_details(name, default, context)
        came = (answer.value, answer.reason, answer.variant, answer.error_code)
        right.append(compare(f"{name} of {customer!r}", came, expected))

    sandbox = EvaluationContext(BUYER, {"environment": "sandbox"})
    right.append(compare(
        "what was bought in another environment",
        flags.get_boolean_value("premiumVoices", True, sandbox), False))

    counted = flags.get_boolean_details("stories", False, EvaluationContext("eve"))
    right.append(compare(
        "stories of 'eve'", (counted.value, counted.flag_metadata),
        (True, {"enforcement": "hard", "limit": 2, "remaining": 2, "used": 0})))

    # The provider takes any 404 for a flag that is not found; the words are the server's.
    unknown = flags.get_boolean_details("noSuchFlag", True, EvaluationContext(NEWCOMER))
    right.append(compare(
        "why not", unknown.error_message, 'the catalog has no feature or meter "noSuchFlag"'))

    text = flags.get_string_details("basicVoices", "none", EvaluationContext(NEWCOMER))
    right.append(compare(
        "as text", (text.value, text.error_code), ("none", ErrorCode.TYPE_MISMATCH)))

    stranger = client(url, "daybook_none", "stranger")
    refused = stranger.get_boolean_details("basicVoices", False, EvaluationContext(NEWCOMER))
    right.append(compare(
        "without a good key", (refused.value, refused.error_code, refused.error_message),
        (False, ErrorCode.GENERAL, "unauthorized")))
    return 0 if all(right) else 1


if __name__ == "__main__":
    if len(sys.argv) != 2 or not os.environ.get("DAYBOOK_KEY"):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1].rstrip("/"), os.environ["DAYBOOK_KEY"]))
