import DaybookDomain
import DaybookEvents
import DaybookIngest
import DaybookStore

/// What was refused is kept as it came, and is taken in when that has become possible.
struct DeadLetters {
    let writer: LedgerWriter

    private var core: LedgerCore { writer.core }

    /// Keeps what is refused as a dead letter; the same bytes again are the same dead letter.
    func refuse(
        _ text: PostedText, _ refusal: PayloadRefusal, _ receipt: inout IngestReceipt
    ) async throws {
        let sha256 = Digest.hexadecimal(Digest.sha256(text.bytes))
        receipt.refused.append(.init(place: text.place, refusal: refusal, sha256: sha256))
        guard !text.isDryRun else { return }
        let payloadSHA256 = Digest.hexadecimal(Digest.sha256(text.payload))
        var data: JSONObject = [
            "code": .string(refusal.reason.rawValue), "kind": .string(text.kind.word),
            "raw_sha256": .string(payloadSHA256),
        ]
        if sha256 != payloadSHA256 { data["text_sha256"] = .string(sha256) }
        if !text.place.isEmpty { data["place"] = .string(text.place) }
        data["waits_for"] = refusal.waitsFor.map(JSONValue.string)
        try await note(
            .ingestRejected, key: sha256, data, for: text.subject, reason: refusal.detail,
            text.environment, StoredDocument(sha256: payloadSHA256, bytes: text.payload))
    }

    /// Keeps what is known of a dead letter; the same dead letter again is the same event.
    ///
    /// What is quoted in the reason came from outside, and so did the customer's name: either may be what no event may
    /// hold, and then the dead letter is kept without it.
    private func note(
        _ type: EventTypeName, key: String, _ data: JSONObject, for subject: String? = nil,
        reason: String? = nil, actor: String? = nil, _ environment: Environment,
        _ document: StoredDocument? = nil
    ) async throws {
        // Without a time the ledger's clock is taken, and the same dead letter is the same request whenever it comes.
        let bare = try EventValidator.canonical(
            EventDraft(
                type: type, environment: environment, subject: nil,
                occurredAt: nil, source: EventSource(kind: DeadLetter.source, key: key),
                trust: .system, data: data))
        var draft = bare
        func tell(_ change: (inout EventDraft) -> Void) {
            var told = draft
            change(&told)
            if let canonical = try? EventValidator.canonical(told) { draft = canonical }
        }
        if let reason {
            // An address of a person may stand in the text, which no check of an event looks into.
            let words = reason.split(separator: " ", omittingEmptySubsequences: false)
            let text = words.map { $0.contains("@") ? "…" : $0 }.joined(separator: " ")
            tell {
                $0.extras["reason"] = .string(
                    String(String.UnicodeScalarView(text.unicodeScalars.prefix(256))))
            }
        }
        if let actor { tell { $0.extras["actor"] = .string(actor) } }
        if let subject { tell { $0.data["for"] = .string(subject) } }
        // A dead letter is its bytes: the clock of another try may give another reason.
        let identity = EventDraft(
            type: type, environment: bare.environment, subject: nil, occurredAt: nil,
            source: bare.source, trust: .system, data: JSONObject())
        let report = PreparedEvent(
            draft, requestDigest: EventJSON.requestDigest(of: identity), core.store.header.secret,
            document: document)
        _ = try await writer.record([report], ReportOptions())
    }

    // MARK: Asking

    /// What could not be read or verified, in the order in which it came.
    func deadLetters(environment: Environment? = nil) throws -> [DeadLetter] {
        return try core.answering {
            try (environment.map { [$0] } ?? Environment.allCases)
                .flatMap { try deadLetters(of: $0) }.sorted { $0.position < $1.position }
        }
    }

    private func deadLetters(of environment: Environment) throws -> [DeadLetter] {
        let head = core.state.withLock { $0.headOfLedger(DeadLetter.source, in: environment) }
        guard head > 0 else { return [] }
        return try recorded(try core.store.stream(endingAt: head)).reversed()
            .compactMap(DeadLetter.init).map { deadLetter in
                var deadLetter = deadLetter
                deadLetter.resolvedAt = try event(
                    DeadLetter.resolutionKey(deadLetter.sha256), environment)?.recordedAt
                deadLetter.dismissal = try event(
                    DeadLetter.dismissalKey(deadLetter.sha256), environment
                ).map(DeadLetter.Dismissal.init)
                return deadLetter
            }
    }

