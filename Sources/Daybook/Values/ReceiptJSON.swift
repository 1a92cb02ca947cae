package import DaybookEvents

/// The shapes of what an acknowledged request left behind.
extension Receipt {
    /// The same request again gets the same bytes: nothing here depends on when it is asked for.
    package var json: JSONObject {
        var object = decision?.json ?? JSONObject()
        object["allowed"] = true
        if let variant { object["variant"] = .string(variant) }
        object["done_before"] = .bool(wasDoneBefore)
        object["key"] = .string(key)
        object["positions"] = .array(positions.map { .integer($0) })
        object["place"] = .null
        object["recorded_at"] = .integer(recordedAt)
        if clockLead > 0 { object["clock_lead_ms"] = .integer(clockLead) }
        object["durability"] = .string(durability)
        object["changes"] = .array(changes.map { .object($0.json) })
        object["restatements"] = .array(restatements.map { .object($0.json) })
        object["restatements_omitted"] = .integer(Int64(omitted))
        return object
    }
}

extension ReportReceipt {
    package var json: JSONObject {
        var object: JSONObject = [
            "appended": .integer(Int64(appended)), "duplicates": .integer(Int64(duplicates)),
            "first_position": .orNull(firstPosition), "last_position": .orNull(lastPosition),
            "place": .null, "durability": .string(durability),
            "restatements": .array(restatements.map { .object($0.json) }),
            "restatements_omitted": .integer(Int64(restatementsOmitted)),
        ]
        if clockLead > 0 { object["clock_lead_ms"] = .integer(clockLead) }
        return object
    }
}
