public import Daybook
public import DaybookEvents

/// Something that an operator should know.
public struct DoctorFinding: Sendable, Equatable {
    /// How much it matters.
    public enum Severity: String, Sendable { case fine, warning, problem }
    /// What it is about: `store`, `clock`, `catalog`, `ownership`, `purchase`, `subject` and so on.
    public var area: String
    /// How much it matters.
    public var severity: Severity
    /// What was found, in one sentence.
    public var message: String
    /// What to do; `nil`: nothing needs to be done, or it depends on the case.
    public var remedy: String?
    /// A stable word for what should be done, where there is something to do: `no_catalog`, `needs_assignment`, …
    public var code: String?

    /// Creates a finding; nothing is checked.
    public init(
        area: String, severity: Severity, message: String, remedy: String? = nil,
        code: String? = nil
    ) {
        self.area = area
        self.severity = severity
        self.message = message
        self.remedy = remedy
        self.code = code
    }
}

extension Ledger {
    /// Looks at the machine, the catalog, at dead letters and purchases of every environment, and, where given, one
    /// customer's refused purchases.
    /// - Parameters:
    ///   - subject: The customer whose refused purchases are looked at; `nil`: those of none.
    ///   - environment: That customer's; what is not about a customer is looked at in all environments.
    public func doctor(
        subject: String? = nil, environment: Environment = .production
    ) throws -> [DoctorFinding] {
        try refresh()
        var findings = try environmentFindings()
        findings += try catalogFindings()
        findings += try unknownNames()
        for environment in Environment.allCases {
            findings += try waitingDeadLetters(environment)
            findings += try ownership(environment)
        }
        if let subject { findings += try subjectFindings(subject, environment) }
        return findings
    }

    private func environmentFindings() throws -> [DoctorFinding] {
        let head = try head()
        var findings = core.store.properties.map {
            DoctorFinding(area: "store", severity: .fine, message: "\($0.name): \($0.value)")
        }
        findings.append(
            DoctorFinding(
                area: "ledger", severity: .fine,
                message: "\(app), \(head.position) events, "
                    + (core.store.durability == "none"
                        ? "opened for reading" : "durability \(core.store.durability)")))
        findings.append(
            DoctorFinding(
                area: "memory", severity: .fine,
                message:
                    "folded states of up to \(core.cache.byteCountMax >> 20) MB stay at hand; a server takes --memory"
            ))
        let time = LedgerClock(wall: core.clock(), last: head.recordedAt)
        if let problem = LedgerClock.problem(time.wall, isMachine: core.isMachineClock) {
            findings.append(
                DoctorFinding(
                    area: "clock", severity: .problem, message: problem.message,
                    remedy: "set the clock"))
        }
        if time.lead > 0 {
            findings.append(
                DoctorFinding(
                    area: "clock", severity: .warning,
                    message:
                        "the last event was recorded \(time.lead / 1_000) s ahead of this machine's clock",
                    remedy:
                        "check the clock; questions and decisions go by it, new events are recorded at that time until it is reached"
                ))
        }
        return findings
    }

    /// What was refused and never taken in since.
    private func waitingDeadLetters(_ environment: Environment) throws -> [DoctorFinding] {
        let waiting = try deadLetters(environment: environment).filter(\.isWaiting)
        guard !waiting.isEmpty else { return [] }
        let classes = Set(waiting.map(\.code)).sorted().joined(separator: ", ")
        return [
            DoctorFinding(
                area: "ingest", severity: .warning,
                message: (waiting.count == 1
                    ? "1 dead letter waits" : "\(waiting.count) dead letters wait")
                    + " in \(environment.name) (\(classes))",
                remedy: "look at them, and try them again once the cause is gone",
                code: "dead_letters")
        ]
    }