    /// Rows of streams of the ledger's own.
    private func recorded(_ rows: [EventRow]) throws -> [RecordedEvent] {
        // Two tables and not the whole state: what a copy shares is copied by the next commit.
        let (names, streams) = core.state.withLock { ($0.names, $0.streams) }
        return try rows.map { row in
            let record = streams[row.event.stream].record
            let stream = StreamName(record.environment, record.kind, names[record.name])
            return try EventDecoder.recorded(row, stream: stream, names: names)
        }
    }

    /// The bytes of a payload that was kept, exactly as they came.
    func rawPayload(sha256: String) throws -> [UInt8]? {
        try core.translating { try core.store.document(sha256: sha256) }
    }

    // MARK: Taking in after all

    /// Tries a dead letter again, as if it came now.
    func retry(
        _ deadLetter: DeadLetter, by verifier: AppStoreVerifier? = nil,
        as kind: AppStorePayloadKind? = nil
    ) async throws -> IngestReceipt {
        guard let payload = try rawPayload(sha256: deadLetter.payloadSHA256) else {
            throw LedgerError.store(
                StoreError(
                    .damaged,
                    "the payload \(deadLetter.payloadSHA256.prefix(12)) is not in this ledger"))
        }
        let receipt: IngestReceipt
        switch (deadLetter.kind, verifier) {
        case (.revenueCat, _):
            receipt = try await RevenueCatIngest(writer: writer).ingestRevenueCat(
                payload, environment: deadLetter.environment)
        case (.revenueCatSubscriber, _):
            receipt = try await RevenueCatSubscriberIngest(
                writer: writer
            ).ingestRevenueCatSubscriber(
                payload, environment: deadLetter.environment, subject: deadLetter.subject)
        case (.appStore(let posted), let verifier?):
            receipt = try await AppStoreIngest(writer: writer).ingest(
                text(of: deadLetter, in: payload), by: verifier,
                options: IngestOptions(kind: kind ?? posted, subject: deadLetter.subject))
        case (.appStore, nil):
            throw LedgerError.bad(
                "no_verifier",
                "the dead letter \(deadLetter.sha256.prefix(12)) is of the App Store; "
                    + "say which app and authorities are believed")
        }
        if receipt.refused.isEmpty { try await resolve(deadLetter.sha256, deadLetter.environment) }
        return receipt
    }

    /// The signed payload of a page that was refused; a page in which it is not found is tried as a whole.
    private func text(of deadLetter: DeadLetter, in payload: [UInt8]) -> [UInt8] {
        guard deadLetter.sha256 != deadLetter.payloadSHA256,
            let texts = try? AppStoreEnvelope.signedPayloads(in: payload, as: .notification)
        else { return payload }
        let found = texts.first {
            Digest.hexadecimal(Digest.sha256(Array($0.text.utf8))) == deadLetter.sha256
        }
        return found.map { Array($0.text.utf8) } ?? payload
    }

    private func resolve(_ sha256: String, _ environment: Environment) async throws {
        try await note(
            DeadLetter.resolvedType, key: DeadLetter.resolutionKey(sha256),
            ["raw_sha256": .string(sha256)], environment)
    }

    /// Resolves the dead letters of bytes that are taken in now, whatever environment they were refused in.
    func settle(of bytes: [UInt8]) async throws {
        // Most ledgers have no dead letters, and need no digest of every text.
        guard core.state.withLock({ $0.names.id(of: DeadLetter.source) }) != nil else { return }
        let sha256 = Digest.hexadecimal(Digest.sha256(bytes))
        for environment in Environment.allCases
        where try has(sha256, environment)
            && !has(DeadLetter.resolutionKey(sha256), environment)
        {
            try await resolve(sha256, environment)
        }
    }

    /// Whether there is an event of a dead letter with a key.
    private func has(_ key: String, _ environment: Environment) throws -> Bool {
        try core.translating { try position(of: key, environment) != nil }
    }

    private func event(_ key: String, _ environment: Environment) throws -> RecordedEvent? {
        guard let position = try position(of: key, environment) else { return nil }
        return try recorded(core.store.rows(at: [position])).first
    }

    private func position(of key: String, _ environment: Environment) throws -> Int64? {
        guard core.state.withLock({ $0.names.id(of: DeadLetter.source) }) != nil else { return nil }
        try core.readKeys()
        return try core.state.withLock { state in
            try state.position(of: key, from: DeadLetter.source, in: environment, core.store)
        }
    }

    /// Tries what waited for a transaction of a lineage, which has come.
    func retry(
        waitingFor lineage: String, by verifier: AppStoreVerifier, _ receipt: inout IngestReceipt
    ) async throws {
        for deadLetter in try deadLetters(waitingFor: lineage, verifier.identity.environment) {
            let made = try await retry(deadLetter, by: verifier)
            guard made.refused.isEmpty else { continue }
            receipt.retried.append(deadLetter.sha256)
            receipt.appended += made.appended
            receipt.lastPosition = made.lastPosition ?? receipt.lastPosition
        }
    }

