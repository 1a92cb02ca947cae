import Daybook
import DaybookAudit
import DaybookFixtures

extension Samples {
    /// The free limits of an app's catalog one less, for every customer and from the beginning of time.
    func whatIf() throws -> Measurement {
        let document = String(decoding: try Fixtures.catalogDocument(words[0]), as: UTF8.self)
        let stricter = document.replacing(#/limit: ([1-9])\n/#) {
            "limit: \((Int($0.1) ?? 1) - 1)\n"
        }
        guard stricter != document else {
            throw BenchmarkError("\(words[0]) has no limit to make smaller")
        }
        let ledger = try Ledger.open(path, readOnly: true)
        let events = try ledger.head().position
        let start = ContinuousClock.now
        let report = try ledger.whatIf(
            WhatIf(catalog: Array(stricter.utf8)), moment: Moment(at: SyntheticMonth.end - 1),
            workers: numbers[0])
        var measurement = measured(since: start, events: Int(events))
        measurement["customers"] = Double(report.customers)
        measurement["changed"] = Double(report.changed)
        guard report.changed > 0 else { throw BenchmarkError("the what-if changed no customer") }
        return measurement
    }

    func digests() throws -> Measurement {
        let ledger = try Ledger.open(path, readOnly: true)
        let start = ContinuousClock.now
        let trace = try ledger.digests(workers: numbers[0])
        let measurement = measured(since: start, events: Int(trace.events))
        guard trace.digests.last == (try ledger.digest().digest) else {
            throw BenchmarkError("the last digest is not the ledger's")
        }
        return measurement
    }
}
