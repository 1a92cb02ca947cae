import DaybookDomain
import DaybookEvents
import DaybookIngest
import DaybookStore

/// Writes events as lines.
package struct Export {
    let core: LedgerCore

    package init(core: LedgerCore) { self.core = core }

    /// Writes events as canonical lines, in position order; catalogs carry their document inline.
    func export(
        after position: Int64 = 0, through end: Int64 = .max, subject: String? = nil,
        environment: Environment? = nil, names: ExportNames = .daybook,
        format: TableRequest.Format = .ndjson, order: PageOrder = PageOrder(),
        _ body: ([UInt8]) throws -> Void
    ) throws {
        try core.refresh()
        let environments = environment.map { [$0] } ?? Environment.allCases
        let chosen = try subject.map {
            try CustomerHistory(core: core).positions(of: $0, in: environments)
        }
        let (table, streams, head) = core.state.withLock { ($0.names, $0.streams, $0.head) }
        let appNames = names == .app ? try core.catalogs().eventNames : []
        let derived =
            names == .app ? try derivations(subject, environments, cut: head.position) : [:]
        if format == .csv { try CallerError.giving(EventTable.header, to: body) }
        var left = order.limit ?? Int.max
        var texts = NameTexts(table)
        func write(_ rows: [EventRow]) throws -> Bool {
            for row in rows {
                if let chosen, !chosen.contains(row.event.position) { continue }
                let record = streams[row.event.stream].record
                if let environment, record.environment != environment { continue }
                guard left > 0 else { return false }
                left -= 1
                let stream = StreamName(record.environment, record.kind, table[record.name])
                let event = try EventDecoder.recorded(row, stream: stream, names: &texts)
                if format == .csv {
                    try CallerError.giving(EventTable.line(try inlined(event)), to: body)
                    continue
                }
                try CallerError.giving(try line(event, appNames), to: body)
                for derivation in derived[row.event.position] ?? [] {
                    try CallerError.giving(derivation.line(from: event), to: body)
                }
            }
            return true
        }
        let last = min(end, head.position)
        guard position < last, left > 0 else { return }
        try core.translating {
            guard order.isNewestFirst else {
                struct Enough: Error {}
                do {
                    try core.store.scanRows(
                        after: Checkpoint(position: position), through: Checkpoint(position: last),
                        chunkCount: 1_000
                    ) { rows in
                        guard try write(rows) else { throw Enough() }
                    }
                } catch is Enough {}
                return
            }
            var next = last
            while next > position {
                let first = max(position + 1, next - 999)
                guard try write(try core.store.rows(at: (first...next).reversed())) else { return }
                next = first - 1
            }
        }
    }

    /// The event as it is written down: a catalog or a report carries its document.
    package func inlined(_ event: RecordedEvent) throws -> RecordedEvent {
        guard event.draft.type.hasDocument,
            let digest = event.draft.data["document_sha256"]?.text,
            let bytes = try core.store.document(sha256: digest)
        else { return event }
        var event = event
        event.draft.data["document"] = .string(String(decoding: bytes, as: UTF8.self))
        return event
    }

    private func line(_ event: RecordedEvent, _ names: [EventName]) throws -> [UInt8] {
        let event = try inlined(event)
        var object = EventJSON.object(of: event)
        if let name = names.name(of: event.draft.type, event.draft.data) {
            object["type"] = .string(name)
        }
        return object.canonicalBytes + [0x0A]
    }

    // MARK: Derived lines

    /// What follows from the facts as known at a cut, by the position of the event that told each first.
    private func derivations(
        _ subject: String?, _ environments: [Environment], cut: Int64
    ) throws -> [Int64: [Derivation]] {
        var names: [SubscriptionMilestone.Kind: String] = [:]
        for name in try core.catalogs().eventNames {
            if let milestone = name.milestone, names[milestone] == nil {
                names[milestone] = name.name
            }
        }
        guard !names.isEmpty else { return [:] }
        var found: [Int64: [Derivation]] = [:]
        for environment in environments {
            var seen: Set<ExactText> = []
            let all = { core.state.withLock { $0.subjectsAndReceivers(in: environment) } }
            for subject in subject.map({ [$0] }) ?? all() {
                let (context, _) = try core.customerCase(
                    subject, environment, Moment(knownAt: .position(cut)))
                // Several IDs of one person are one customer.
                guard !context.lineages.isEmpty, seen.insert(ExactText(context.subject)).inserted
                else { continue }
                let events = try core.translating {
                    try context.lineages.map {
                        try lineageEvents($0.name, environment, cut: cut)
                    }
                }
                for milestone in SubscriptionMilestones(context, events: events).all() {
                    guard let name = names[milestone.kind] else { continue }
                    found[milestone.position, default: []].append(
                        Derivation(
                            name: name, subject: context.subject, milestone: milestone,
                            currency: context.names[milestone.statement.nameC]))
                }
            }
        }
        return found
    }

    /// A lineage's events as they count: within the cut, corrected, in canonical order.
    private func lineageEvents(
        _ name: String, _ environment: Environment, cut: Int64
    ) throws -> [Event] {
        let state = core.state.withLock { $0 }
        guard let stream = state.stream(named: name, .lineage, in: environment) else { return [] }
        return try AggregateFold(state, cut: cut).events(
            environment: environment, heads: [state.headOf(stream).position])
    }
}

extension CallerError {
    /// What the caller's own code throws is the caller's, and no failure of the store.
    static func giving<Given>(_ given: Given, to body: (Given) throws -> Void) throws {
        do { try body(given) } catch { throw CallerError(error: error) }
    }
}

/// One line that is derived from a fact.
private struct Derivation {
    let name: String
    let subject: String
    let milestone: SubscriptionMilestone
    let currency: String

    /// - Parameter event: The one that told it first.
    func line(from event: RecordedEvent) -> [UInt8] {
        let store = milestone.lineage.prefix { $0 != ":" }
        let original = String(milestone.lineage.dropFirst(store.count + 1))
        var data: JSONObject = [
            "product": .string(milestone.product), "group": .string(milestone.group),
            "original_transaction_id": .string(original),
        ]
        if store != "apple" { data["store"] = .string(String(store)) }
        var suffix = String(milestone.at)
        if milestone.kind != .canceled, let transaction = event.draft.data["transaction_id"]?.text {
            data["transaction_id"] = .string(transaction)
            suffix = transaction
            if let price = milestone.statement.money.orNil {
                data["price_milli"] = .integer(milestone.statement.offerDiscount == 1 ? 0 : price)
                if !currency.isEmpty { data["currency"] = .string(currency) }
            }
        }
        let object: JSONObject = [
            "type": .string(name), "v": 1, "subject": .string(subject),
            "environment": .string(event.draft.environment.name),
            "occurred_at": .integer(milestone.at), "recorded_at": .integer(event.recordedAt),
            "trust": .string(Trust.system.name),
            "source": [
                "kind": "derived", "key": .string("\(name)/\(milestone.lineage)/\(suffix)"),
            ],
            "data": .object(data),
            "derived_from": [
                "position": .integer(event.position), "type": .string(event.draft.type.rawValue),
                "source": .string(event.draft.source.kind),
                "key": .string(event.draft.source.key ?? ""),
            ],
        ]
        return object.canonicalBytes + [0x0A]
    }
}