    /// Purchases without an owner, and purchases that a customer claims who does not own them.
    private func ownership(_ environment: Environment) throws -> [DoctorFinding] {
        let state = core.state.withLock { $0 }
        let at = LedgerClock(wall: core.clock(), last: state.head.recordedAt).now
        let builder = CaseBuilder(state: state, cut: Int64.max, at: at)
        var unowned: [String] = []
        var disputed: [String] = []
        try core.translating {
            for id in 1..<UInt32(state.streams.count + 1) {
                let stream = state.stream(id)
                guard stream.environment == environment, stream.kind == .lineage,
                    state.headOf(id).version > 0
                else { continue }
                let belonging = try builder.belonging(of: id)
                if belonging.owner == 0 { unowned.append(state.names[stream.name]) }
                if belonging.isDisputed { disputed.append(state.names[stream.name]) }
            }
        }
        func finding(
            _ lineages: [String], _ code: String, _ what: String, _ remedy: String
        ) -> DoctorFinding? {
            guard !lineages.isEmpty else { return nil }
            let named = lineages.sorted(by: precedesInBytes).prefix(Self.namedMax)
            let rest = lineages.count > named.count ? ", …" : ""
            return DoctorFinding(
                area: "ownership", severity: .warning,
                message: (lineages.count == 1
                    ? "1 purchase in \(environment.name) is \(what): "
                    : "\(lineages.count) purchases in \(environment.name) are \(what): ")
                    + named.joined(separator: ", ") + rest,
                remedy: remedy, code: code)
        }
        return [
            finding(
                unowned, "nobodys", "without an owner",
                "they name no customer; have a device hand them over (restore-purchases), or post them with --subject"
            ),
            finding(
                disputed, "owned_by_other", "claimed by a customer who does not own it",
                "history of the claimant tells; transfer moves a purchase"),
        ].compactMap(\.self)
    }

    /// So many purchases are named in a finding.
    private static let namedMax = 3

    private func catalogFindings() throws -> [DoctorFinding] {
        guard let newest = try catalogs().newest else {
            return [
                DoctorFinding(
                    area: "catalog", severity: .problem, message: "no catalog is published",
                    remedy: "publish one", code: "no_catalog")
            ]
        }
        guard
            let bytes = try core.translating({
                try core.store.document(sha256: newest.documentDigest)
            })
        else {
            return []
        }
        func told(
            _ problems: [CatalogProblem], _ severity: DoctorFinding.Severity
        ) -> [DoctorFinding] {
            problems.map {
                DoctorFinding(
                    area: "catalog", severity: severity,
                    message: "line \($0.line), column \($0.column): \($0.sentence)",
                    remedy: $0.remedy)
            }
        }
        do throws(CatalogProblems) {
            let read = try CatalogReader.readWithWarnings(
                bytes, knownEventTypes: Vocabulary.names, knownMetrics: Metric.targetNames,
                zones: core.zoneTables.directory)
            return told(read.warnings, .warning)
        } catch {
            return told(error.problems, .problem)
        }
    }

    /// Products and meters that events name and no catalog knows (rule 33).
    private func unknownNames() throws -> [DoctorFinding] {
        let (names, catalogs, head) = core.state.withLock { ($0.names, $0.catalogs, $0.head) }
        guard let catalog = catalogs.newest?.catalog else { return [] }
        var products: [NameID: Int64] = [:]
        var meters: [NameID: Int64] = [:]
        var unknownTypes: [NameID: Int64] = [:]
        try core.translating {
            try core.store.scan(after: .start, through: head.checkpoint, chunkCount: 1_000) {
                events in
                for index in events.indices {
                    let event = events[index]
                    switch event.type {
                    case .purchaseCompleted, .subscriptionStarted, .subscriptionRenewed,
                        .storeTransactionStated:
                        products[event.product, default: 0] += 1
                    case .usageRecorded, .usageReserved: meters[event.meter, default: 0] += 1
                    case .unknown: unknownTypes[event.nameA, default: 0] += 1
                    default: break
                    }
                }
            }
        }
        func found(_ counts: [NameID: Int64], _ what: String, _ isKnown: (String) -> Bool)
            -> [DoctorFinding]
        {
            counts.map { (names[$0.key], $0.value) }.filter { !isKnown($0.0) }
                .sorted { precedesInBytes($0.0, $1.0) }.map { name, count in
                    DoctorFinding(
                        area: "unknown_\(what)", severity: .warning,
                        message: (count == 1 ? "1 event names" : "\(count) events name")
                            + " the \(what) \"\(name)\", which no catalog has; nothing of it counts until one does",
                        remedy: "add it to the catalog and publish, or void the events")
                }
        }
        return found(products, "product") { catalog.product($0) != nil }
            + found(meters, "meter") { catalog.meter(named: $0) != nil }
            + unknownTypes.map { (names[$0.key], $0.value) }
            // Types of operation are kept for the record, ours among them; no fold is meant to know them
            // (docs/rules.md#vocabulary).
            .filter { !EventTypeName(rawValue: $0.0).isOf(.ops) }
            .sorted { precedesInBytes($0.0, $1.0) }.compactMap { name, count in
                let eventName = catalogs.eventName(name)
                // What an export derived from store facts is kept for the record.
                if eventName?.milestone != nil { return nil }
                return Self.unknownType(name, count, isNamed: eventName != nil)
            }
    }

