public import Daybook

/// One thing that was checked, and what was found.
public struct VerifyFinding: Sendable, Equatable {
    /// The name of the check.
    public var check: String
    /// Whether the check found nothing wrong.
    public var isClean: Bool
    /// What was counted, or what is wrong.
    public var detail: String
}

extension Ledger {
    /// Checks a ledger file, also one that is too damaged to be opened as a ledger.
    /// - Parameters:
    ///   - path: The ledger's file; it is opened for reading alone.
    ///   - progress: The name of each check as it begins.
    /// - Throws: `LedgerError.store` when the file is no ledger, cannot be read, or does not even name its app.
    public static func verify(
        at path: String, progress: (String) -> Void = { _ in }
    ) throws -> [VerifyFinding] {
        let ledger: Ledger
        do {
            let store = try SQLiteEventStore(path: path, readOnly: true)
            do {
                ledger = try Ledger(store: store, path: store.path, readOnly: true)
            } catch let LedgerError.store(damage) where damage.code == .damaged {
                progress("file")
                let findings = [
                    try verifyFile(store),
                    VerifyFinding(check: foldingCheck, isClean: false, detail: damage.message),
                ]
                progress("rows")
                let others = try verifyIndependently(store.path)
                try store.close()
                return findings + others
            }
        } catch {
            throw (error as? LedgerError) ?? .store(StoreError.wrapping(error))
        }
        // The first failure is the one to tell, and nothing is lost by not closing what only read.
        defer { try? ledger.close() }
        return try ledger.verify(progress: progress)
    }

    private static let foldingCheck = "events: all of them can be folded"

    /// Checks everything that can be checked without changing anything; one damage does not hide the next.
    /// - Parameter progress: The name of each check as it begins.
    public func verify(progress: (String) -> Void = { _ in }) throws -> [VerifyFinding] {
        try core.translating {
            var findings = try attempt(Self.foldingCheck) {
                try refresh()
                return []
            }
            findings += try attempt(Self.foldingCheck) {
                try core.readKeys()
                return []
            }
            progress("file")
            findings.append(try Self.verifyFile(core.store))
            if let file = core.store as? SQLiteEventStore {
                progress("rows")
                findings += try Self.verifyIndependently(file.path)
            }
            progress("events")
            findings += try attempt("events: all of them can be read", verifyRows)
            findings += try attempt(Self.leadCheck, verifyLead)
            progress("corrections")
            findings += try attempt("corrections: every target is there") {
                [try verifyCorrections(), try verifyAmendments()]
            }
            progress("catalogs")
            findings += try attempt("catalogs: documents have their digests") {
                [try verifyCatalogs()]
            }
            findings += try attempt(Self.reportCheck) { try verifyReports() }
            if let snapshot = core.snapshots.digested(
                through: core.state.withLock { $0.head.position })
            {
                progress("snapshot")
                findings += try attempt(Self.snapshotCheck) {
                    [try verifySnapshot(snapshot.cut, snapshot.digest, snapshot.sums)]
                }
            }
            progress("replay")
            findings += try attempt(Self.replayCheck) { [try verifyReplay()] }
            return findings
        }
    }

    /// Damage is what `verify` is there to report; any other error means that it could not look.
    private func attempt(
        _ check: String, _ body: () throws -> [VerifyFinding]
    ) throws -> [VerifyFinding] {
        do {
            return try core.translating(body)
        } catch let LedgerError.store(damage) where damage.code == .damaged {
            return [VerifyFinding(check: check, isClean: false, detail: damage.message)]
        }
    }

    private static func verifyFile(_ store: any EventStore) throws -> VerifyFinding {
        finding("file: order, gaps, versions, triggers", try store.findings())
    }

