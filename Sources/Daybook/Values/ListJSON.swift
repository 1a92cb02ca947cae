package import DaybookEvents

/// The shapes of lists: their rows, what the next page comes after, and as of what.
extension OverviewPage {
    fileprivate func json(_ name: String, _ row: (Row) -> JSONObject) -> JSONObject {
        [
            name: .objects(rows.map(row)), "next": .orNull(next), "as_of": .object(asOf.json),
        ]
    }
}

extension OverviewPage<CustomerRow> {
    package var json: JSONObject { json("customers", \.json) }
}

extension OverviewPage<GrantRow> {
    package var json: JSONObject { json("grants", \.json) }
}

extension OverviewPage<ReservationRow> {
    package var json: JSONObject { json("reservations", \.json) }
}

extension OverviewPage<RefundRow> {
    package var json: JSONObject { json("refunds", \.json) }
}

extension OverviewPage<ExpiryRow> {
    package var json: JSONObject { json("expiring", \.json) }
}

extension CustomerRow {
    package var json: JSONObject {
        [
            "id": .string(id), "subject": .string(subject), "ids": .texts(ids),
            "status": .orNull(status), "entitlements": .texts(entitlements),
            "first_seen_at": .time(firstSeenAt),
        ]
    }
}

extension [CustomerMatch] {
    /// - Parameter isMore: Whether the id leads to more than these.
    package func json(of id: String, isMore: Bool, _ asOf: AsOf) -> JSONObject {
        [
            "id": .string(id), "matches": .objects(map(\.json)), "more": .bool(isMore),
            "as_of": .object(asOf.json),
        ]
    }
}

extension CustomerMatch {
    package var json: JSONObject {
        [
            "kind": .string(kind.rawValue), "customer": .orNull(customer?.json),
            "position": .orNull(position), "stream": .orNull(stream),
        ]
    }
}

extension GrantRow {
    package var json: JSONObject {
        [
            "subject": .string(subject), "grant_id": .string(grant.name),
            "state": .string(grant.state.rawValue), "entitlement": .orNull(grant.entitlement),
            "feature": .orNull(grant.feature), "meter": .orNull(grant.meter),
            "profile": .orNull(grant.profile), "amount": .orNull(grant.amount),
            "unlimited": .bool(grant.isUnlimited), "left": .orNull(grant.left),
            "every": .orNull(grant.every), "starts_at": .time(grant.startsAt),
            "expires_at": .time(grant.expiresAt), "issued_at": .time(issuedAt),
            "position": .integer(position),
        ]
    }
}

extension ReservationRow {
    package var json: JSONObject {
        [
            "subject": .string(subject), "reservation": .string(reservation.name),
            "meter": .string(reservation.meter), "amount": .integer(reservation.amount),
            "profile": .orNull(reservation.profile),
            "reserved_at": .time(reservation.reservedAt),
            "expires_at": .time(reservation.expiresAt), "position": .integer(position),
        ]
    }
}

extension RefundRow {
    package var json: JSONObject {
        [
            "subject": .orNull(subject), "lineage": .string(lineage), "product": .orNull(product),
            "transaction": .string(transaction), "kind": .orNull(kind?.rawValue),
            "reversed": .bool(kind == nil), "revoked_at": .time(revokedAt),
            "pct_milli": .integer(refundedMilli), "amount_milli": .orNull(amountMilli),
            "currency": .orNull(currency), "reason": .orNull(reason),
            "position": .integer(position),
        ]
    }
}

extension ExpiryRow {
    package var json: JSONObject {
        [
            "subject": .string(subject), "kind": .string(kind.rawValue), "name": .string(name),
            "profile": .orNull(profile),
            "expires_at": .time(expiresAt), "will_renew": .bool(willRenew),
            "source": .string(source), "state": .string(state), "left": .orNull(left),
        ]
    }
}

extension [IssuedCode] {
    package func json(of promotion: String) -> JSONObject {
        [
            "promotion": .string(promotion),
            "codes": .array(
                map {
                    [
                        "number": .integer($0.code.number), "code": .string($0.code.text),
                        "redeemed_by": .orNull($0.redeemedBy),
                        "redeemed_at": .time($0.redeemedAt),
                    ]
                }),
        ]
    }
}
