import Daybook

/// What a replay reads.
enum ReplaySource: String {
    case rows, segments
}

extension Ledger {
    /// The one place where the benchmark says what a replay reads.
    func replay(_ source: ReplaySource, workers: Int) throws -> ReplayReport {
        switch source {
        case .rows: try replay(workers: workers)
        case .segments: throw Skipped(reason: "this build has no segments")
        }
    }
}
