import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import DaybookTesting
import Testing

/// Webhooks of RevenueCat through the ledger.
@Suite("RevenueCat: what is taken in")
struct RevenueCatIngestTests {
    private static let day = LedgerFixture.day
    private static let start = Fixtures.now

    /// A webhook of Nuzzle's month, told some time after it began.
    static func webhook(
        _ type: String, _ id: String, after: Int64 = 1_000, by subject: String = "ada",
        environment: String = "PRODUCTION", transaction: String = "9101",
        days: ClosedRange<Int64> = 0...30, _ more: String = ""
    ) -> [UInt8] {
        Array(
            """
            {"event":{"type":"\(type)","id":"\(id)","event_timestamp_ms":\(start + after),
            "app_user_id":"\(subject)","environment":"\(environment)","store":"APP_STORE",
            "product_id":"com.nestling.pro.monthly","entitlement_ids":["pro"],
            "original_transaction_id":"9100","transaction_id":"\(transaction)",
            "purchased_at_ms":\(start + days.lowerBound * day),
            "expiration_at_ms":\(start + days.upperBound * day),
            "currency":"USD","price_in_purchased_currency":5.99\(more)}}
            """.utf8)
    }

    /// One payload of every type, and what each is called here.
    static let everyType: [(payload: [UInt8], type: String)] = [
        (webhook("INITIAL_PURCHASE", "w01"), "subscription.started"),
        (
            webhook(
                "RENEWAL", "w02", after: 30 * day, transaction: "9102", days: 30...60),
            "subscription.renewed"
        ),
        (
            webhook("CANCELLATION", "w03", after: 31 * day, #","cancel_reason":"UNSUBSCRIBE""#),
            "subscription.auto_renew_changed"
        ),
        (webhook("UNCANCELLATION", "w04", after: 32 * day), "subscription.auto_renew_changed"),
        (
            webhook(
                "BILLING_ISSUE", "w05", after: 60 * day, transaction: "9102", days: 30...60,
                #","grace_period_expiration_at_ms":\#(start + 66 * day)"#),
            "subscription.billing_failed"
        ),
        (
            webhook(
                "CANCELLATION", "w06", after: 60 * day, transaction: "9102",
                #","cancel_reason":"BILLING_ERROR""#), "ops.billing_error_noted"
        ),
        (
            webhook(
                "EXPIRATION", "w07", after: 66 * day, transaction: "9102", days: 30...60,
                #","expiration_reason":"BILLING_ERROR""#), "subscription.expired"
        ),
        (
            webhook(
                "PRODUCT_CHANGE", "w08", after: 33 * day,
                #","new_product_id":"com.nestling.pro.yearly""#),
            "subscription.product_changed"
        ),
        (
            webhook(
                "SUBSCRIPTION_EXTENDED", "w09", after: 34 * day, transaction: "9102",
                days: 30...70), "subscription.extended"
        ),
        (webhook("SUBSCRIPTION_PAUSED", "w10", after: 35 * day), "subscription.pause_scheduled"),
        (
            webhook(
                "CANCELLATION", "w11", after: 36 * day, #","cancel_reason":"CUSTOMER_SUPPORT""#),
            "purchase.refunded"
        ),
        (webhook("REFUND_REVERSED", "w12", after: 37 * day), "purchase.refund_reversed"),
        (
            webhook("NON_RENEWING_PURCHASE", "w13", after: 38 * day, transaction: "9200"),
            "purchase.completed"
        ),
        (webhook("TEMPORARY_ENTITLEMENT_GRANT", "w14", after: 39 * day), "grant.issued"),
        (
            Array(
                """
                {"event":{"type":"VIRTUAL_CURRENCY_TRANSACTION","id":"w15","event_timestamp_ms":\
                \(start + 40 * day),"app_user_id":"ada","environment":"PRODUCTION","adjustments":\
                [{"amount":5,"currency":{"code":"COIN","name":"Coin"}}]}}
                """.utf8), "grant.issued"
        ),
        (
            webhook(
                "EXPERIMENT_ENROLLMENT", "w16", after: 41 * day,
                #","experiment_id":"x","experiment_variant":"b""#), "experiment.exposed"
        ),
        (
            webhook("SUBSCRIBER_ALIAS", "w17", after: 42 * day, #","aliases":["ada","ada-phone"]"#),
            "subject.aliased"
        ),
        (webhook("TEST", "w18", after: 43 * day), "ops.test_received"),
        (webhook("INVOICE_ISSUANCE", "w19", after: 44 * day), "ops.invoice_issued"),
        (webhook("TELEPORTED", "w20", after: 45 * day), "ops.unknown_notification"),
        (
            Array(
                """
                {"event":{"type":"TRANSFER","id":"w21","event_timestamp_ms":\(start + 46 * day),\
                "transferred_from":["ada"],"transferred_to":["bob"]}}
                """.utf8), "purchase.transferred"
        ),
    ]

    static func types(_ ledger: Ledger, after position: Int64) throws -> [String] {
        var types: [String] = []
        try ledger.export(after: position) { line in
            types.append(try JSONReader.read(line).object?["type"]?.text ?? "?")
        }
        return types
    }

    @Test("Every type is one commit with its name and its bytes, and a retry appends nothing")
    func everyType() async throws {
        let ledger = try await Fixtures.ledger("nuzzle")
        for (payload, type) in Self.everyType {
            let head = try ledger.head().position
            let receipt = try await ledger.ingestRevenueCat(payload)
            #expect(receipt.refused == [], "\(type)")
            #expect(receipt.appended > 0)
            #expect(try Self.types(ledger, after: head).first == type)
            let event = try #require(try ledger.event(at: head + 1))
            #expect(event.draft.trust == .imported)
            let sha256 = try #require(event.draft.extras["raw_sha256"]?.text)
            #expect(try ledger.rawPayload(sha256: sha256) == payload)
            let again = try await ledger.ingestRevenueCat(payload)
            #expect((again.appended, again.refused) == (0, []))
            #expect(again.duplicates > 0)
        }
        #expect(try ledger.deadLetters().isEmpty)
        #expect(try ledger.replay().agrees)
    }

    @Test("Any order and any number of the same webhooks give the same digest")
    func anyOrder() async throws {
        let payloads = Self.everyType.map(\.payload)
        var random = SplitMix64(seed: 99)
        var orders = [payloads, payloads.reversed(), payloads + payloads]
        for _ in 0..<6 { orders.append((payloads + payloads.prefix(5)).shuffled(using: &random)) }
        var digests: Set<String> = []
        for order in orders {
            let ledger = try await Fixtures.ledger("nuzzle")
            for payload in order {
                #expect(try await ledger.ingestRevenueCat(payload).refused == [])
            }
            digests.insert("\(try ledger.digest().digest)")
        }
        #expect(digests.count == 1)
    }

    @Test("A retry is known by its id, whatever its bytes and whatever it says besides")
    func retried() async throws {
        let ledger = try await Fixtures.ledger("nuzzle")
        #expect(
            try await ledger.ingestRevenueCat(Self.webhook("INITIAL_PURCHASE", "w1")).appended == 1)
        let head = try ledger.head().position
        for payload in [
            Self.webhook("INITIAL_PURCHASE", "w1", #","extra":1"#),
            Self.webhook("INITIAL_PURCHASE", "w1", #","aliases":["ada","eve"]"#),
        ] {
            let receipt = try await ledger.ingestRevenueCat(payload)
            #expect((receipt.appended, receipt.duplicates) == (0, 1))
            #expect(receipt.refused == [])
        }
        #expect(try ledger.head().position == head)
        // Two at once are one.
        async let left = ledger.ingestRevenueCat(Self.webhook("UNCANCELLATION", "w2"))
        async let right = ledger.ingestRevenueCat(Self.webhook("UNCANCELLATION", "w2"))
        let (one, other) = try await (left, right)
        #expect(one.appended + other.appended == 1)
        #expect(one.refused + other.refused == [])
    }

    @Test("A sandbox payload in production is a dead letter and is taken in by sandbox")
    func environments() async throws {
        let ledger = try await Fixtures.ledger("nuzzle")
        let payload = Self.webhook("INITIAL_PURCHASE", "w1", environment: "SANDBOX")
        let before = try ledger.digest().digest
        for environment in [Environment.production, .test, .xcode] {
            let receipt = try await ledger.ingestRevenueCat(payload, environment: environment)
            #expect(receipt.refused.map(\.refusal.reason) == [.environment])
            #expect(receipt.appended == 0)
        }
        #expect(try ledger.digest().digest == before)
        #expect(try ledger.deadLetters(environment: .production).map(\.kind) == [.revenueCat])
        #expect(try await ledger.ingestRevenueCat(payload, environment: .sandbox).appended == 1)
        #expect(try ledger.subjects(in: .sandbox) == ["ada"])
        #expect(try ledger.subjects(in: .production) == [])
        let real = Self.webhook("RENEWAL", "w2")
        let strange = try await ledger.ingestRevenueCat(real, environment: .sandbox)
        #expect(strange.refused.map(\.refusal.reason) == [.environment])
        // A transfer names no environment.
        let transfer = Self.everyType[20].payload
        #expect(try await ledger.ingestRevenueCat(transfer, environment: .sandbox).appended == 1)
        // The three dead letters were resolved when the right environment took the payload in; the fourth waits.
        #expect(try ledger.deadLetters().map(\.isWaiting) == [false, false, false, true])
        #expect(try ledger.head().position == 6 + 1 + 3)
    }

    @Test(
        "What cannot be read is a dead letter with its reason, and a retry needs no verifier"
    )
    func deadLetters() async throws {
        let ledger = try await Fixtures.ledger("nuzzle")
        let payload = Array(#"{"event":{"type":"RENEWAL","id":"w1"}}"#.utf8)
        let dry = try await ledger.ingestRevenueCat(payload, isDryRun: true)
        #expect(dry.refused.count == 1)
        #expect(try ledger.deadLetters().isEmpty)
        for _ in 0..<2 {
            let receipt = try await ledger.ingestRevenueCat(payload)
            #expect(receipt.refused.map(\.refusal.reason) == [.format])
            #expect(receipt.refused[0].refusal.detail.contains("event_timestamp_ms"))
        }
        let deadLetter = try #require(try ledger.deadLetters().first)
        #expect(try ledger.deadLetters().count == 1)
        #expect(deadLetter.kind == .revenueCat)
        #expect(try ledger.rawPayload(sha256: deadLetter.sha256) == payload)
        #expect(try await ledger.retry(deadLetter).refused.count == 1)
        #expect(try ledger.deadLetters().first?.resolvedAt == nil)
        // The retry of a signed payload needs a verifier.
        let bench = try await AppStoreBench()
        _ = try await bench.fixture.ledger.ingest(Array("x.y.z".utf8), by: bench.verifier)
        let signed = try #require(try bench.fixture.ledger.deadLetters().first)
        await #expect(throws: LedgerError.self) { try await bench.fixture.ledger.retry(signed) }
    }

    @Test("A dead letter that this build can read is resolved by trying it again")
    func resolved() async throws {
        let ledger = try await Fixtures.ledger("nuzzle")
        let payload = Self.webhook("INITIAL_PURCHASE", "w1")
        _ = try await ledger.ingestRevenueCat(payload)
        let sha256 = Digest.hexadecimal(Digest.sha256(payload))
        // As an older build left it, which could not read the payload.
        try await ledger.record([
            EventDraft(
                type: .ingestRejected, subject: nil, occurredAt: nil,
                source: EventSource(kind: "ingest", key: sha256), trust: .system,
                data: [
                    "code": "format", "kind": "revenuecat", "raw_sha256": .string(sha256),
                ])
        ])
        let deadLetter = try #require(try ledger.deadLetters().first)
        #expect(deadLetter.resolvedAt == nil)
        #expect(try await ledger.retry(deadLetter).refused == [])
        #expect(try ledger.deadLetters().first?.resolvedAt != nil)
    }

    @Test("Aliases that are known are not recorded again; a webhook of nothing else always is")
    func aliases() async throws {
        let ledger = try await Fixtures.ledger("nuzzle")
        let names = #","aliases":["ada","ada-phone"]"#
        _ = try await ledger.ingestRevenueCat(Self.webhook("INITIAL_PURCHASE", "w1", names))
        #expect(try Self.types(ledger, after: 1) == ["subscription.started", "subject.aliased"])
        #expect(
            try await ledger.ingestRevenueCat(Self.webhook("UNCANCELLATION", "w2", names)).appended
                == 1)
        let alone = try await ledger.ingestRevenueCat(Self.webhook("SUBSCRIBER_ALIAS", "w3", names))
        #expect(alone.appended == 1)
        let other = #","aliases":["ada","ada-phone","ada-pad"]"#
        #expect(
            try await ledger.ingestRevenueCat(Self.webhook("UNCANCELLATION", "w4", other)).appended
                == 2)
    }

    @Test("The catalog in the ledger says what kind a one-time purchase is")
    func catalog() async throws {
        let payload = Array(
            """
            {"event":{"type":"NON_RENEWING_PURCHASE","id":"w1","event_timestamp_ms":\(Self.start),
            "app_user_id":"ada","environment":"PRODUCTION","store":"APP_STORE",
            "product_id":"com.dozzi.unlimited_stories","transaction_id":"9",
            "purchased_at_ms":\(Self.start),"currency":"USD","price_in_purchased_currency":2.99}}
            """.utf8)
        let told = try await Fixtures.ledger("dozzi")
        _ = try await told.ingestRevenueCat(payload)
        #expect(try told.event(at: 2)?.draft.data["kind"] == "non_consumable")
        let untold = try Ledger(inMemory: "dozzi", clock: { Fixtures.now })
        _ = try await untold.ingestRevenueCat(payload)
        #expect(try untold.event(at: 1)?.draft.data["kind"] == "consumable")
    }

    @Test("A transfer moves the lineages; Apple and RevenueCat tell of the same lineage")
    func transfer() async throws {
        let ledger = try await Fixtures.ledger("nuzzle")
        func check(_ subject: String, _ days: Int64) throws -> Bool {
            try ledger.check(
                CheckQuestion("smartPredictions"), for: subject,
                moment: Moment(at: Self.start + days * Self.day)
            ).decision.allowed
        }
        _ = try await ledger.ingestRevenueCat(Self.webhook("INITIAL_PURCHASE", "w1"))
        let transfer = Array(
            """
            {"event":{"type":"TRANSFER","id":"w2","event_timestamp_ms":\(Self.start + 8 * Self.day),
            "transferred_from":["ada"],"transferred_to":["bob"]}}
            """.utf8)
        #expect(try await ledger.ingestRevenueCat(transfer).appended == 1)
        #expect(try check("ada", 5))
        #expect(try !check("ada", 9))
        #expect(try check("bob", 9))
        // What Apple states of the same lineage is Bob's.
        #expect(try ledger.event(at: 2)?.stream.name == "apple:9100")
    }
}
