import DaybookStore

/// How much a ledger holds in memory before it is written beside the work, where its place is in a file, and what holds
/// where that fails.
package struct HeldBounds: Sendable {
    /// Names that came since the last snapshot, or an eighth of those that it has, where that is more: so a ledger that
    /// grows is written some eight times while it doubles. Each takes some 250 bytes, with what belongs to it.
    package var namesMax = 100_000
    /// Events that came since it: so many customers at most have changed.
    package var eventsMax: Int64 = 1_000_000
    /// Positions of a run of keys that is put together within a commit: some milliseconds.
    package var keysOfCommitMax = 8 * LookupRun.alignment

    /// How long no snapshot is tried again after one could not be written.
    package var pauseAfterFailure = Duration.seconds(60)

    package init() {}
}