    /// What is rebuilt from rows alone, by code of its own.
    private static func verifyIndependently(_ path: String) throws -> [VerifyFinding] {
        try IndependentReader(
            path: path, derived: DerivedFolder.path(of: path),
            vocabulary: SnapshotFormat.fingerprint
        ).run().map {
            VerifyFinding(check: $0.check, isClean: $0.isClean, detail: $0.detail)
        }
    }

    private static let snapshotCheck = "snapshot: its digest is that of its events"

    /// Folds from rows alone what the snapshot was given when it was written.
    private func verifySnapshot(
        _ cut: Int64, _ digest: [UInt8], _ sums: [UInt8]
    ) throws -> VerifyFinding {
        let folded = try BucketSums.folding(try core.stateFromRows(through: cut))
        let isClean =
            folded.aggregates.digest.bytes == digest && folded.sums.flatMap(\.bytes) == sums
        return VerifyFinding(
            check: Self.snapshotCheck, isClean: isClean,
            detail: isClean
                ? "\(cut) events"
                : "the snapshot of position \(cut) says another than \(folded.aggregates.digest); delete it"
        )
    }

    private static let replayCheck = "replay: folding from zero gives the live state"

    /// Both sources, and every aggregate along the chains of the other one.
    private func verifyReplay() throws -> VerifyFinding {
        let workers = AggregatePass.workersDefault
        try refresh()
        // Both of the same events: others may write meanwhile.
        let frozen = core.state.withLock { $0 }
        let report = try Replaying(core: core).replay(
            of: frozen, workers: workers, source: .rows, isComparingAll: true)
        var differences = report.differences
        var isClean = report.agrees
        if core.events.segments?.segments.isEmpty == false {
            let other = try Replaying(core: core).replay(
                of: frozen, workers: workers, source: .segments, isComparingAll: true)
            differences += other.differences.filter { !differences.contains($0) }
            if other.digest != report.digest { differences.append("segments from rows") }
            isClean = isClean && other.agrees
        }
        isClean = isClean && differences.isEmpty
        return VerifyFinding(
            check: Self.replayCheck, isClean: isClean,
            detail: isClean
                ? "\(report.events) events, \(report.aggregates) aggregates, digest \(report.digest)"
                : "differs: " + differences.joined(separator: ", ")
                    + (report.differencesOmitted > 0
                        ? ", and \(report.differencesOmitted) more" : ""))
    }

    /// JSON parts are readable; of a ledger in memory also: keys stand once, recorded times never go back.
    private func verifyRows() throws -> [VerifyFinding] {
        let head = core.state.withLock { $0.head }
        // As the file has them now: the store vouches that every row's stream is among them.
        let streams = try core.store.streams(after: 0)
        let isAlone = path == nil
        var keys: Set<EventKey> = []
        var doubled: [Int64] = []
        var unreadable: [Int64] = []
        var last = Int64.min
        var backwards: [Int64] = []
        try core.store.scanRows(after: .start, through: head.checkpoint, chunkCount: 1_000) {
            rows in
            for row in rows {
                if EventDecoder.damage(of: row) != nil { unreadable.append(row.event.position) }
                guard isAlone else { continue }
                let environment = streams[Int(row.event.stream) - 1].environment
                let key = EventKey(environment, row.event.source, row.event.key)
                if !keys.insert(key).inserted { doubled.append(row.event.position) }
                if row.recordedAt < last { backwards.append(row.event.position) }
                last = row.recordedAt
            }
        }
        let readable = finding("rows: every JSON part can be read", unreadable)
        guard isAlone else { return [readable] }
        return [
            finding("keys: each names one event", doubled), readable,
            finding("clock: recorded times never go back", backwards),
        ]
    }

    private static let leadCheck = "clock: nothing is recorded ahead of it"

