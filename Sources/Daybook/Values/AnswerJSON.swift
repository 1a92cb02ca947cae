package import DaybookDomain
package import DaybookEvents

/// The shapes of answers on the wire. Unlimited numbers and open ends are `null`; members never go missing.
///
/// The members of frequent answers stand here in canonical order, in which they are taken as they are.
extension AsOf {
    package var json: JSONObject {
        var object: JSONObject = [
            "at": .integer(at), "catalog": .orNull(catalog), "known_at": .orNull(knownAt),
            "open": .bool(isOpen), "position": .integer(position),
        ]
        if clockLead > 0 { object["clock_lead_ms"] = .integer(clockLead) }
        return object
    }
}

extension Source {
    package var name: String { reference }

    package var json: JSONObject {
        [
            "source": .string(name), "kind": .string(kind.rawValue), "id": .string(id),
            "product": .orNull(product), "transaction": .orNull(transaction),
            "profile": .orNull(profile), "state": .string(state.rawValue),
            "active": .bool(isActive), "starts_at": .time(startsAt),
            "expires_at": .time(expiresAt), "will_renew": .bool(willRenew),
            "auto_renew_product": .orNull(autoRenewProduct),
            "trial_days_remaining": .orNull(trialDaysRemaining),
            "entitlements": .texts(entitlements), "features": .texts(features),
            "why": .orNull(why?.rawValue), "flags": .texts(flags),
        ]
    }
}

extension MeterAnswer {
    package var periodJSON: JSONObject {
        [
            "end": .time(period?.end), "name": .orNull(periodName), "resets_at": .time(resetsAt),
            "start": .time(period?.start),
        ]
    }

    package var json: JSONObject {
        [
            "kind": .string(kind.rawValue), "limit": .orNull(limit), "used": .integer(used),
            "reserved": .integer(reserved), "remaining": .orNull(remaining),
            "overage": .integer(overage), "granted": .integer(granted), "debt": .integer(debt),
            "excess": .integer(excess), "period": .object(periodJSON),
            "last_reset_at": .time(lastResetAt), "visible_from": .time(visibleFrom),
            "covered_by": .orNull(coveredBy?.name), "writable": .texts(writable),
            "flags": .texts(flags),
        ]
    }
}

extension DisplayText {
    package var json: JSONObject {
        [
            "arguments": .object(
                JSONObject(arguments.map { .init(name: $0.key, value: .string($0.value)) })),
            "key": .string(key), "text": .string(text),
            "text_plural_safe": .string(pluralSafeText),
        ]
    }
}

extension Optional<DisplayText> {
    /// An object in any case, so that scripts can always ask for its members.
    package var json: JSONObject {
        self?.json ?? ["arguments": [:], "key": .null, "text": .null, "text_plural_safe": .null]
    }
}

extension Decision {
    /// Everything but the cut.
    package var json: JSONObject {
        [
            "allowed": .bool(allowed), "amount": .integer(amount),
            "candidates": .array(candidates.map { .object($0.json) }),
            "display": .object(display.json), "enforcement": .string(enforcement.rawValue),
            "excess": .orNull(usage?.excess), "feature": .orNull(feature),
            "flags": .texts(flags + (usage?.flags ?? [])), "limit": .orNull(usage?.limit),
            "meter": .orNull(meter), "overage": .orNull(usage?.overage),
            "paywall": paywall.map { .object($0.json) } ?? .null,
            "period": .object(
                usage?.periodJSON ?? [
                    "end": .null, "name": .null, "resets_at": .null, "start": .null,
                ]),
            "profile": .orNull(profile), "prompt": .bool(isPrompting),
            "reason": .string(reason.rawValue), "remaining": .orNull(usage?.remaining),
            "reserved": .orNull(usage?.reserved), "source": .orNull(source?.name),
            "title": .object(title.json), "used": .orNull(usage?.used),
            "visible_from": .time(usage?.visibleFrom),
        ]
    }

    /// The answer about a customer, with the cut.
    package func json(of subject: String, _ asOf: AsOf) -> JSONObject {
        var object = json
        object["subject"] = .string(subject)
        object["as_of"] = .object(asOf.json)
        return object
    }
}

extension [Decision] {
    /// Answers about one customer from one cut.
    package func json(of subject: String, _ asOf: AsOf) -> JSONObject {
        [
            "subject": .string(subject), "checks": .array(map { .object($0.json) }),
            "as_of": .object(asOf.json),
        ]
    }
}

extension [MeterReset] {
    /// - Parameter isMore: Whether more resets follow than these.
    package func json(
        of subject: String, meter: String, isMore: Bool, _ asOf: AsOf
    ) -> JSONObject {
        [
            "subject": .string(subject), "meter": .string(meter),
            "resets": .array(map { .object($0.json) }), "more": .bool(isMore),
            "as_of": .object(asOf.json),
        ]
    }
}

extension MeterReset {
    package var json: JSONObject {
        [
            "at": .integer(at), "trigger": .string(trigger.rawValue),
            "state": .string(state.rawValue),
            "period": periodName.map {
                ["name": .string($0), "start": .time(period.start), "end": .time(period.end)]
            } ?? .null,
        ]
    }
}

extension PaywallAnswer {
    package var json: JSONObject {
        [
            "context": .string(context), "feature": .orNull(feature),
            "products": .texts(products),
        ]
    }
}
