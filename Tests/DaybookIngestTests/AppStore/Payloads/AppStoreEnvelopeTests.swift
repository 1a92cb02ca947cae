import DaybookEvents
import DaybookIngest
import Testing

@Suite("Envelopes and pages")
struct AppStoreEnvelopeTests {
    func texts(
        _ envelope: String, as kind: AppStorePayloadKind = .transaction
    ) throws(PayloadRefusal) -> [String] {
        try AppStoreEnvelope.signedPayloads(in: Array(envelope.utf8), as: kind)
            .map { "\($0.kind.rawValue) \($0.text) \($0.place)" }
    }

    @Test(
        "Every form that Apple sends is taken apart, in order",
        arguments: [
            ("a.b.c", ["renewal a.b.c "]), ("\n a.b.c\r\n\t", ["renewal a.b.c "]),
            (#"{"signedPayload":"a"}"#, ["notification a signedPayload"]),
            (
                #"{"signedTransactionInfo":"a","signedRenewalInfo":"b"}"#,
                ["transaction a signedTransactionInfo", "renewal b signedRenewalInfo"]
            ),
            (
                #"{"signedAppTransactionInfo":"a"}"#,
                ["app_transaction a signedAppTransactionInfo"]
            ),
            (
                #"{"hasMore":true,"signedTransactions":["a","b"]}"#,
                ["transaction a signedTransactions[0]", "transaction b signedTransactions[1]"]
            ),
            (
                #"{"notificationHistory":[{"signedPayload":"a","sendAttempts":[]},{"signedPayload":"b"}]}"#,
                [
                    "notification a notificationHistory[0].signedPayload",
                    "notification b notificationHistory[1].signedPayload",
                ]
            ),
            (
                #"{"data":[{"lastTransactions":[{"signedTransactionInfo":"a","signedRenewalInfo":"b"}]}]}"#,
                [
                    "transaction a data[0].lastTransactions[0].signedTransactionInfo",
                    "renewal b data[0].lastTransactions[0].signedRenewalInfo",
                ]
            ),
            (#"{"signedTransactions":[]}"#, []), (#"{"data":[]}"#, []),
        ])
    func forms(_ envelope: String, _ expected: [String]) throws {
        #expect(try texts(envelope, as: .renewal) == expected)
    }

    @Test(
        "What has no signed payload is refused",
        arguments: [
            "", " \n", "{}", "{", #"{"bundleId":"com.example"}"#, #"{"signedPayload":1}"#,
            #"{"signedTransactions":["a",2]}"#, #"{"signedPayload":"a","signedPayload":"b"}"#,
            #"{"signedPayload":"a"} x"#, #"{"notificationHistory":[{"signedPayload":[]}]}"#,
        ])
    func refused(_ envelope: String) {
        #expect(throws: PayloadRefusal.self) { try texts(envelope) }
        do throws(PayloadRefusal) { _ = try texts(envelope) } catch {
            #expect(error.reason == .format)
        }
    }

    @Test("An envelope has a bound, and bytes that are no text are refused")
    func bounds() {
        let large = [UInt8](repeating: 0x61, count: AppStoreEnvelope.byteCountMax + 1)
        #expect(throws: PayloadRefusal.self) {
            try AppStoreEnvelope.signedPayloads(in: large, as: .transaction)
        }
        #expect(throws: PayloadRefusal.self) {
            try AppStoreEnvelope.signedPayloads(in: [0xFF, 0xFE], as: .transaction)
        }
    }

    @Test(
        "Apple's own examples of pages are taken apart",
        .enabled(if: SharedVectors.areThere, "\(SharedVectors.absence)"),
        arguments: [
            ("transactionHistoryResponse", 2), ("getNotificationHistoryResponse", 2),
            ("getAllSubscriptionStatusesResponse", 6), ("getRefundHistoryResponse", 2),
            ("appTransactionInfoResponse", 1), ("transactionInfoResponse", 1),
            ("transactionHistoryResponseWithMalformedEnvironment", 2),
            ("transactionHistoryResponseWithMalformedAppAppleId", 2),
        ])
    func examples(_ name: String, _ count: Int) throws {
        let bytes = try SharedVectors.bytes("apple/models/\(name).json")
        #expect(try AppStoreEnvelope.signedPayloads(in: bytes, as: .transaction).count == count)
    }
}