    /// What was recorded under a type that was unknown then stays so in this ledger (decision 0011).
    /// - Parameter isNamed: Whether a catalog has it as an app's own name.
    private static func unknownType(
        _ name: String, _ count: Int64, isNamed: Bool
    ) -> DoctorFinding {
        let isKnownNow = Vocabulary.isKnown(name)
        let remedy =
            if isNamed {
                "the catalog has the name by now, for what is recorded from then on; say again under new keys what should count"
            } else if isKnownNow {
                "export, and import --as-recorded into a new ledger: there they count"
            } else {
                "a newer daybook may know it; an app's own name belongs into eventNames of its catalog; correct the name if it was a mistake"
            }
        return DoctorFinding(
            area: "unknown_event_type", severity: .warning,
            message: (count == 1 ? "1 event is" : "\(count) events are")
                + " of the type \"\(name)\", "
                + (isKnownNow
                    ? "in a version that was unknown when recorded; nothing of it counts here"
                    : "which is unknown; kept, and nothing of it counts"),
            remedy: remedy)
    }

    /// Which purchases give nothing, and why (FR-30).
    private func subjectFindings(
        _ subject: String, _ environment: Environment
    ) throws -> [DoctorFinding] {
        let (question, _) = try core.customerCase(subject, environment, .now)
        // A customer who only claimed another one's purchase is told so.
        guard question.isKnown || !question.lineagesOfOthers.isEmpty else {
            return [
                DoctorFinding(
                    area: "subject", severity: .warning,
                    message: "\(subject) is unknown in \(environment.name)",
                    remedy: "check the id and the environment", code: "unknown_subject")
            ]
        }
        let answer = EntitlementsAnswer(question)
        var findings = answer.sources.filter { !$0.isActive }.map { source in
            DoctorFinding(
                area: "purchase", severity: .warning,
                message:
                    "\(source.id) (\(source.product ?? source.kind.rawValue)) gives nothing: \(source.why?.rawValue ?? source.state.rawValue)",
                remedy: Self.remedy(for: source.why), code: source.why?.rawValue)
        }
        findings += question.lineagesOfOthers.map {
            DoctorFinding(
                area: "purchase", severity: .warning,
                message: "\($0) names this customer but belongs to another one: owned_by_other",
                remedy: "a transfer moves it")
        }
        findings += answer.warnings.filter { $0 != "owned_by_other" }.map {
            DoctorFinding(area: "subject", severity: .warning, message: $0)
        }
        return findings
    }

    private static func remedy(for why: Source.Why?) -> String? {
        switch why {
        case .needsAssignment: "assign it to a profile"
        case .family(.notShareable): "the catalog does not share this product with families"
        case .family(.servesNoProfile):
            "the catalog's policy familyServesOneProfile lets a shared purchase serve a profile"
        case .unknownProduct: "add the product to the catalog"
        case .unverified: "post the signed transaction; a client's word counts only for a while"
        default: nil
        }
    }
}