    /// Told only where there is something to tell: what was recorded ahead of the clock, which new events keep to.
    private func verifyLead() throws -> [VerifyFinding] {
        let time = LedgerClock(wall: core.clock(), last: core.state.withLock { $0.head.recordedAt })
        guard time.lead > 0 else { return [] }
        let first = try core.store.position(recordedAtOrBefore: time.wall + LedgerClock.stepMax) + 1
        return [
            VerifyFinding(
                check: Self.leadCheck, isClean: false,
                detail:
                    "from position \(first) on; the last event is \(time.lead / 1_000) s ahead, and what is asked about by a recorded time in between is known without what followed"
            )
        ]
    }

    /// - Parameter words: What is told of the problems, where there are any.
    private static func finding(
        _ check: String, _ problems: [String],
        _ words: ([String]) -> String = { $0.joined(separator: "; ") }
    ) -> VerifyFinding {
        VerifyFinding(
            check: check, isClean: problems.isEmpty,
            detail: problems.isEmpty ? "clean" : words(problems))
    }

    private func finding(_ check: String, _ positions: [Int64]) -> VerifyFinding {
        Self.finding(check, positions.map(String.init)) { "at positions " + Self.list($0, ", ") }
    }

    /// At most twenty, and how many more there are.
    private static func list(_ texts: [String], _ separator: String) -> String {
        let more = texts.count - 20
        return texts.prefix(20).joined(separator: separator)
            + (more > 0 ? "\(separator)and \(more) more" : "")
    }

    /// A correction whose target never came waits, and is told about (rule 20).
    private func verifyCorrections() throws -> VerifyFinding {
        let waiting = try core.state.withLock { state in
            try state.corrections.targets.filter {
                try state.position(of: $0, in: core.store) == nil
            }.map {
                "\(state.names[$0.source])/\($0.key.exactText ?? "…")"
            }.sorted(by: precedesInBytes)
        }
        return Self.finding("corrections: every target is there", waiting) {
            "waiting for " + $0.joined(separator: ", ")
        }
    }

    /// An amendment that came before its target was not checked then; one that cannot be applied changes nothing.
    private func verifyAmendments() throws -> VerifyFinding {
        let (corrections, names) = core.state.withLock { ($0.corrections, $0.names) }
        let amendments = Amendments(store: core.store, names: names)
        var idle: [(position: Int64, text: String)] = []
        for target in corrections.targets {
            let positions = corrections.amendments(of: target, cut: Int64.max)
            guard !positions.isEmpty,
                let found = try core.state.withLock({ try $0.position(of: target, in: core.store) }
                ),
                let row = try core.store.rows(at: [found]).first
            else { continue }
            let stream = core.state.withLock { $0.streamName(row.event.stream) }
            for ignored in try amendments.apply(positions, to: row, in: stream).ignored {
                idle.append((ignored.position, "@\(ignored.position) (\(ignored.problem))"))
            }
        }
        idle.sort { $0.position < $1.position }
        return Self.finding("corrections: every amendment can be applied", idle.map(\.text)) {
            "without effect: " + Self.list($0, "; ")
        }
    }

    private static let reportCheck = "reports: documents have their digests"

    /// - Returns: Nothing where no report was frozen.
    private func verifyReports() throws -> [VerifyFinding] {
        let reports = try Environment.allCases.flatMap { try frozenReports(in: $0) }
        if reports.isEmpty { return [] }
        return [
            Self.finding(
                Self.reportCheck, try reports.compactMap { try problem(of: $0.name, $0.digest) })
        ]
    }

    private func verifyCatalogs() throws -> VerifyFinding {
        let versions = core.state.withLock { $0.catalogs.versions }
        return Self.finding(
            "catalogs: documents have their digests",
            try versions.compactMap { try problem(of: "version \($0.version)", $0.documentDigest) })
    }

    /// - Parameter owner: The report or the version that has the document.
    private func problem(of owner: String, _ digest: String) throws -> String? {
        guard let bytes = try core.store.document(sha256: digest) else {
            return "\(owner) has no document"
        }
        let isSame = Digest.hexadecimal(Digest.sha256(bytes)) == digest
        return isSame ? nil : "the document of \(owner) was changed"
    }
}
