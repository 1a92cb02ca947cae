package import DaybookDomain
package import DaybookEvents

extension Status {
    package func json(_ asOf: AsOf) -> JSONObject {
        [
            "subject": .string(subject), "known": .bool(isKnown), "profile": .orNull(profile),
            "status": .orNull(status), "status_profile": .orNull(statusProfile),
            "entitlements": .object(entitlements.json),
            "meters": .object(
                JSONObject(meters.map { .init(name: $0.name, value: .object($0.json)) })),
            "profiles": .array(profiles.map { .object($0.json) }),
            "display": .object(display.json),
            "attributes": .object(attributes.json), "ads": .array(ads.map { .object($0.json) }),
            "warnings": .texts(warnings),
            "intro_eligible": .object(
                JSONObject(introEligible.map { .init(name: $0.group, value: .bool($0.isEligible)) })
            ),
            "over_limit": .bool(overLimit), "management_url": .orNull(managementURL),
            "as_of": .object(asOf.json),
        ]
    }
}

extension [EntitlementAnswer] {
    /// By name.
    package var json: JSONObject {
        JSONObject(map { .init(name: $0.name, value: .object($0.json)) })
    }
}

extension [CopySlot] {
    /// By slot.
    package var json: JSONObject {
        JSONObject(map { .init(name: $0.slot, value: .string($0.key)) })
    }
}

extension EntitlementAnswer {
    /// The winner, or the closest candidate.
    package var shown: Source? { winner ?? candidates.first }

    package var json: JSONObject {
        [
            "active": .bool(isActive), "state": .string(state.rawValue),
            "source": .orNull(shown?.name), "product": .orNull(shown?.product),
            "starts_at": .time(startsAt ?? shown?.startsAt),
            "expires_at": .time(isActive ? expiresAt : shown?.expiresAt),
            "will_renew": .bool(willRenew),
            "trial_days_remaining": .orNull(shown?.trialDaysRemaining),
            "why": .orNull(isActive ? nil : shown?.why?.rawValue),
            "candidates": .array(candidates.map { .object($0.json) }),
        ]
    }
}

extension Status.ProfileStatus {
    package var json: JSONObject {
        [
            "profile": .string(profile.profile), "kind": .string(profile.kind),
            "created_at": .time(profile.createdAt), "started_at": .time(profile.startedAt),
            "deleted": .bool(profile.isDeleted),
            "free_days_remaining": .orNull(freeDaysRemaining),
            "free_period_expired": .bool(isFreePeriodExpired), "entitled": .bool(isEntitled),
            "status": .orNull(status), "display": .object(display.json),
            "attributes": .object(attributes.json), "entitlements": .object(entitlements.json),
        ]
    }
}

extension Status.AdAnswer {
    package var json: JSONObject {
        [
            "placement": .string(placement.name), "format": .string(placement.format),
            "shown": .bool(isShown), "unit": .orNull(unit),
            "height_points": .orNull(placement.heightPoints.map(Int64.init)),
            "every_nth_item": .orNull(placement.everyNthItem.map(Int64.init)),
        ]
    }
}
