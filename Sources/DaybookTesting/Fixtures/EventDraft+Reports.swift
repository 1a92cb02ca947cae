public import DaybookEvents

extension EventDraft {
    /// A report of the customer's own app, believed like an import.
    /// - Parameters:
    ///   - type: One of docs/events.md.
    ///   - occurredAt: When it happened to the customer, in milliseconds since 1970 UTC.
    ///   - key: Names the event once and for all: the same key again is a duplicate.
    ///   - subject: ID of the customer whom it is about.
    ///   - profile: The profile that it is about; `nil`: the customer as a whole.
    ///   - data: The fields of the type; they are checked when the report is recorded.
    public static func reported(
        _ type: EventTypeName, at occurredAt: Int64, key: String, subject: String = "ada",
        profile: String? = nil, _ data: JSONObject = JSONObject()
    ) -> EventDraft {
        EventDraft(
            type: type, subject: subject, profile: profile, occurredAt: occurredAt,
            source: EventSource(kind: "native", key: key), trust: .imported, data: data)
    }

    /// A use that happened at some time and is told now; the same meter, ref and time again is a duplicate.
    /// - Parameters:
    ///   - meter: The meter's name in the catalog; a part of the key.
    ///   - occurredAt: In milliseconds since 1970 UTC.
    ///   - ref: What was made; a part of the key.
    ///   - amount: At least 1 on counters.
    ///   - subject: ID of the customer who used it.
    ///   - coveredBy: The entitlement that it was allowed by, where the app knows.
    public static func used(
        _ meter: String, at occurredAt: Int64, ref: String, amount: Int64 = 1,
        subject: String = "ada", coveredBy: String? = nil
    ) -> EventDraft {
        var data: JSONObject = [
            "meter": .string(meter), "amount": .integer(amount), "ref": .string(ref),
        ]
        if let coveredBy { data["covered_by"] = .string(coveredBy) }
        return reported(
            .usageRecorded, at: occurredAt, key: "\(meter)/\(ref)/\(occurredAt)",
            subject: subject, data)
    }
}
