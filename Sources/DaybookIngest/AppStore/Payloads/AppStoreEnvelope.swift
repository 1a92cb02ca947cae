import DaybookEvents

/// A signed payload as it was found in an envelope, not yet verified.
public struct AppStoreSignedPayload: Sendable, Equatable {
    /// What it should be by its place in the envelope; standing alone what the caller says.
    public let kind: AppStorePayloadKind
    /// A compact JWS, without the white space around it.
    public let text: String
    /// Where in the envelope, such as `notificationHistory[3].signedPayload`; empty where it stands alone.
    public let place: String
}

/// What Apple posts, answers, or hands to an app: one signed payload, or JSON with signed payloads in it.
///
/// ```
/// a compact JWS                                              StoreKit's jwsRepresentation
/// {"signedPayload": JWS}                                     App Store Server Notifications V2
/// {"signedTransactionInfo": JWS, "signedRenewalInfo": JWS}   Get Transaction Info
/// {"signedAppTransactionInfo": JWS}                          Get App Transaction Info
/// {"signedTransactions": [JWS…]}                             Get Transaction History, Get Refund History
/// {"notificationHistory": [{"signedPayload": JWS}…]}         Get Notification History
/// {"data": [{"lastTransactions": [{"signedTransactionInfo": JWS, "signedRenewalInfo": JWS}…]}…]}
///                                                            Get All Subscription Statuses
/// ```
public enum AppStoreEnvelope {
    /// A page of Apple's has at most some hundred KiB.
    public static let byteCountMax = 1 << 22
    /// Apple's pages have at most twenty entries, exports may join some.
    public static let textCountMax = 10_000

    /// The lineage that a renewal names, verified or not; `nil` where it cannot be read.
    package static func statedLineage(inRenewal text: [UInt8]) -> String? {
        let payload = try? CompactJWS(text).payload
        return payload?["originalTransactionId"]?.text.map { "apple:\($0)" }
    }

    /// The signed payloads of an envelope in the order in which they stand there.
    /// - Parameter kind: What bytes are that are nothing but a signed payload.
    /// - Returns: Nothing for an empty page.
    /// - Throws: `PayloadRefusal` of class `format` for what is neither.
    public static func signedPayloads(
        in bytes: [UInt8], as kind: AppStorePayloadKind
    ) throws(PayloadRefusal) -> [AppStoreSignedPayload] {
        try PayloadRefusal.require(
            bytes.count <= byteCountMax, .format,
            "\(bytes.count) bytes; a payload has at most \(byteCountMax)")
        let trimmed = bytes.trimmingSpace
        guard trimmed.first == UInt8(ascii: "{") else {
            guard let text = String(validating: trimmed, as: UTF8.self), !text.isEmpty else {
                throw PayloadRefusal(.format, "it is neither a signed payload nor a JSON object")
            }
            return [AppStoreSignedPayload(kind: kind, text: text, place: "")]
        }
        var search = Search()
        do {
            try search.payload(JSONReader.read(Array(trimmed)).object ?? JSONObject())
        } catch let refusal as PayloadRefusal {
            throw refusal
        } catch {
            throw PayloadRefusal(.format, "it is not JSON: \(error)")
        }
        return search.found
    }

    private struct Search {
        var found: [AppStoreSignedPayload] = []
        private var hasList = false

        mutating func payload(_ object: JSONObject) throws(PayloadRefusal) {
            try take(object, "signedPayload", .notification, in: "")
            try pair(object, in: "")
            try take(object, "signedAppTransactionInfo", .appTransaction, in: "")
            for (index, value) in list(object, "signedTransactions").enumerated() {
                try take(value, .transaction, "signedTransactions[\(index)]")
            }
            for (index, value) in list(object, "notificationHistory").enumerated() {
                try take(
                    value.object ?? JSONObject(), "signedPayload", .notification,
                    in: "notificationHistory[\(index)].")
            }
            for (index, group) in list(object, "data").enumerated() {
                let entries = list(group.object ?? JSONObject(), "lastTransactions")
                for (entry, value) in entries.enumerated() {
                    try pair(
                        value.object ?? JSONObject(),
                        in: "data[\(index)].lastTransactions[\(entry)].")
                }
            }
            try PayloadRefusal.require(
                hasList || !found.isEmpty, .format,
                "the JSON has no signed payload; expected signedPayload or a page of Apple's")
        }

        private mutating func pair(
            _ object: JSONObject, in place: String
        ) throws(PayloadRefusal) {
            try take(object, "signedTransactionInfo", .transaction, in: place)
            try take(object, "signedRenewalInfo", .renewal, in: place)
        }

        private mutating func list(_ object: JSONObject, _ name: String) -> [JSONValue] {
            guard let values = object[name]?.array else { return [] }
            hasList = true
            return values
        }

        private mutating func take(
            _ object: JSONObject, _ name: String, _ kind: AppStorePayloadKind, in place: String
        ) throws(PayloadRefusal) {
            guard let value = object[name], value != .null else { return }
            try take(value, kind, place + name)
        }

        private mutating func take(
            _ value: JSONValue, _ kind: AppStorePayloadKind, _ place: String
        ) throws(PayloadRefusal) {
            guard let text = value.text else {
                throw PayloadRefusal(
                    .format, "\(place) is \(value.kindName), not a signed payload")
            }
            try PayloadRefusal.require(
                found.count < textCountMax, .format,
                "a payload has at most \(textCountMax) signed payloads")
            found.append(AppStoreSignedPayload(kind: kind, text: text, place: place))
        }
    }
}

extension [UInt8] {
    /// Without the white space of JSON at both ends.
    fileprivate var trimmingSpace: ArraySlice<UInt8> {
        let space: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
        guard let first = firstIndex(where: { !space.contains($0) }),
            let last = lastIndex(where: { !space.contains($0) })
        else { return [] }
        return self[first...last]
    }
}
