import DaybookEvents
import DaybookStore

/// An event of the ledger's own as it will be written, but for its place and for the numbers of its names.
///
/// A reference to what never changes: a copy of the draft would count the references of many texts.
final class EncodedEvent: Sendable {
    /// In canonical form, with its number within the stream.
    let draft: EventDraft
    let stream: StreamName
    let row: EventRow
    /// The names of the row.
    let names: RowDigest.Names
    /// Of the row (`RowDigest`).
    let digest: HistoryHash

    /// - Parameters:
    ///   - draft: In canonical form.
    ///   - stream: The draft's.
    init(
        _ draft: EventDraft, in stream: StreamName, requestDigest: Int64, _ digest: RowDigest
    ) {
        var (row, names) = EventEncoder.encode(
            draft, Vocabulary.schema(named: draft.type, version: draft.version))
        row.requestDigest = requestDigest
        self.digest = digest.of(row, names, in: stream)
        self.draft = draft
        self.stream = stream
        self.row = row
        self.names = names
    }
}
