"""A second, naive implementation of Daybook's metrics, which the engine is compared with.

It follows docs/metrics.md and the formulas of `daybook metrics --explain --all`, and shares nothing with the engine.
The export holds what is known; the request says what is asked:

    python3 metrics_oracle.py EXPORT.ndjson CATALOG.json REQUEST.json

prints {metric: {"group|period|age": [numerator, denominator, complete]}}. A denominator of 0 is no value.
"""

import bisect
import datetime
import json
import sys
import zoneinfo
from collections import defaultdict
from fractions import Fraction

HOUR = 3_600_000
DAY = 24 * HOUR
RETRY = 60 * DAY
FOREVER = 10 ** 18


# --------------------------------------------------------------------------------------------------------------------
# The calendar
# --------------------------------------------------------------------------------------------------------------------

class Calendar:
    """Days, weeks, months, quarters and years of one zone. Each is a number that rises by one from each to the next."""

    def __init__(self, zone):
        """A name, or minutes east of UTC."""
        minutes = datetime.timedelta(minutes=zone) if isinstance(zone, int) else None
        self.zone = zoneinfo.ZoneInfo(zone) if minutes is None else datetime.timezone(minutes)
        self.midnights = {}

    def date(self, time):
        moment = datetime.datetime.fromtimestamp(time // 1000, self.zone)
        return moment.date()

    def day(self, time):
        return self.date(time).toordinal()

    def number(self, unit, time):
        return self.number_of_date(unit, self.date(time))

    def number_of_date(self, unit, date):
        if unit == "day":
            return date.toordinal()
        if unit == "week":
            return (date.toordinal() - 1) // 7
        if unit == "month":
            return date.year * 12 + date.month - 1
        if unit == "quarter":
            return date.year * 4 + (date.month - 1) // 3
        return date.year

    def first_date(self, unit, number):
        if unit == "day":
            return datetime.date.fromordinal(number)
        if unit == "week":
            return datetime.date.fromordinal(number * 7 + 1)
        if unit == "month":
            return datetime.date(number // 12, number % 12 + 1, 1)
        if unit == "quarter":
            return datetime.date(number // 4, number % 4 * 3 + 1, 1)
        return datetime.date(number, 1, 1)

    def start(self, unit, number):
        return self.midnight(self.first_date(unit, number).toordinal())

    def midnight(self, day):
        """Of two midnights the first; of a midnight that is skipped the first moment after the gap."""
        if day not in self.midnights:
            date = datetime.date.fromordinal(day)
            moment = datetime.datetime(date.year, date.month, date.day, tzinfo=self.zone)
            self.midnights[day] = int(moment.timestamp()) * 1000
        return self.midnights[day]

    def name(self, unit, number):
        date = self.first_date(unit, number)
        if unit == "day":
            return date.isoformat()
        if unit == "week":
            year, week, _ = date.isocalendar()
            return f"{year}-W{week:02d}"
        if unit == "month":
            return f"{date.year}-{date.month:02d}"
        if unit == "quarter":
            return f"{date.year}-Q{(date.month - 1) // 3 + 1}"
        return str(date.year)

    def number_of_name(self, name):
        """The unit and number of a period such as 2026, 2026-Q1, 2026-03, 2026-W10 or 2026-03-05."""
        parts = name.split("-")
        year = int(parts[0])
        if len(parts) == 1:
            return "year", year
        if len(parts) == 3:
            return "day", datetime.date.fromisoformat(name).toordinal()
        if parts[1].startswith("Q"):
            return "quarter", year * 4 + int(parts[1][1:]) - 1
        if parts[1].startswith("W"):
            return "week", (datetime.date.fromisocalendar(year, int(parts[1][1:]), 1).toordinal() - 1) // 7
        return "month", year * 12 + int(parts[1]) - 1


def add_length(time, length, times):
    """A time and so many lengths, such as P1M or P7D, later; a day that a month lacks becomes its last one."""
    count = int(length[1:-1]) * times
    if length[-1] == "D":
        return time + count * DAY
    if length[-1] == "W":
        return time + count * 7 * DAY
    months = count * 12 if length[-1] == "Y" else count
    moment = datetime.datetime.fromtimestamp(time // 1000, datetime.timezone.utc)
    number = moment.year * 12 + moment.month - 1 + months
    next_month = datetime.date((number + 1) // 12, (number + 1) % 12 + 1, 1)
    last_day = (next_month - datetime.timedelta(days=1)).day
    moment = moment.replace(year=number // 12, month=number % 12 + 1, day=min(moment.day, last_day))
    return int(moment.timestamp()) * 1000 + time % 1000


# --------------------------------------------------------------------------------------------------------------------
# Events
# --------------------------------------------------------------------------------------------------------------------

AUTHORITATIVE = {"verified", "imported", "admin", "system"}
STATEMENTS = {"subscription.started", "subscription.renewed", "purchase.completed", "store.transaction_stated"}
CHECKOUTS = ["checkout.started", "checkout.pending", "checkout.completed", "checkout.failed", "checkout.canceled"]
REVOCATIONS = {"purchase.refunded", "purchase.revoked", "purchase.refund_reversed"}
SHORT = {"DEU": "DE", "USA": "US"}
# What is no doing of a customer in the app.
SETTLEMENTS = {"usage.committed", "usage.released", "usage.reversed", "purchase.assigned", "purchase.unassigned"}
NO_SIGHT = {"subject.aliased", "subject.unaliased", "usage.reset", "limit.reached", "access.denied",
            "feature.restricted", "assignment.conflict"}  # what links ids, and evidence of what the ledger did
NOT_AMENDED = {"subject.aliased", "subject.unaliased", "purchase.transferred"}


def read_events(path):
    """Events of production that are not void, amended, in canonical order."""
    events = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            event = json.loads(line)
            if event.get("environment", "production") == "production":
                event.setdefault("data", {})
                events.append(event)
    events.sort(key=canonical_order)
    corrections = defaultdict(list)
    for event in events:
        if event["type"] == "correction.voided":
            target = event["data"]["target"]
            corrections[(target["source"], target["key"])].append(event)

    def is_void(event):
        for correction in corrections[(event["source"]["kind"], event["source"]["key"])]:
            if not is_void(correction):
                return True
        return False

    events = [event for event in events if not is_void(event)]
    by_key = {(event["source"]["kind"], event["source"]["key"]): event for event in events}
    for event in events:
        if event["type"] == "correction.amended":
            target = by_key.get((event["data"]["target"]["source"], event["data"]["target"]["key"]))
            if target is not None and target["trust"] != "verified" and target["type"] not in NOT_AMENDED:
                target["data"] = {**target["data"], **event["data"]["patch"]}
    return [event for event in events if not event["type"].startswith(("correction.", "debug.", "catalog."))]


def signed(event):
    return event["source"].get("signed_at", event["occurred_at"])


class Rates:
    """What currencies were worth: a day's rate serves that day and the seven after it, until there is a newer one."""

    def __init__(self, events, target):
        self.target = target
        self.told = {}
        for event in sorted(events, key=signed):
            if event["type"] == "rate.recorded":
                data = event["data"]
                self.told[(data["from"], data["to"], event["occurred_at"] // DAY)] = Fraction(data["rate_nanos"], 10 ** 9)

    def shown(self, currency, time):
        """By what an amount is multiplied, and its currency then."""
        if self.target is None or currency == self.target:
            return Fraction(1), currency
        for day in range(time // DAY, time // DAY - 8, -1):
            if (currency, self.target, day) in self.told:
                return self.told[(currency, self.target, day)], self.target
            if (self.target, currency, day) in self.told:
                reciprocal = 1 / self.told[(self.target, currency, day)]
                places = 10 ** 12 if reciprocal * 10 ** 12 < 2 ** 63 else 10 ** 9
                return Fraction(round(reciprocal * places), places), self.target
        return Fraction(1), currency


def canonical_order(event):
    source = event["source"]
    return event["occurred_at"], event.get("sequence", 0), source["kind"].encode(), source["key"].encode()


def weight(event):
    """Of several statements about one thing the one with the greatest weight counts."""
    source = event["source"]
    return source.get("signed_at", event["occurred_at"]), source["kind"].encode(), source["key"].encode()


def lineage_of(event):
    """The name of the purchase that an event is about; None of an event of a customer."""
    kind, data = event["type"], event["data"]
    if not kind.startswith(("purchase.", "subscription.", "store.", "refund.")):
        return None
    if kind in ("purchase.assigned", "purchase.unassigned"):
        return None
    name = data.get("original_transaction_id") or data.get("transaction_id")
    if data.get("kind") == "consumable":
        name = data.get("transaction_id")
    if name is None:
        return None
    return data.get("store", "apple") + ":" + name


# --------------------------------------------------------------------------------------------------------------------
# Customers and owners
# --------------------------------------------------------------------------------------------------------------------

class Customer:
    calendar = None  # of the customer's own zone
    """A person: all ids that aliases join."""

    def __init__(self):
        self.events = defaultdict(list)  # by type, in canonical order
        self.transactions = []           # paid for while the purchase was theirs, by their begin
        self.first_stated = None         # as subject.created tells it
        self.first_event = None
        self.seen = None
        self.uses = []

    def times(self, kind):
        return [event["occurred_at"] for event in self.events[kind]]


def join_ids(events):
    """A function from an id to that of the person, by what the last statement about each pair of ids says."""
    pairs = {}
    for event in events:
        data = event["data"]
        if event["type"] == "subject.aliased":
            pairs[frozenset((data["alias"], data["canonical"]))] = True
        if event["type"] == "subject.unaliased":
            for pair in list(pairs):
                if data["alias"] in pair and data.get("canonical", data["alias"]) in pair:
                    pairs[pair] = False
    leader = {}

    def person(name):
        while name in leader:
            name = leader[name]
        return name

    for pair, is_joined in pairs.items():
        if is_joined:
            names = sorted({person(name) for name in pair})
            for other in names[1:]:
                leader[other] = names[0]
    return person


class Ownership:
    """Who owns a purchase: whom its events name first, a verified token before all others, until it is transferred."""

    def __init__(self, events, person):
        self.person = person
        self.first, self.named_at = {}, {}
        self.moves = []
        tokens = {}
        self.consumables = set()
        for event in events:
            lineage = lineage_of(event)
            data = event["data"]
            if event["type"] == "purchase.transferred":
                self.moves.append((event["occurred_at"], lineage, person(data["from"]), person(data["to"])))
            elif lineage is not None:
                token = data.get("app_account_token")
                if token and event["trust"] == "verified":
                    tokens.setdefault(lineage, person(token))
                name = event.get("subject") or token
                if name:
                    self.first.setdefault(lineage, person(name))
                    self.named_at.setdefault(lineage, event["occurred_at"])
                if data.get("kind") == "consumable":
                    self.consumables.add(lineage)
        self.first.update(tokens)

    def owner(self, lineage, time):
        owner = self.first.get(lineage)
        for moved_at, moved, giver, receiver in self.moves:
            is_all = moved is None and owner == giver and lineage not in self.consumables
            if moved == lineage or is_all and self.named_at.get(lineage, FOREVER) <= moved_at:
                owner = receiver if moved_at <= time else owner
        return owner


# --------------------------------------------------------------------------------------------------------------------
# Purchases
# --------------------------------------------------------------------------------------------------------------------

class Transaction:
    """One charge, or one free period, as the weightiest statement about it says."""

    def __init__(self, lineage, statements, revocations, ends, catalog):
        data = max(statements, key=weight)["data"]
        kinds = {event["type"] for event in statements}
        offer = data.get("offer") or {}
        self.lineage = lineage
        self.name = data["transaction_id"]
        self.product = data["product"]
        self.rule = catalog["products"].get(self.product)
        self.kind = self.rule["kind"] if self.rule else None
        self.start = data.get("starts_at", statements[0]["occurred_at"])
        self.is_shared = data.get("ownership") == "family_shared"
        self.is_verified = any(event["trust"] == "verified" for event in statements)
        self.amount = data.get("price_milli", 0) * data.get("quantity", 1)
        self.currency = data.get("currency") or "XXX"
        self.factor, self.shown = Fraction(1), self.currency  # in which amounts are shown
        self.has_offer = bool(offer.get("type"))
        self.is_introductory = offer.get("type") == "introductory"
        self.is_trial = self.is_introductory and offer.get("discount") == "free_trial"
        is_free_offer = offer.get("discount") == "free_trial"
        self.is_payment = not is_free_offer and self.amount != 0
        self.serves_paid = self.is_payment or not is_free_offer and self.currency == "XXX"
        self.is_upfront = offer.get("discount") == "pay_up_front"
        self.is_upgraded = any(event["data"].get("is_upgraded") for event in statements)
        reason = data.get("transaction_reason")
        is_told = bool(kinds & {"subscription.started", "purchase.completed"}) or self.kind != "autoRenewable"
        is_first = self.name == data.get("original_transaction_id", self.name) and "subscription.renewed" not in kinds
        self.is_bought = reason == "PURCHASE" or (reason is None and (is_told or is_first))
        self.has_reason = reason is not None or self.is_bought
        self.stated_end = data.get("expires_at")
        self.paid_until = self.stated_end
        last = max(ends, key=weight)
        if last["type"] == "subscription.extended":
            self.paid_until = last["data"]["new_expires_at"]
        self.refunded_at = None    # when money went back
        self.refunded = 0
        self.refund_keeps_access = False
        self.revoked_at = None     # when access was withdrawn without money
        self.read_revocation(revocations, catalog)
        self.owner = None
        self.is_asked = True       # by the filter for products
        self.is_chosen = True      # by the filters for customers

    def read_revocation(self, revocations, catalog):
        if not revocations:
            return
        last = max(revocations, key=weight)
        data = last["data"]
        if last["type"] == "purchase.refund_reversed" or data.get("revoked_at") is None:
            return
        if last["type"] == "purchase.revoked" or data.get("revocation_type") == "FAMILY_REVOKE":
            self.revoked_at = data["revoked_at"]
            return
        self.refunded_at = data["revoked_at"]
        share = Fraction(data.get("pct_milli", 100_000), 100_000)
        self.refunded = int(self.amount * share)
        is_part = data.get("type") == "prorated" or data.get("revocation_type") == "REFUND_PRORATED"
        keeps = catalog.get("policies", {}).get("proratedRefundKeepsAccess", False)
        self.refund_keeps_access = is_part and keeps

    def is_all_refunded(self):
        return self.refunded_at is not None and self.refunded >= self.amount


def read_transactions(events, catalog, at):
    """What stores vouch for, by purchase and begin, without what families share and what begins later."""
    statements, revocations, extensions = defaultdict(list), defaultdict(list), defaultdict(list)
    lineages = defaultdict(list)
    for event in events:
        lineage = lineage_of(event)
        if lineage is None or event["trust"] not in AUTHORITATIVE:
            continue
        lineages[lineage].append(event)
        name = event["data"].get("transaction_id")
        if event["type"] in STATEMENTS:
            statements[(lineage, name)].append(event)
        if event["type"] in REVOCATIONS or event["type"] == "store.transaction_stated":
            revocations[(lineage, name)].append(event)
        if event["type"] == "subscription.extended":
            extensions[(lineage, name)].append(event)
    transactions = defaultdict(list)
    for (lineage, name), told in statements.items():
        ends = told + extensions[(lineage, name)]
        transaction = Transaction(lineage, told, revocations[(lineage, name)], ends, catalog)
        if not transaction.is_shared and transaction.start <= at:
            transactions[lineage].append(transaction)
        if transaction.refunded_at is not None and transaction.refunded_at > at:
            transaction.refunded_at, transaction.refunded = None, 0
    for told in transactions.values():
        told.sort(key=lambda transaction: (transaction.start, transaction.name))
    return transactions, lineages


class Time:
    """A stretch for which a subscription served by one transaction."""

    def __init__(self, transaction, start, end, paid_until):
        self.transaction = transaction
        self.start = start
        self.end = end
        self.paid_until = paid_until


class Run:
    """Times of one purchase that follow each other without a gap and of which at least one was paid."""

    def __init__(self, times):
        self.times = times
        self.first = min((time for time in times if time.transaction.serves_paid), key=lambda time: time.start)
        self.last = max(times, key=lambda time: time.end)
        self.start = self.first.start
        self.end = self.last.end


class Subscription:
    """One purchase that renews, with the times for which it served."""

    def __init__(self, lineage, transactions, events, question):
        self.lineage = lineage
        self.events = [event for event in events if event["occurred_at"] <= question.at]
        self.transactions = [each for each in transactions if each.kind == "autoRenewable"]
        self.refunds = question.refunds
        self.times = self.read_times()
        self.runs = []

    def read_times(self):
        times = []
        counted = self.transactions
        ends = [self.end_of(index, counted) for index in range(len(counted))]
        end_before = -FOREVER
        for index, transaction in enumerate(counted):
            is_begun = index > 0 and self.is_begun(transaction, counted[index - 1], end_before)
            start = transaction.start if is_begun else max(transaction.start, end_before)
            end = max(ends[index], start)
            next_start = counted[index + 1].start if index + 1 < len(counted) else FOREVER
            served = end
            if end == transaction.paid_until:
                served = max(end, min(self.grace_after(transaction, end, next_start), next_start))
                served = self.cut_by_refund(transaction, served)
            if served > start and not self.never_was(transaction):
                times.append(Time(transaction, start, served, end))
            end_before = max(end_before, end)
        return times

    def never_was(self, transaction):
        return (self.refunds == "retroactive" and transaction.refunded_at is not None
                and not transaction.refund_keeps_access)

    def end_of(self, index, transactions):
        """The stated end, or the refund, the withdrawal or the purchase that replaced it, whichever is first."""
        transaction = transactions[index]
        end = transaction.paid_until
        for event in self.events:
            data = event["data"]
            if event["type"] == "subscription.expired" and data.get("transaction_id") == transaction.name:
                end = min(end, data.get("ended_at", end))
        for other in transactions[index + 1:]:
            is_inside = transaction.start <= other.start < end
            if (is_inside and self.is_begun(other, transaction, end)
                    and (not transaction.is_trial or transaction.is_upgraded)):
                end = other.start
                break
        return self.cut_by_refund(transaction, end)

    def is_begun(self, transaction, before, end_before):
        """Whether a transaction of another product was begun by the customer, and not by the store."""
        if transaction.product == before.product:
            return False
        if transaction.has_reason:
            return transaction.is_bought
        for event in self.events:
            data = event["data"]
            if (event["type"] == "subscription.product_changed" and data["effective"] == "now"
                    and data["to"] == transaction.product and event["occurred_at"] == transaction.start):
                return True
        return transaction.start < end_before - DAY

    def cut_by_refund(self, transaction, end):
        if transaction.revoked_at is not None:
            end = min(end, transaction.revoked_at)
        if (transaction.refunded_at is not None and self.refunds != "ignore"
                and not transaction.refund_keeps_access):
            end = min(end, transaction.refunded_at)
        return end

    def grace_after(self, transaction, end, next_start):
        """Until when grace lasts that was given for the end of a transaction, by the store's last word on it."""
        last, over_at = None, FOREVER
        for event in self.events:
            is_of_other = event["data"].get("transaction_id", transaction.name) != transaction.name
            if is_of_other or not transaction.start < event["occurred_at"] <= next_start:
                continue
            if event["type"] == "subscription.grace_expired":
                over_at = event["occurred_at"]
            elif event["type"] in ("subscription.billing_failed", "store.renewal_stated"):
                if last is None or weight(event) > weight(last):
                    last = event
        if last is None:
            return end
        return min(last["data"].get("grace_expires_at") or end, over_at)

    def read_runs(self):
        """Called after filters: a change to what is not asked for is an end."""
        groups = []
        for time in sorted(self.times, key=lambda time: time.start):
            if groups and time.start <= max(each.end for each in groups[-1]):
                groups[-1].append(time)
            else:
                groups.append([time])
        self.runs = [Run(group) for group in groups if any(time.transaction.serves_paid for time in group)]

    def paid_at(self, moment):
        for time in self.times:
            each = time.transaction
            if each.is_chosen and each.serves_paid and time.start <= moment < time.end:
                return time
        return None

    def runs_at(self, moment):
        """The time that contains a moment, of a run that was paid by then; free offers go on with it."""
        for run in self.runs:
            for time in run.times:
                if run.start <= moment and time.start <= moment < time.end and time.transaction.is_chosen:
                    return time
        return None

    def will_renew(self, moment):
        """Whether renewal is on, by the weightiest word up to the moment."""
        last, is_on = None, True
        for event in self.events:
            if event["occurred_at"] > moment:
                continue
            value = event["data"].get("enabled" if event["type"] == "subscription.auto_renew_changed" else "auto_renew")
            if event["type"] in ("subscription.started", "subscription.renewed") and value is None:
                value = True
            if event["type"] == "subscription.expired":
                value = False
            if value is not None and (last is None or weight(event) > weight(last)):
                last, is_on = event, value
        return is_on

    def charging_failed(self, start, until, recovery=None):
        """When the store said between two times that it could not charge; None where it did before a recovery's end."""
        failed_at = None
        for event in self.events:
            if start <= event["occurred_at"] <= until:
                if event["type"] in ("subscription.billing_failed", "subscription.grace_expired"):
                    failed_at = failed_at or event["occurred_at"]
                if event["type"] == "subscription.expired":
                    failed_at = None
                is_renewal = event["type"] in ("subscription.started", "subscription.renewed")
                # At the end itself it went through too, and was given back since: the failure was none.
                if is_renewal and recovery is not None and event["occurred_at"] <= recovery:
                    failed_at = None
        return failed_at


# --------------------------------------------------------------------------------------------------------------------
# The question
# --------------------------------------------------------------------------------------------------------------------

class Question:
    def __init__(self, request, catalog):
        self.at = request["at"]
        self.by = request.get("by") or "month"
        self.calendar = Calendar(request.get("zone") or catalog.get("defaultTimeZone", "UTC"))
        self.refunds = request.get("refunds") or "at-refund-date"
        self.monthly_price = request.get("monthly_price") or "revenuecat"
        commission = request.get("commission")
        self.commission = Fraction(str(30 if commission is None else commission)) / 100
        self.retention = request.get("retention") or "calendar"
        self.every = request.get("every") or self.by
        self.ages = request.get("ages") if request.get("ages") is not None else 12
        self.products = request.get("products") or []
        self.cohort = request.get("cohort")
        self.experiment = request.get("experiment")
        self.variant = request.get("variant")
        self.currency = request.get("currency")
        self.countries = request.get("countries") or []
        self.numbers = []
        number = self.calendar.number(self.by, request["from"])
        while self.calendar.start(self.by, number) < request["until"]:
            self.numbers.append(number)
            number += 1
        # One period more at the beginning, which others are compared with.
        self.bounds = [self.calendar.start(self.by, each) for each in [self.numbers[0] - 1] + self.numbers + [number]]
        # Of a period that has not begun there is nothing.
        self.periods = [each for each in range(1, len(self.numbers) + 1) if self.bounds[each] <= self.at]

    def period(self, time):
        """The place of the period that a time lies in: 0 is the one before the first; None of what is not asked for."""
        if time is None or time > self.at or time < self.bounds[0] or time >= self.bounds[-1]:
            return None
        return bisect.bisect_right(self.bounds, time) - 1

    def from_(self, period):
        return self.bounds[period]

    def until(self, period):
        return self.bounds[period + 1]

    def moment(self, period):
        """The last moment of a period that has come."""
        return min(self.until(period) - 1, self.at)

    def name(self, period):
        return self.calendar.name(self.by, self.numbers[0] - 1 + period)


class World:
    """Everything that metrics count, as a question sees it."""

    def __init__(self, events, catalog, question):
        self.catalog = catalog
        self.question = question
        self.canonical_features = {}
        for name, feature in catalog.get("features", {}).items():
            for alias in [name] + (feature or {}).get("aliases", []):
                self.canonical_features[alias] = name
        self.events = events
        self.rates = Rates(events, question.currency)
        self.person = join_ids(events)
        self.ownership = Ownership(events, self.person)
        self.customers = defaultdict(Customer)
        at = question.at
        by_lineage, lineage_events = read_transactions(events, catalog, at)
        self.assign_events(events, at)
        self.assign_transactions(by_lineage)
        self.subscriptions = []
        for lineage, transactions in sorted(by_lineage.items()):
            subscription = Subscription(lineage, transactions, lineage_events[lineage], question)
            if subscription.transactions:
                self.subscriptions.append(subscription)
        self.transactions = [each for told in by_lineage.values() for each in told]
        for each in self.transactions:
            each.factor, each.shown = self.rates.shown(each.currency, each.start)
        for customer in self.customers.values():
            customer.uses = read_uses(customer, catalog)
        self.filter()
        for customer in self.customers.values():
            customer.transactions.sort(key=lambda each: (each.start, each.name))
        for subscription in self.subscriptions:
            subscription.read_runs()

    def assign_events(self, events, at):
        withdrawn = set()
        for event in events:
            lineage = lineage_of(event)
            if lineage is not None:
                subject = self.ownership.owner(lineage, event["occurred_at"])
                if subject is not None:
                    customer = self.customers[subject]
                    customer.first_event = min(customer.first_event or FOREVER, event["occurred_at"])
                continue
            if event.get("subject") is None or event["type"] == "purchase.transferred":
                continue
            subject = self.person(event["subject"])
            customer = self.customers[subject]
            if event["type"] not in NO_SIGHT and (customer.first_event or FOREVER) > event["occurred_at"]:
                customer.first_event = event["occurred_at"]
            zone = event["data"].get("tz") if event["type"] == "subject.created" else None
            if zone and customer.calendar is None and event["occurred_at"] <= at:
                customer.calendar = Calendar(zone)
            if event["type"] == "subject.created" and customer.first_stated is None:
                customer.first_stated = event["data"]["first_seen_at"]
            if event["type"] == "consent.rescinded":
                withdrawn.add(subject)
            if event["type"] == "consent.given":
                withdrawn.discard(subject)
            is_withdrawn = subject in withdrawn and event["type"] not in SETTLEMENTS
            if event["occurred_at"] <= at and not is_withdrawn:
                customer.events[event["type"]].append(event)
        self.customers = {name: each for name, each in self.customers.items()
                          if each.first_event is not None or each.first_stated is not None}
        for customer in self.customers.values():
            customer.seen = customer.first_event if customer.first_stated is None else customer.first_stated

    def assign_transactions(self, by_lineage):
        for lineage, transactions in by_lineage.items():
            for transaction in transactions:
                owner = self.ownership.owner(lineage, transaction.start)
                if owner is not None and owner in self.customers:
                    transaction.owner = owner
                    self.customers[owner].transactions.append(transaction)

    def filter(self):
        """Leaves what the question asks for. A purchase that went to or came from another customer goes on."""
        question = self.question
        if question.products:
            self.choose_products()
        if question.countries:
            self.choose_countries()
        if question.cohort:
            unit, number = question.calendar.number_of_name(question.cohort)
            self.customers = {name: customer for name, customer in self.customers.items()
                              if question.calendar.number(unit, customer.seen) == number}
        if question.experiment:
            self.choose_exposed()
        if question.cohort or question.experiment:
            for each in self.transactions:
                customer = self.customers.get(each.owner)
                each.is_chosen = customer is not None and each in customer.transactions
            # What a customer began before seeing an experiment is as if it had not been.
            for subscription in self.subscriptions:
                subscription.times = [time for time in subscription.times if time.transaction.is_chosen
                                      or time.transaction.owner not in self.customers]
            self.transactions = [each for each in self.transactions if each.is_chosen]

    def choose_products(self):
        products = self.question.products
        for each in self.transactions:
            each.is_asked = each.product in products
        self.transactions = [each for each in self.transactions if each.is_asked]
        for customer in self.customers.values():
            customer.transactions = [each for each in customer.transactions if each.is_asked]
            for kind in CHECKOUTS:
                customer.events[kind] = [event for event in customer.events[kind]
                                         if event["data"].get("product") in products]
        for subscription in self.subscriptions:
            subscription.times = [time for time in subscription.times if time.transaction.is_asked]

    def choose_countries(self):
        """By the newest purchase that tells a storefront; without one by the customer's first sight."""
        wanted = set(self.question.countries)
        statements = defaultdict(list)
        for event in self.events:
            if event["type"] in STATEMENTS:
                statements[(lineage_of(event), event["data"].get("transaction_id"))].append(event)
        shared = {name for name, told in statements.items()
                  if max(told, key=weight)["data"].get("ownership") == "family_shared"}
        storefronts, own = {}, {}
        for event in self.events:
            if event["occurred_at"] > self.question.at:
                continue
            data, lineage = event["data"], lineage_of(event)
            is_told = event["trust"] in AUTHORITATIVE and (lineage, data.get("transaction_id")) not in shared
            if event["type"] in STATEMENTS and "storefront" in data and is_told:
                owner = self.ownership.owner(lineage, event["occurred_at"])
                storefronts[owner or ("no customer", lineage)] = SHORT[data["storefront"]]
            if event["type"] == "subject.created" and data.get("country"):
                own[self.person(event["subject"])] = data["country"]
        chosen = {name for name in self.customers if storefronts.get(name, own.get(name)) in wanted}
        orphans = {name[1] for name, country in storefronts.items() if isinstance(name, tuple) and country in wanted}
        self.customers = {name: customer for name, customer in self.customers.items() if name in chosen}
        for each in self.transactions:
            each.is_chosen = each.owner in chosen if each.owner is not None else each.lineage in orphans
        for subscription in self.subscriptions:
            subscription.times = [time for time in subscription.times if time.transaction.is_chosen]
        self.transactions = [each for each in self.transactions if each.is_chosen]

    def choose_exposed(self):
        question, chosen = self.question, {}
        for name, customer in self.customers.items():
            exposures = [event for event in customer.events["experiment.exposed"]
                         if event["data"]["experiment"] == question.experiment]
            if not exposures or question.variant and exposures[0]["data"]["variant"] != question.variant:
                continue
            customer.seen = exposures[0]["occurred_at"]
            for kind, events in customer.events.items():
                customer.events[kind] = [event for event in events if event["occurred_at"] >= customer.seen]
            customer.uses = [use for use in customer.uses if use[0] >= customer.seen]
            customer.transactions = [each for each in customer.transactions if each.start >= customer.seen]
            chosen[name] = customer
        self.customers = chosen

    # What several metrics ask

    def payments(self):
        return [each for each in self.transactions if each.is_payment]

    def refund_time(self, transaction):
        """When a refund is taken off; None where it is not."""
        if transaction.refunded_at is None or self.question.refunds == "ignore":
            return None
        return transaction.start if self.question.refunds == "retroactive" else transaction.refunded_at

    def customer_payments(self, customer):
        """Payments by which a customer paid: with retroactive refunds none that went back wholly."""
        return [each for each in customer.transactions if each.is_payment
                and not (self.question.refunds == "retroactive" and each.is_all_refunded())]

    def activity(self, customer):
        times = []
        for kind in self.catalog.get("activity") or ["app.launched"]:
            times += customer.times(kind)
        return sorted(times)

    def net_by_customer(self, customer):
        """(time, currency, money) of everything that a customer brought in, refunds negative."""
        moves = []
        for each in customer.transactions:
            if each.is_payment:
                moves.append((each.start, each.shown, each.amount * each.factor))
                if self.refund_time(each) is not None:
                    moves.append((self.refund_time(each), each.shown, -each.refunded * each.factor))
        return moves

    def begins(self, customer, counts):
        """When the subscriptions of a customer began that count."""
        return sorted(time.start for subscription in self.subscriptions for time in subscription.times
                      if time.transaction in customer.transactions and counts(time))

    def active_times(self, moment):
        """The paid times that contain a moment, each with its subscription."""
        found = []
        for subscription in self.subscriptions:
            time = subscription.paid_at(moment)
            if time is not None:
                found.append((subscription, time))
        return found


def read_uses(customer, catalog):
    """(time, meter, amount) of each use of a counter that was recorded, or reserved and committed, and not reversed."""
    meters = {}
    for name, meter in catalog.get("meters", {}).items():
        if meter["kind"] == "counter":
            for alias in [name] + meter.get("aliases", []):
                meters[alias] = name
    told = []
    outcomes = defaultdict(list)
    for kind in ("usage.recorded", "usage.reserved", "usage.committed", "usage.released"):
        for event in customer.events[kind]:
            if kind in ("usage.recorded", "usage.reserved"):
                told.append(event)
            else:
                outcomes[event["data"]["reservation_id"]].append(event)
    told.sort(key=canonical_order)
    uses, refs = [], set()
    for event in told:
        data = event["data"]
        meter = meters.get(data["meter"])
        if meter is None:
            continue
        names = {event["source"]["key"]}
        if event["type"] == "usage.reserved":
            ref = ("reservation", data["reservation_id"])
            ends = [each for each in sorted(outcomes[ref[1]], key=canonical_order)
                    if each["occurred_at"] < data["expires_at"]]
            if ref in refs or not ends or ends[0]["type"] != "usage.committed":
                continue
            amount = ends[0]["data"].get("amount", data["amount"])
            names |= {ref[1], ends[0]["source"]["key"]}
        else:
            ref = (meter, data["ref"]) if "ref" in data else (meter, event["source"]["key"], "")
            amount = data["amount"]
            if ref in refs or amount < 1:
                continue
            names.add(data.get("ref"))
        refs.add(ref)
        uses.append((event["occurred_at"], meter, amount, names))
    reversed_uses = []
    for reversal in customer.events["usage.reversed"]:
        target, meter = reversal["data"]["target"], reversal["data"].get("meter")
        hit = [use for use in uses if target in use[3] and meter in (None, use[1])]
        reversed_uses += [use for use in hit if use[1] == hit[0][1]]
    uses = [use for use in uses if use not in reversed_uses]
    return [use[:3] for use in uses]


# --------------------------------------------------------------------------------------------------------------------
# Tables of values
# --------------------------------------------------------------------------------------------------------------------

class Table:
    """Values by group, period and age. A sum has the denominator 1."""

    def __init__(self, world, is_sum=False):
        self.question = world.question
        self.is_sum = is_sum
        self.values = {}
        self.finals = {}

    def cell(self, group, period, age=""):
        return self.values.setdefault((group, period, age), [Fraction(0), Fraction(1 if self.is_sum else 0)])

    def add(self, period, number=1, group="", age=""):
        if period is not None and period >= 1:
            self.cell(group, period, age)[0] += number

    def out_of(self, period, number=1, group="", age=""):
        if period is not None and period >= 1:
            self.cell(group, period, age)[1] += number

    def fill(self, group=""):
        for period in self.question.periods:
            self.cell(group, period)
        return self

    def groups(self):
        return sorted({key[0] for key in self.values})


def ratio(world, numerator, denominator):
    """One sum divided by another: of the same group, or of all where the denominator has no groups."""
    table = Table(world)
    for group in numerator.groups():
        for period in world.question.periods:
            above = numerator.values.get((group, period, ""), [0])[0]
            own = denominator.values.get((group, period, "")) or denominator.values.get(("", period, ""), [0])
            table.add(period, above, group)
            table.out_of(period, own[0], group)
    return table


METRICS = {}
NEVER = "never"


def metric(name, wait=0, knows_payments=True):
    """A value is final when its period has been over for so many days, with retroactive refunds none of payments."""
    def register(function):
        METRICS[name] = (function, wait, knows_payments)
        return function
    return register


# --------------------------------------------------------------------------------------------------------------------
# Revenue
# --------------------------------------------------------------------------------------------------------------------

@metric("gross_revenue")
def gross_revenue(world):
    table = Table(world, is_sum=True)
    for payment in world.payments():
        table.add(world.question.period(payment.start), payment.amount * payment.factor, payment.shown)
    return table


@metric("refunds")
def refunds(world):
    table = Table(world, is_sum=True)
    for payment in world.payments():
        table.add(world.question.period(world.refund_time(payment)), payment.refunded * payment.factor, payment.shown)
    return table


@metric("net_revenue")
def net_revenue(world, share=Fraction(1)):
    table = Table(world, is_sum=True)
    for payment in world.payments():
        table.add(world.question.period(payment.start), payment.amount * payment.factor * share, payment.shown)
        refunded = payment.refunded * payment.factor * share
        table.add(world.question.period(world.refund_time(payment)), -refunded, payment.shown)
    return table


@metric("proceeds")
def proceeds(world):
    return net_revenue(world, 1 - world.question.commission)


@metric("refund_rate", wait=NEVER)
def refund_rate(world):
    table = Table(world).fill()
    for payment in world.payments():
        period = world.question.period(payment.start)
        table.out_of(period)
        table.add(period, 1 if payment.refunded_at is not None else 0)
    return table


@metric("refund_rate_by_date")
def refund_rate_by_date(world):
    table = Table(world).fill()
    for payment in world.payments():
        table.out_of(world.question.period(payment.start))
        table.add(world.question.period(payment.refunded_at))
    return table


@metric("refunded_share", wait=NEVER)
def refunded_share(world):
    table = Table(world)
    for payment in world.payments():
        period = world.question.period(payment.start)
        table.out_of(period, payment.amount * payment.factor, payment.shown)
        table.add(period, payment.refunded * payment.factor, payment.shown)
    return table


def net_of_customers(world):
    table = Table(world, is_sum=True)
    for customer in world.customers.values():
        for time, currency, money in world.net_by_customer(customer):
            table.add(world.question.period(time), money, currency)
    return table


@metric("arpu")
def arpu(world):
    return ratio(world, net_of_customers(world), active_customers(world))


@metric("arppu")
def arppu(world):
    return ratio(world, net_of_customers(world), paying_customers(world))


@metric("realized_ltv_per_customer", wait=NEVER)
def realized_ltv_per_customer(world):
    table = Table(world, is_sum=True)
    for customer in world.customers.values():
        for time, currency, money in world.net_by_customer(customer):
            if time <= world.question.at:
                table.add(world.question.period(customer.seen), money, currency)
    return ratio(world, table, new_customers(world))


# --------------------------------------------------------------------------------------------------------------------
# Recurring revenue
# --------------------------------------------------------------------------------------------------------------------

def monthly_factor(world, transaction):
    """What the price of a period is multiplied by to be one of a month."""
    length = transaction.rule["period"]
    if transaction.is_introductory and transaction.is_upfront:
        length = stated_length(transaction)
    count, unit = int(length[1:-1]), length[-1]
    if unit in "MY":
        return Fraction(1, count if unit == "M" else 12 * count)
    days = count * 7 if unit == "W" else count
    if world.question.monthly_price == "calendar":
        return Fraction(36525, 1200) / days
    if world.question.monthly_price == "adapty":
        return Fraction(700, 23) / days if days % 7 == 0 else Fraction(30, days)
    return Fraction(28, days) if days % 7 == 0 else Fraction(30, days)


def stated_length(transaction):
    for months in range(1, 37):
        if add_length(transaction.start, f"P{months}M", 1) == transaction.stated_end:
            return f"P{months}M"
    return f"P{(transaction.stated_end - transaction.start) // DAY}D"


def mrr_by_customer(world, moment):
    """Recurring revenue by customer and currency; a purchase without an owner stands for itself."""
    worth = defaultdict(Fraction)
    for subscription, time in world.active_times(moment):
        each = time.transaction
        if each.is_payment:
            share = each.factor * monthly_factor(world, each)
            worth[(each.owner or subscription.lineage, each.shown)] += each.amount * share
    return worth


def first_worth_times(world):
    """When each customer, or purchase without an owner, had recurring revenue for the first time."""
    first = {}
    for subscription in world.subscriptions:
        for time in subscription.times:
            if time.transaction.is_payment:
                name = time.transaction.owner or subscription.lineage
                first[name] = min(first.get(name, FOREVER), time.start)
    return first


def recurring(world, kind):
    """One kind of movement of recurring revenue, which the customer has in all currencies together."""
    question = world.question
    table = Table(world, is_sum=True)
    first_worth = first_worth_times(world)
    before = mrr_by_customer(world, question.moment(0))
    for period in question.periods:
        after = mrr_by_customer(world, question.moment(period))
        had = {name for name, _ in before}
        has = {name for name, _ in after}
        for name, currency in set(before) | set(after):
            change = after.get((name, currency), 0) - before.get((name, currency), 0)
            if name not in had:
                found = "reactivation" if first_worth[name] < question.from_(period) else "new"
            elif name not in has:
                found = "churn"
            else:
                found = "expansion" if change > 0 else "contraction"
            if kind == found:
                table.add(period, abs(change), currency)
        before = after
    return table


@metric("mrr")
def mrr(world):
    table = Table(world, is_sum=True)
    for period in world.question.periods:
        for (_, currency), worth in mrr_by_customer(world, world.question.moment(period)).items():
            table.add(period, worth, currency)
    return table


@metric("arr")
def arr(world):
    table = mrr(world)
    for value in table.values.values():
        value[0] *= 12
    return table


@metric("mrr_new")
def mrr_new(world):
    return recurring(world, "new")


@metric("mrr_reactivation")
def mrr_reactivation(world):
    return recurring(world, "reactivation")


@metric("mrr_expansion")
def mrr_expansion(world):
    return recurring(world, "expansion")


@metric("mrr_contraction")
def mrr_contraction(world):
    return recurring(world, "contraction")


@metric("mrr_churn")
def mrr_churn(world):
    return recurring(world, "churn")


@metric("mrr_growth")
def mrr_growth(world):
    table = Table(world)
    for period in world.question.periods:
        for sign, moment in ((1, world.question.moment(period)), (-1, world.question.moment(period - 1))):
            for (_, currency), worth in mrr_by_customer(world, moment).items():
                table.add(period, sign * worth, currency)
                table.out_of(period, worth if sign < 0 else 0, currency)
    return table


# --------------------------------------------------------------------------------------------------------------------
# Subscriptions
# --------------------------------------------------------------------------------------------------------------------

@metric("active_subscriptions")
def active_subscriptions(world):
    table = Table(world, is_sum=True).fill()
    for period in world.question.periods:
        table.add(period, len(world.active_times(world.question.moment(period))))
    return table


@metric("subscriptions_by_state")
def subscriptions_by_state(world):
    table = Table(world, is_sum=True)
    for period in world.question.periods:
        moment = world.question.moment(period)
        for subscription, time in world.active_times(moment):
            state = "renewing" if subscription.will_renew(moment) else "canceling"
            if moment >= time.paid_until:
                state = "billing_problem"
            table.add(period, 1, state)
    return table


def subscribers(world, moment):
    return {time.transaction.owner for _, time in world.active_times(moment)} - {None}


@metric("active_subscribers")
def active_subscribers(world):
    table = Table(world, is_sum=True).fill()
    for period in world.question.periods:
        table.add(period, len(subscribers(world, world.question.moment(period))))
    return table


@metric("active_trials", knows_payments=False)
def active_trials(world):
    table = Table(world, is_sum=True).fill()
    for period in world.question.periods:
        moment = world.question.moment(period)
        for subscription in world.subscriptions:
            for time in subscription.times:
                each = time.transaction
                if each.is_trial and each.is_chosen and time.start <= moment < time.paid_until:
                    table.add(period)
    return table


@metric("new_subscriptions")
def new_subscriptions(world):
    table = Table(world, is_sum=True).fill()
    for subscription in world.subscriptions:
        for run in subscription.runs[:1]:
            table.add(world.question.period(run.start), 1 if run.first.transaction.is_chosen else 0)
    return table


@metric("resubscribed")
def resubscribed(world):
    table = Table(world, is_sum=True).fill()
    for subscription in world.subscriptions:
        for run in subscription.runs[1:]:
            table.add(world.question.period(run.start), 1 if run.first.transaction.is_chosen else 0)
    return table


@metric("churned_subscriptions")
def churned_subscriptions(world):
    table = Table(world, is_sum=True).fill()
    for subscription in world.subscriptions:
        for run in subscription.runs:
            table.add(world.question.period(run.end), 1 if run.last.transaction.is_chosen else 0)
    return table


@metric("churned_by_reason")
def churned_by_reason(world):
    table = Table(world, is_sum=True)
    for subscription in world.subscriptions:
        for run in subscription.runs:
            if run.last.transaction.is_chosen:
                table.add(world.question.period(run.end), 1, reason_of_end(world, subscription, run))
    return table


def reason_of_end(world, subscription, run):
    last = run.last.transaction
    if last.refunded_at == run.end and last.paid_until != run.end:
        return "refund"
    later = [each.start for each in subscription.transactions if each.start > last.start]
    until = min(later, default=FOREVER)
    words = [event for event in subscription.events if event["type"] == "subscription.expired"
             and last.start < event["occurred_at"] <= until]
    if words:
        word = max(words, key=weight)["data"]["reason"]
        return {"voluntary": "voluntary", "price_increase_declined": "voluntary", "price_increase": "voluntary",
                "billing_retry_ended": "involuntary", "product_unavailable": "involuntary"}.get(word, "unknown")
    if not subscription.will_renew(run.end):
        return "voluntary"
    return "involuntary" if subscription.charging_failed(last.start, until, run.end) else "unknown"


def churn(world, takes_off_returns):
    """A time that began and ended within the period counts neither as lost nor as come back."""
    question = world.question
    table = Table(world).fill()
    for subscription in world.subscriptions:
        for period in question.periods:
            first, last = question.from_(period), question.moment(period)
            for run in subscription.runs:
                if run.start < first <= run.end and subscription.runs_at(first - 1) is not None:
                    table.out_of(period)
                    table.add(period, 1 if run.end <= last else 0)
                is_return = first <= run.start <= last < run.end and run.first.transaction.is_chosen
                if is_return and takes_off_returns and subscription.runs[0].start < first:
                    table.add(period, -1)
    return table


@metric("churn_rate")
def churn_rate(world):
    return churn(world, True)


@metric("gross_churn_rate")
def gross_churn_rate(world):
    return churn(world, False)


@metric("customer_churn_rate")
def customer_churn_rate(world):
    def running(moment):
        times = [subscription.runs_at(moment) for subscription in world.subscriptions]
        return {time.transaction.owner for time in times if time is not None} - {None}
    table = Table(world).fill()
    for period in world.question.periods:
        before = running(world.question.moment(period - 1))
        after = running(world.question.moment(period))
        table.out_of(period, len(before))
        table.add(period, len(before - after))
    return table


# --------------------------------------------------------------------------------------------------------------------
# Trials
# --------------------------------------------------------------------------------------------------------------------

def outcome_of_trial(world, subscription, trial):
    """converted, pending or abandoned."""
    question = world.question
    end = subscription.end_of(subscription.transactions.index(trial), subscription.transactions)
    later = [each for each in subscription.transactions
             if each.serves_paid and each.is_asked and each.start >= trial.start]
    if later:
        payment = later[0]
        failed_at = subscription.charging_failed(trial.start, payment.start - 1)
        follows = payment.start <= end
        is_recovered = failed_at is not None and payment.start < failed_at + RETRY
        if not follows and (payment.is_bought or not is_recovered):
            return "abandoned"
        if question.refunds == "retroactive" and payment.refunded_at is not None:
            return "abandoned"
        if question.refunds == "at-refund-date" and payment.is_all_refunded():
            if payment.refunded_at < question.until(question.period(trial.start)):
                return "abandoned"
        return "converted"
    if question.at < end:
        return "pending" if subscription.will_renew(question.at) else "abandoned"
    failed_at = subscription.charging_failed(trial.start, question.at)
    if failed_at is not None and question.at < failed_at + RETRY:
        return "pending"
    return "abandoned"


def trials_with(world, wanted):
    table = Table(world, is_sum=True).fill()
    open_trials = set()
    for subscription in world.subscriptions:
        for trial in subscription.transactions:
            period = world.question.period(trial.start)
            if trial.is_trial and trial.is_asked and trial.is_chosen and period:
                outcome = outcome_of_trial(world, subscription, trial)
                if outcome == "pending" or trial.paid_until > world.question.at:
                    open_trials.add(period)
                if outcome in wanted:
                    table.add(period)
    table.finals = {period: False for period in open_trials}
    return table


@metric("trials", knows_payments=False)
def trials(world):
    table = trials_with(world, {"converted", "pending", "abandoned"})
    table.finals = {}
    return table


@metric("trials_converted")
def trials_converted(world):
    return trials_with(world, {"converted"})


@metric("trials_pending")
def trials_pending(world):
    return trials_with(world, {"pending"})


@metric("trials_abandoned")
def trials_abandoned(world):
    return trials_with(world, {"abandoned"})


@metric("trial_conversion")
def trial_conversion(world):
    table = ratio(world, trials_converted(world), trials(world))
    table.finals = trials_converted(world).finals
    return table


@metric("trial_mature_conversion")
def trial_mature_conversion(world):
    table = ratio(world, trials_converted(world), trials_with(world, {"converted", "abandoned"}))
    table.finals = trials_converted(world).finals
    return table


# --------------------------------------------------------------------------------------------------------------------
# Customers
# --------------------------------------------------------------------------------------------------------------------

@metric("new_customers", knows_payments=False)
def new_customers(world):
    table = Table(world, is_sum=True).fill()
    for customer in world.customers.values():
        table.add(world.question.period(customer.seen))
    return table


@metric("paying_customers")
def paying_customers(world):
    table = Table(world, is_sum=True).fill()
    for customer in world.customers.values():
        for period in {world.question.period(each.start) for each in world.customer_payments(customer)}:
            table.add(period)
    return table


def new_customers_who(world, did):
    """How many of the customers first seen in a period did something."""
    table = Table(world).fill()
    for customer in world.customers.values():
        period = world.question.period(customer.seen)
        if period is not None:
            table.out_of(period)
            table.add(period, 1 if did(customer) else 0)
    return table


def end_of_days(world, customer, days):
    """The end of the day that lies so many days after that of the first sight."""
    return world.question.calendar.midnight(world.question.calendar.day(customer.seen) + days + 1)


@metric("conversion_to_paying", wait=NEVER)
def conversion_to_paying(world):
    return new_customers_who(world, lambda customer: bool(world.customer_payments(customer)))


@metric("conversion_to_paying_30d", wait=31)
def conversion_to_paying_30d(world):
    return new_customers_who(world, lambda customer: any(
        each.start < end_of_days(world, customer, 30) for each in world.customer_payments(customer)))


@metric("initial_conversion_7d", wait=8)
def initial_conversion_7d(world):
    return new_customers_who(world, lambda customer: any(
        each.start < end_of_days(world, customer, 7) for each in customer.transactions))


@metric("active_customers", knows_payments=False)
def active_customers(world):
    table = Table(world, is_sum=True).fill()
    for customer in world.customers.values():
        for period in {world.question.period(time) for time in world.activity(customer)}:
            table.add(period)
    return table


@metric("mau_growth", knows_payments=False)
def mau_growth(world):
    active = defaultdict(int)
    for customer in world.customers.values():
        for period in {world.question.period(time) for time in world.activity(customer)}:
            active[period] += 1
    table = Table(world).fill()
    for period in world.question.periods:
        table.add(period, active[period] - active[period - 1])
        table.out_of(period, active[period - 1])
    return table


UNIT_DAYS = {"day": 1, "week": 7, "month": 30, "quarter": 91, "year": 365}


def was_back(world, customer, unit, age):
    """Whether a customer used the app so many units after the first sight, as the question says when one is back."""
    question = world.question
    for time in world.activity(customer):
        if question.retention == "24-hours":
            length = UNIT_DAYS[unit] * DAY
            if (time - customer.seen) // length == age:
                return True
        else:
            calendar = customer.calendar if question.retention == "own-calendar" else None
            calendar = calendar or question.calendar
            distance = calendar.number(unit, time) - calendar.number(unit, customer.seen)
            if distance == age or question.retention == "on-or-after" and distance > age:
                return True
    return False


def day_retention(world, days):
    table = new_customers_who(world, lambda customer: was_back(world, customer, "day", days))
    if world.question.retention == "on-or-after":
        table.finals = {period: False for period in world.question.periods}
    return table


@metric("d1_retention", wait=2, knows_payments=False)
def d1_retention(world):
    return day_retention(world, 1)


@metric("d7_retention", wait=8, knows_payments=False)
def d7_retention(world):
    return day_retention(world, 7)


@metric("d30_retention", wait=31, knows_payments=False)
def d30_retention(world):
    return day_retention(world, 30)


# --------------------------------------------------------------------------------------------------------------------
# Cohorts
# --------------------------------------------------------------------------------------------------------------------

def age_bounds(world, period, age, is_own=False):
    """When the first of a cohort can come to an age, and when all of them are past it, by the calendar."""
    question, unit = world.question, world.question.every
    calendars = [question.calendar]
    if is_own:
        # From UTC-12 to UTC+14, in quarters of an hour.
        calendars += [Calendar(minutes) for minutes in range(-12 * 60, 14 * 60 + 1, 15)]
    first, last = question.from_(period), question.until(period) - 1
    return (min(each.start(unit, each.number(unit, first) + age) for each in calendars),
            max(each.start(unit, each.number(unit, last) + age + 1) for each in calendars))


@metric("retention", knows_payments=False)
def retention(world):
    question = world.question
    cohorts = defaultdict(list)
    for customer in world.customers.values():
        cohorts[question.period(customer.seen)].append(customer)
    table = Table(world)
    length = UNIT_DAYS[question.every] * DAY
    for period in question.periods:
        for age in range(question.ages + 1):
            first, past = age_bounds(world, period, age, question.retention == "own-calendar")
            if question.retention == "24-hours":
                first = question.from_(period) + age * length
                past = question.until(period) + (age + 1) * length
            if first > question.at:
                continue
            table.cell("", period, age)
            table.finals[(period, age)] = past <= question.at and question.retention != "on-or-after"
            for customer in cohorts[period]:
                table.out_of(period, 1, "", age)
                table.add(period, 1 if was_back(world, customer, question.every, age) else 0, "", age)
    return table


@metric("repurchase")
def repurchase(world):
    question = world.question
    number = question.calendar.number
    table = Table(world)
    for period in question.periods:
        for age in range(question.ages + 1):
            first, past = age_bounds(world, period, age)
            if first <= question.at:
                table.cell("", period, age)
                table.finals[(period, age)] = past <= question.at
    for customer in world.customers.values():
        payments = world.customer_payments(customer)
        period = question.period(payments[0].start) if payments else None
        if not period:
            continue
        first = number(question.every, payments[0].start)
        ages = {number(question.every, each.start) - first for each in payments[1:]}
        for age in range(question.ages + 1):
            if ("", period, age) in table.values:
                table.out_of(period, 1, "", age)
                table.add(period, 1 if age in ages else 0, "", age)
    return table


@metric("ltv")
def ltv(world):
    question = world.question
    table = Table(world)
    customers_of = defaultdict(list)
    for customer in world.customers.values():
        customers_of[question.period(customer.seen)].append(customer)
    for period in question.periods:
        moves = [(customer, world.net_by_customer(customer)) for customer in customers_of[period]]
        currencies = {currency for _, told in moves for _, currency, _ in told}
        for age in range(question.ages + 1):
            days = age * UNIT_DAYS[question.every]
            first_day = question.calendar.day(question.from_(period))
            last_day = question.calendar.day(question.until(period) - 1)
            days_before = (age - 1) * UNIT_DAYS[question.every]
            if age > 0 and question.calendar.midnight(first_day + days_before + 1) > question.at:
                continue
            table.finals[(period, age)] = question.calendar.midnight(last_day + days + 1) <= question.at
            for currency in currencies:
                table.out_of(period, len(moves), currency, age)
            for customer, told in moves:
                end = end_of_days(world, customer, days)
                for time, currency, money in told:
                    if time < end and time <= question.at:
                        table.add(period, money, currency, age)
    return table


def went_back(question, transaction):
    return question.refunds != "ignore" and transaction.is_all_refunded()


@metric("subscription_retention")
def subscription_retention(world):
    question = world.question
    table = Table(world)
    for subscription in world.subscriptions:
        times = sorted(subscription.times, key=lambda time: time.start)
        counted = [time for time in times if time.transaction.serves_paid and not time.transaction.is_introductory]
        period = question.period(counted[0].start) if counted and counted[0].transaction.is_chosen else None
        if not period:
            continue
        chain, end = [counted[0]], counted[0].end
        for time in times[times.index(counted[0]) + 1:]:
            if time.start > end:
                break
            end = max(end, time.end)
            if time in counted:
                chain.append(time)
        last = chain[-1].transaction
        kept = len(chain)
        for index, time in enumerate(chain):
            if went_back(question, time.transaction):
                kept = min(kept, index)
        for age in range(question.ages + 1):
            beyond = age - len(chain)
            due = chain[age].start if beyond < 0 else add_length(last.paid_until, last.rule["period"], beyond)
            if due > question.at:
                table.finals[(period, age)] = False
                continue
            table.out_of(period, 1, "", age)
            table.add(period, 1 if age < kept else 0, "", age)
    return table


# --------------------------------------------------------------------------------------------------------------------
# Use
# --------------------------------------------------------------------------------------------------------------------

class Attempt:
    """An attempt to buy, from the events that name it."""

    def __init__(self):
        self.product = None
        self.times = {}

    def tell(self, event):
        self.product = self.product or event["data"].get("product")
        self.times.setdefault(event["type"].split(".")[1], event["occurred_at"])


def attempts_of(customer):
    events = []
    for kind in CHECKOUTS:
        events += customer.events[kind]
    events.sort(key=canonical_order)
    attempts, open_by_product = {}, {}
    for event in events:
        data = event["data"]
        name = ("attempt", data["attempt"]) if "attempt" in data else None
        if name is None and event["type"] == "checkout.started":
            name = ("event", event["source"]["key"])
            open_by_product[data.get("product")] = name
        elif name is None:
            name = open_by_product.get(data.get("product"), ("event", event["source"]["key"]))
            if event["type"] != "checkout.pending":
                open_by_product.pop(data.get("product"), None)
        attempts.setdefault(name, Attempt()).tell(event)
    return list(attempts.values())


@metric("purchase_completion_rate", wait=7, knows_payments=False)
def purchase_completion_rate(world):
    table = Table(world).fill()
    for customer in world.customers.values():
        for attempt in attempts_of(customer):
            started, completed = attempt.times.get("started"), attempt.times.get("completed")
            period = world.question.period(started)
            if period:
                table.out_of(period)
                table.add(period, 1 if completed is not None and completed <= started + 7 * DAY else 0)
    return table


@metric("storekit_success", wait=7, knows_payments=False)
def storekit_success(world):
    table = Table(world).fill()
    for customer in world.customers.values():
        used = set()
        attempts = [each for each in attempts_of(customer) if "completed" in each.times or "failed" in each.times]
        ended = lambda each: min(each.times.get("completed", FOREVER), each.times.get("failed", FOREVER))
        attempts.sort(key=ended)
        for attempt in attempts:
            completed = attempt.times.get("completed")
            period = world.question.period(ended(attempt))
            table.out_of(period)
            if completed is None:
                continue
            for each in customer.transactions:
                if (attempt.product in (None, each.product) and each.is_verified and each.name not in used
                        and abs(each.start - completed) <= 7 * DAY):
                    used.add(each.name)
                    table.add(period)
                    break
    return table


def onboarding(world, did, counts_skipped=True):
    """Customers by the first time that they started onboarding, and who of them did something from then on."""
    table = Table(world).fill()
    for customer in world.customers.values():
        starts = customer.times("onboarding.started")
        period = world.question.period(starts[0]) if starts else None
        if period is None:
            continue
        skipped = [time for time in customer.times("onboarding.skipped") if is_within(starts[0], time, 7)]
        if skipped and not counts_skipped:
            continue
        table.out_of(period)
        table.add(period, 1 if did(customer, starts[0]) else 0)
    return table


def is_within(start, time, days):
    return start <= time <= start + days * DAY


@metric("onboarding_completion", wait=7, knows_payments=False)
def onboarding_completion(world):
    return onboarding(world, lambda customer, start: any(
        is_within(start, time, 7) for time in customer.times("onboarding.completed")), counts_skipped=False)


@metric("onboarding_to_subscription", wait=30)
def onboarding_to_subscription(world):
    def did(customer, start):
        begins = world.begins(customer, lambda time: True)
        return bool(begins) and is_within(start, begins[0], 30)
    return onboarding(world, did)


@metric("onboarding_to_paid", wait=30)
def onboarding_to_paid(world):
    def did(customer, start):
        begins = world.begins(customer, lambda time: time.transaction.serves_paid)
        return bool(begins) and is_within(start, begins[0], 30)
    return onboarding(world, did)


def locked_features(world, product):
    """The features that are not free and that a product opens."""
    features = world.catalog.get("features", {})
    opened = set()
    for name in (product or {}).get("entitlements", []):
        entitlement = world.catalog["entitlements"][name]
        listed = entitlement["features"] if isinstance(entitlement, dict) else entitlement
        opened |= set(features) if "*" in listed else {world.canonical_features.get(each, each) for each in listed}
    return {name for name in opened if not (features.get(name) or {}).get("isFree", False)}


def openings(world):
    """(customer's name, start, end, features) of everything that purchases and trials open."""
    found = []
    for subscription in world.subscriptions:
        for time in subscription.times:
            if time.transaction.is_chosen:
                found.append((time.transaction, time.start, time.end))
    for each in world.transactions:
        if each.kind in ("nonConsumable", "nonRenewing"):
            end = add_length(each.start, each.rule["duration"], 1) if each.kind == "nonRenewing" else FOREVER
            is_cut = not each.refund_keeps_access and world.question.refunds != "ignore"
            for cut in (each.revoked_at, each.refunded_at if is_cut else None):
                end = min(end, cut if cut is not None else FOREVER)
            found.append((each, each.start, end))
    return [(each.owner, start, end, locked_features(world, each.rule)) for each, start, end in found
            if each.owner is not None]


def adoption(world, by_feature):
    question = world.question
    table = Table(world)
    if not by_feature:
        table.fill()
    opened = defaultdict(set)
    for owner, start, end, features in openings(world):
        for period in question.periods:
            if start <= question.moment(period) and end > question.from_(period):
                opened[(owner, period)] |= features
    used = defaultdict(set)
    for name, customer in world.customers.items():
        for event in customer.events["feature.used"]:
            feature = event["data"]["feature"]
            used[(name, question.period(event["occurred_at"]))].add(world.canonical_features.get(feature, feature))
    for (owner, period), features in opened.items():
        if by_feature:
            for feature in features:
                table.out_of(period, 1, feature)
                table.add(period, 1 if feature in used[(owner, period)] else 0, feature)
        elif features:
            table.out_of(period)
            table.add(period, 1 if features & used[(owner, period)] else 0)
    return table


@metric("feature_adoption")
def feature_adoption(world):
    return adoption(world, False)


@metric("feature_adoption_by_feature")
def feature_adoption_by_feature(world):
    return adoption(world, True)


@metric("uses", knows_payments=False)
def uses(world):
    table = Table(world, is_sum=True)
    for customer in world.customers.values():
        for time, meter, amount in customer.uses:
            table.add(world.question.period(time), amount, meter)
    return table


@metric("uses_per_active_customer", knows_payments=False)
def uses_per_active_customer(world):
    return ratio(world, uses(world), active_customers(world))


@metric("limit_reached", knows_payments=False)
def limit_reached(world):
    table = Table(world, is_sum=True)
    for customer in world.customers.values():
        reached = {(world.question.period(event["occurred_at"]), event["data"]["meter"])
                   for event in customer.events["limit.reached"]}
        for period, meter in reached:
            table.add(period, 1, meter)
    return table


@metric("nps", knows_payments=False)
def nps(world):
    table = Table(world)
    for customer in world.customers.values():
        for event in customer.events["survey.answered"]:
            score, period = event["data"]["score"], world.question.period(event["occurred_at"])
            if 0 <= score <= 10:
                table.out_of(period, 1, event["data"]["survey"])
                table.add(period, 1 if score >= 9 else -1 if score <= 6 else 0, event["data"]["survey"])
    return table


@metric("free_period_conversion", wait=NEVER)
def free_period_conversion(world):
    kinds = {rule["profileKind"] for rule in (world.catalog.get("freePeriods") or {}).values()}
    table = Table(world).fill()
    for customer in world.customers.values():
        paid = {each.name for each in world.customer_payments(customer)}
        paid |= {each.lineage.split(":", 1)[1] for each in world.customer_payments(customer)}
        served = {event["data"]["profile"] for event in customer.events["purchase.assigned"]
                  if event["data"]["transaction_id"] in paid}
        starts = {}
        for event in customer.events["profile.created"]:
            if event["data"]["kind"] in kinds:
                starts.setdefault(event["data"]["profile"],
                                  event["data"].get("free_started_at", event["occurred_at"]))
        for profile, start in starts.items():
            period = world.question.period(start)
            table.out_of(period)
            table.add(period, 1 if profile in served else 0)
    return table


# --------------------------------------------------------------------------------------------------------------------
# Limits and paywalls
# --------------------------------------------------------------------------------------------------------------------

def bought_within(customer, start, days):
    return any(each.is_bought and is_within(start, each.start, days) for each in customer.transactions)


def paid_from(world, customer, start):
    return any(each.start >= start for each in world.customer_payments(customer))


def by_first_paywall(world, did):
    table = Table(world)
    for customer in world.customers.values():
        first = {}
        for event in customer.events["paywall.shown"]:
            first.setdefault(event["data"].get("context") or "unknown", event["occurred_at"])
        for context, start in first.items():
            period = world.question.period(start)
            table.out_of(period, 1, context)
            table.add(period, 1 if did(customer, start) else 0, context)
    return table


@metric("paywall_conversion_3d", wait=4)
def paywall_conversion_3d(world):
    return by_first_paywall(world, lambda customer, start: bought_within(customer, start, 3))


@metric("paywall_paid_conversion_3d", wait=NEVER)
def paywall_paid_conversion_3d(world):
    return by_first_paywall(world, lambda customer, start: bought_within(customer, start, 3)
                            and paid_from(world, customer, start))


@metric("paywall_abandonment_3d", wait=4)
def paywall_abandonment_3d(world):
    def turned_away(customer, start):
        checkouts = customer.times("checkout.pending") + customer.times("checkout.completed")
        return not bought_within(customer, start, 3) and not any(is_within(start, time, 3) for time in checkouts)
    return by_first_paywall(world, turned_away)


def uses_until_paywall(world):
    """(period, uses by meter) of each customer who saw a paywall, up to the first."""
    meters = [name for name, meter in (world.catalog.get("meters") or {}).items() if meter["kind"] == "counter"]
    for customer in world.customers.values():
        shown = customer.times("paywall.shown")
        period = world.question.period(shown[0]) if shown else None
        if period:
            used = dict.fromkeys(meters, 0)
            for time, meter, amount in customer.uses:
                if time < shown[0]:
                    used[meter] += amount
            yield period, used


@metric("uses_before_paywall", knows_payments=False)
def uses_before_paywall(world):
    table = Table(world)
    for period, used in uses_until_paywall(world):
        for meter, amount in used.items():
            table.add(period, amount, meter)
            table.out_of(period, 1, meter)
    return table


@metric("customers_by_uses_before_paywall", knows_payments=False)
def customers_by_uses_before_paywall(world):
    table = Table(world, is_sum=True)
    for period, used in uses_until_paywall(world):
        for meter, amount in used.items():
            table.add(period, 1, f"{meter}: {amount if amount < 10 else '10+'}")
    return table


def by_first_limit(world, did):
    table = Table(world)
    for customer in world.customers.values():
        first = {}
        for event in customer.events["limit.reached"]:
            first.setdefault(event["data"]["meter"], event["occurred_at"])
        for meter, start in first.items():
            period = world.question.period(start)
            table.out_of(period, 1, meter)
            table.add(period, 1 if did(customer, start) else 0, meter)
    return table


@metric("limit_to_paywall_1d", wait=2, knows_payments=False)
def limit_to_paywall_1d(world):
    return by_first_limit(world, lambda customer, start: any(
        is_within(start, time, 1) for time in customer.times("paywall.shown")))


@metric("limit_to_purchase_1d", wait=2)
def limit_to_purchase_1d(world):
    return by_first_limit(world, lambda customer, start: bought_within(customer, start, 1))


@metric("limit_to_purchase_7d", wait=8)
def limit_to_purchase_7d(world):
    return by_first_limit(world, lambda customer, start: bought_within(customer, start, 7))


@metric("limit_to_return_7d", wait=8, knows_payments=False)
def limit_to_return_7d(world):
    return by_first_limit(world, lambda customer, start: any(
        start < time <= start + 7 * DAY for time in world.activity(customer)))


# --------------------------------------------------------------------------------------------------------------------
# Economics
# --------------------------------------------------------------------------------------------------------------------

def money_of(text):
    """Thousandths and currency of a price such as 2.99 USD, of a text or of a map."""
    if isinstance(text, dict):
        return Fraction(str(text["amount"])) * 1000, text["currency"]
    amount, currency = text.split()
    return Fraction(amount) * 1000, currency


def instant(text):
    return int(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()) * 1000


def price_at(product, time):
    """The first price of a product whose time it is."""
    for price in (product.get("prices") or {}).values():
        is_map = isinstance(price, dict)
        if not is_map or ((not price.get("from") or instant(price["from"]) <= time)
                          and (not price.get("until") or time < instant(price["until"]))):
            return money_of(price)
    return None


def costs(world):
    """(period, customer, time, money, currency) of each use that has a cost."""
    meters = world.catalog.get("meters") or {}
    for name, customer in world.customers.items():
        for time, meter, amount in customer.uses:
            if "unitCost" in meters[meter]:
                money, currency = money_of(meters[meter]["unitCost"])
                yield world.question.period(time), name, time, money * amount, currency


def shown_costs(world):
    """The same in the currency in which money is shown."""
    for period, name, time, money, currency in costs(world):
        factor, shown = world.rates.shown(currency, time)
        yield period, name, time, money * factor, shown


@metric("usage_cost", knows_payments=False)
def usage_cost(world):
    table = Table(world, is_sum=True)
    for period, _, _, money, currency in shown_costs(world):
        table.add(period, money, currency)
    return table


@metric("usage_cost_per_customer", knows_payments=False)
def usage_cost_per_customer(world):
    table = Table(world)
    users, currencies = defaultdict(set), defaultdict(set)
    for period, name, _, money, currency in shown_costs(world):
        table.add(period, money, currency)
        users[period].add(name)
        currencies[period].add(currency)
    for period, names in users.items():
        for currency in currencies[period]:
            table.out_of(period, len(names), currency)
    return table


@metric("break_even_purchases", knows_payments=False)
def break_even_purchases(world):
    table = Table(world, is_sum=True)
    once = [product for product in world.catalog["products"].values() if product["kind"] == "nonConsumable"]
    for period, _, time, money, currency in costs(world):
        price = price_at(once[0], time) if once else None
        if price is not None and price[1] == currency and price[0] > 0:
            table.add(period, money / price[0], "gross")
            if world.question.commission < 1:
                table.add(period, money / (price[0] * (1 - world.question.commission)), "proceeds")
    return table


@metric("yearly_saving")
def yearly_saving(world):
    table = Table(world)
    for payment in world.payments():
        if payment.kind != "autoRenewable" or payment.rule["period"] not in ("P1Y", "P12M") or payment.has_offer:
            continue
        for other in world.catalog["products"].values():
            if (other["kind"] == "autoRenewable" and other["period"] == "P1M"
                    and other["group"] == payment.rule["group"]
                    and sorted(other.get("entitlements", [])) == sorted(payment.rule.get("entitlements", []))):
                price = price_at(other, payment.start)
                if price is not None and price[1] == payment.currency:
                    period = world.question.period(payment.start)
                    table.out_of(period, 12 * price[0], payment.product)
                    table.add(period, 12 * price[0] - payment.amount, payment.product)
                break
    return table


# --------------------------------------------------------------------------------------------------------------------
# Answers
# --------------------------------------------------------------------------------------------------------------------

def is_final(table, key, wait, knows_payments):
    """Whether time alone changes a value no more."""
    question = table.question
    _, period, age = key
    if wait == NEVER or knows_payments and question.refunds == "retroactive":
        return False
    if question.until(period) + wait * DAY > question.at:
        return False
    return table.finals.get((period, age) if age != "" else period, True)


def answer(world, names):
    result = {}
    for name in names or METRICS:
        function, wait, knows_payments = METRICS[name]
        table = function(world)
        values = {}
        for key, (numerator, denominator) in sorted(table.values.items(), key=str):
            group, period, age = key
            value = numerator / denominator if denominator else None
            if value is None:
                written = [0, 0]
            elif table.is_sum:
                written = [value.numerator, value.denominator]
            else:
                scale = numerator.denominator * denominator.denominator
                written = [int(numerator * scale), int(denominator * scale)]
            is_complete = is_final(table, key, wait, knows_payments)
            values[f"{group}|{world.question.name(period)}|{age}"] = written + [is_complete]
        result[name] = values
    return result


def main():
    export, catalog_path, request_path = sys.argv[1:]
    with open(catalog_path, encoding="utf-8") as file:
        catalog = json.load(file)
    with open(request_path, encoding="utf-8") as file:
        request = json.load(file)
    world = World(read_events(export), catalog, Question(request, catalog))
    print(json.dumps(answer(world, request.get("metrics")), sort_keys=True))


if __name__ == "__main__":
    main()
