import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import Foundation
import Testing

@Suite("Bundles of every recorded stream")
struct BundleLawTests {
    /// 2026-12-31T00:00:00Z: after every stream.
    private static let last: Int64 = 1_798_675_200_000

    /// A ledger that holds a stream as it was recorded.
    private static func ledger(_ pair: StreamGolden.Pair) async throws -> Ledger {
        try await StreamGolden.ledger(pair.app, holding: try StreamGolden.drafts(of: pair))
    }

    /// All customers who are asked about, with everything that the catalog names.
    private static func requests(
        _ ledger: Ledger, isRedacted: Bool
    ) throws -> [CaptureRequest] {
        let names = try ledger.catalogs().newest?.catalog.features.map(\.name) ?? []
        return try Environment.allCases.flatMap { environment in
            try ledger.subjects(in: environment).map {
                CaptureRequest(
                    [$0], environment: environment, moment: Moment(at: last),
                    questions: names.map { .init($0) }, isRedacted: isRedacted, version: "test")
            }
        }
    }

    /// Every text of the events that could identify a customer, found without the redaction: all but what the schemas
    /// close, and what stands in the catalog.
    private static func secrets(_ drafts: [EventDraft], _ catalog: String) -> Set<String> {
        var found: Set<String> = []
        func add(_ value: JSONValue) {
            switch value {
            case .string(let text): found.insert(text)
            case .array(let values): values.forEach(add)
            case .object(let object): object.members.forEach { add($0.value) }
            default: break
            }
        }
        for draft in drafts where draft.type != .catalogPublished {
            add(.object(draft.data))
            add(.object(draft.extras))
            found.formUnion([draft.subject, draft.profile, draft.source.key].compactMap(\.self))
        }
        let harmless: Set<String> = [
            "USD", "EUR", "initial", "resubscribe", "voluntary", "billing_retry_ended",
            "price_increase_declined", "product_unavailable", "other", "family", "promo",
            "compensation", "goodwill", "support", "hard", "soft", "limit_reached", "apple",
            "apple_asn_v2", "apple_jws", "native", "ledger", "not_entitled",
            // What answers say of themselves: reasons, names of periods, "remaining".
            "intro_expired", "featureRestricted", "2026-05", "main",
        ]
        let words = Set(
            Vocabulary.schemas.flatMap(\.fields).flatMap { field -> [String] in
                guard case .word(let words) = field.kind else { return [] }
                return words.flatMap { [$0.name] + $0.spellings }
            })
        let zones = ZoneTables()
        return found.filter {
            $0.utf8.count >= 3 && !harmless.contains($0) && !words.contains($0)
                && !catalog.contains($0) && zones.table(named: $0) == nil
        }
    }

    @Test(
        "Redacted, it has none of the ids and texts, and the same answers at every boundary of both clocks",
        arguments: try StreamGolden.pairs())
    func redacted(_ pair: StreamGolden.Pair) async throws {
        let ledger = try await Self.ledger(pair)
        let stream = try StreamGolden.drafts(of: pair)
        let catalog = String(
            decoding: try Fixtures.catalogDocument(pair.app), as: UTF8.self)
        let secrets = Self.secrets(stream, catalog)
        #expect(!secrets.isEmpty, "\(pair) has nothing to hide")
        for request in try Self.requests(ledger, isRedacted: true) {
            let (bundle, found) = try await ledger.captured(request)
            let names = try #require(found)
            let bytes = Foundation.Data(bundle.bytes)
            for secret in secrets {
                #expect(
                    bytes.firstRange(of: Foundation.Data(secret.utf8)) == nil,
                    "\(pair), \(request.subjects): \(secret)")
            }
            let read = try ReproBundle(reading: bundle.bytes)
            #expect(read == bundle)
            let replay = try await read.ledger()
            try Self.compare(request, ledger, bundle, replay, names)
        }
    }

    /// The answers of both ledgers at every time that the bundle's events have, and after each of them.
    private static func compare(
        _ request: CaptureRequest, _ ledger: Ledger, _ bundle: ReproBundle, _ replay: Ledger,
        _ names: RedactedNames
    ) throws {
        var moments = Set(bundle.drafts.compactMap(\.occurredAt)).sorted().map {
            Moment(at: $0)
        }
        moments += Set(bundle.drafts.compactMap(\.recordedAt)).sorted().map {
            Moment(at: last, knownAt: .instant($0))
        }
        let (subject, other) = (request.subjects[0], bundle.subjects[0])
        for moment in moments {
            var before = try ledger.status(
                of: subject, environment: request.environment, moment: moment)
            let after = try replay.status(
                of: other, environment: request.environment, moment: moment)
            // Positions are another ledger's.
            before.asOf = after.asOf
            let told = before.status.json(before.asOf)
            #expect(told == names.restored(after.status.json(after.asOf)), "\(subject) \(moment)")
            for question in request.questions {
                let asked = CheckQuestion(question.name)
                let first = try ledger.check(
                    asked, for: subject, environment: request.environment, moment: moment)
                let second = try replay.check(
                    asked, for: other, environment: request.environment, moment: moment)
                #expect(
                    first.decision.json == names.restored(second.decision.json),
                    "\(subject) \(question.name) \(moment)")
            }
        }
    }

    @Test(
        "As it is, it is taken in as it was, and says the same", arguments: try StreamGolden.pairs()
    )
    func plain(_ pair: StreamGolden.Pair) async throws {
        let ledger = try await Self.ledger(pair)
        let stream = try StreamGolden.drafts(of: pair)
        for request in try Self.requests(ledger, isRedacted: false) {
            let bundle = try await ledger.capture(request)
            let own = bundle.drafts.filter { $0.type != .catalogPublished }
            #expect(own.allSatisfy(stream.contains), "\(pair) \(request.subjects)")
            let read = try ReproBundle(reading: bundle.bytes)
            #expect(read == bundle)
            #expect(try read.answers(of: try await read.ledger()) == bundle.answers)
            let replay = try await read.ledger()
            for (index, draft) in bundle.drafts.enumerated() {
                let event = try #require(try replay.event(at: Int64(index + 1)))
                #expect(event.draft.trust == draft.trust)
                #expect(event.recordedAt == draft.recordedAt)
            }
        }
    }
}
