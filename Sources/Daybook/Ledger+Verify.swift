import DaybookDomain
import DaybookEvents
import DaybookStore

/// One thing that was checked, and what was found.
public struct VerifyFinding: Sendable, Equatable {
    public var check: String
    public var isClean: Bool
    public var detail: String
}

extension Ledger {
    /// Checks everything that can be checked without changing anything.
    /// - Parameter progress: The name of each check as it begins.
    public func verify(progress: (String) -> Void = { _ in }) throws -> [VerifyFinding] {
        try refresh()
        return try translating {
            var findings: [VerifyFinding] = []
            progress("file")
            let problems = try store.findings()
            findings.append(
                VerifyFinding(
                    check: "file: order, gaps, versions, triggers", isClean: problems.isEmpty,
                    detail: problems.isEmpty ? "clean" : problems.joined(separator: "; ")))
            progress("events")
            findings += try verifyRows()
            progress("corrections")
            findings.append(try verifyCorrections())
            progress("catalogs")
            findings.append(try verifyCatalogs())
            progress("replay")
            let report = try replay()
            findings.append(
                VerifyFinding(
                    check: "replay: folding from zero gives the live state",
                    isClean: report.agrees && report.differences.isEmpty,
                    detail: report.agrees && report.differences.isEmpty
                        ? "\(report.events) events, \(report.units) units, digest \(report.digest)"
                        : "differs: " + report.differences.joined(separator: ", ")))
            return findings
        }
    }

    /// Keys stand once, JSON parts are readable, recorded times never go back.
    private func verifyRows() throws -> [VerifyFinding] {
        let (streams, head) = state.withLock { ($0.streams, $0.head) }
        var keys: Set<EventKey> = []
        var doubled: [Int64] = []
        var unreadable: [Int64] = []
        var last = Int64.min
        var backwards: [Int64] = []
        try store.scanRows(after: .start, through: head.checkpoint, chunkCount: 1_000) { rows in
            for row in rows {
                let environment = streams[Int(row.event.stream) - 1].environment
                let key = EventKey(environment, row.event.source, row.event.key)
                if !keys.insert(key).inserted { doubled.append(row.event.position) }
                if let rest = row.rest, (try? JSONReader.read(Array(rest.utf8))) == nil {
                    // Only whether it can be read is asked here.
                    unreadable.append(row.event.position)
                }
                if row.recordedAt < last { backwards.append(row.event.position) }
                last = row.recordedAt
            }
        }
        return [
            finding("keys: each names one event", doubled),
            finding("rows: every JSON part can be read", unreadable),
            finding("clock: recorded times never go back", backwards),
        ]
    }

    private func finding(_ check: String, _ positions: [Int64]) -> VerifyFinding {
        VerifyFinding(
            check: check, isClean: positions.isEmpty,
            detail: positions.isEmpty
                ? "clean"
                : "at positions " + positions.prefix(20).map(String.init).joined(separator: ", "))
    }

    /// A correction whose target never came waits, and is told about (rule 20).
    private func verifyCorrections() throws -> VerifyFinding {
        let waiting = try state.withLock { state in
            try state.corrections.targets.filter {
                try state.position(of: $0, in: store) == nil
            }.map {
                "\(state.names[$0.source])/\($0.key.exactText ?? "…")"
            }.sorted(by: precedesInBytes)
        }
        return VerifyFinding(
            check: "corrections: every target is there", isClean: waiting.isEmpty,
            detail: waiting.isEmpty ? "clean" : "waiting for " + waiting.joined(separator: ", "))
    }

    private func verifyCatalogs() throws -> VerifyFinding {
        var problems: [String] = []
        for version in state.withLock({ $0.catalogs.versions }) {
            guard let bytes = try store.document(sha256: version.documentDigest) else {
                problems.append("version \(version.version) has no document")
                continue
            }
            if Digest.hexadecimal(Digest.sha256(bytes)) != version.documentDigest {
                problems.append("the document of version \(version.version) was changed")
            }
        }
        return VerifyFinding(
            check: "catalogs: documents have their digests", isClean: problems.isEmpty,
            detail: problems.isEmpty ? "clean" : problems.joined(separator: "; "))
    }
}