    private func deadLetters(
        waitingFor lineage: String, _ environment: Environment
    ) throws -> [DeadLetter] {
        let positions = try core.translating {
            let (head, source, codes) = core.state.withLock { state in
                (
                    state.headOfLedger(DeadLetter.source, in: environment),
                    state.names.id(of: DeadLetter.source),
                    Self.waitingCodes.compactMap { state.names.id(of: $0.rawValue) }
                )
            }
            guard head > 0, let source, !codes.isEmpty else { return [Int64]() }
            return try core.deadLettersByLineage.withLock { known in
                let seen = known.seen[environment] ?? 0
                if head > seen {
                    let chain = try core.store.chain(endingAt: head, above: seen)
                    let candidates = chain.events.filter {
                        $0.type == .ingestRejected && $0.source == source
                            && codes.contains($0.nameA)
                    }
                    var positions = known.positions[environment] ?? [:]
                    var payloads = PayloadTexts()
                    for event in try recorded(core.store.rows(at: candidates.map(\.position))) {
                        guard let deadLetter = DeadLetter(event),
                            let lineage = try awaitedLineage(of: deadLetter, &payloads)
                        else { continue }
                        positions[lineage, default: []].append(deadLetter.position)
                    }
                    known.positions[environment] = positions
                    known.seen[environment] = head
                }
                return known.positions[environment]?[lineage] ?? []
            }
        }
        guard !positions.isEmpty else { return [] }
        return try core.translating { try recorded(core.store.rows(at: positions)) }
            .compactMap(DeadLetter.init).filter { deadLetter in
                try !has(DeadLetter.resolutionKey(deadLetter.sha256), environment)
                    && !has(DeadLetter.dismissalKey(deadLetter.sha256), environment)
            }
    }

    /// Of a renewal without a known lineage: `retryable`, which older builds called `app_identity`.
    private static let waitingCodes: [PayloadRefusal.Reason] = [.retryable, .appIdentity]

    /// The lineage that a transaction must tell of; of a renewal that was refused for something else first, such as
    /// responders that did not answer, or by an older build, the one that it names itself.
    private func awaitedLineage(
        of deadLetter: DeadLetter, _ payloads: inout PayloadTexts
    ) throws -> String? {
        if let lineage = deadLetter.waitsFor { return lineage }
        guard case .appStore(.renewal) = deadLetter.kind,
            try !has(DeadLetter.resolutionKey(deadLetter.sha256), deadLetter.environment),
            try !has(DeadLetter.dismissalKey(deadLetter.sha256), deadLetter.environment)
        else { return nil }
        let text = try payloads.text(deadLetter) {
            try core.store.document(sha256: deadLetter.payloadSHA256)
        }
        return text.flatMap { AppStoreEnvelope.statedLineage(inRenewal: $0) }
    }

    /// The signed payloads of one page by their digests: the dead letters of a page come one after the other, and none
    /// of them reads the page again.
    private struct PayloadTexts {
        private var sha256 = ""
        private var texts: [String: [UInt8]] = [:]

        mutating func text(
            _ deadLetter: DeadLetter, _ read: () throws -> [UInt8]?
        ) rethrows -> [UInt8]? {
            if sha256 != deadLetter.payloadSHA256 {
                (sha256, texts) = (deadLetter.payloadSHA256, [:])
                let payload = try read() ?? []
                texts[deadLetter.payloadSHA256] = payload
                let signed = try? AppStoreEnvelope.signedPayloads(in: payload, as: .renewal)
                for text in signed ?? [] {
                    let bytes = Array(text.text.utf8)
                    texts[Digest.hexadecimal(Digest.sha256(bytes))] = bytes
                }
            }
            return texts[deadLetter.sha256]
        }
    }

    /// Dismisses a dead letter that will not be taken in; it stays, with its bytes, and can still be tried.
    func dismiss(
        _ deadLetter: DeadLetter, reason: String, actor: String? = nil
    ) async throws {
        try LedgerError.require(
            reason.contains(where: { !$0.isWhitespace }), "missing_reason",
            "a dead letter is dismissed with a reason; say why", member: "reason")
        try await note(
            DeadLetter.dismissedType, key: DeadLetter.dismissalKey(deadLetter.sha256),
            ["raw_sha256": .string(deadLetter.sha256)], reason: reason, actor: actor,
            deadLetter.environment)
    }
}
