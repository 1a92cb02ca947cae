import GRDB

/// What a row says about other rows, as it stands in the file.
struct RowClaims {
    var position: Int64 = 0
    var stream: Int64 = 0
    /// Of its six names; a negative number is a great one.
    var greatestName: UInt64 = 0
    /// A number does not fit its place in an event.
    var isTooWide = false
}

/// How many streams and names a ledger has.
///
/// - Rule: no event leaves the store that is in a stream, or names a name, that does not exist.
/// - Why: folds use these numbers as places in arrays; a fold never fails (law 8), so it cannot ask.
/// - Advice: `findings()` goes through the whole file and lists all that is wrong.
/// - Otherwise: one damaged row crashes the very commands that should report it.
struct RowBounds: Sendable {
    private(set) var streamCount: Int64 = 0
    private(set) var nameCount: Int64 = 0

    /// Whether a row fits, as far as is known; when it does not, `refresh` and ask again.
    func admit(_ claims: RowClaims) -> Bool {
        claims.stream >= 1 && claims.stream <= streamCount
            && claims.greatestName <= UInt64(nameCount) && !claims.isTooWide
    }

    /// Counts what was added since: both tables only grow.
    /// - Throws: `.damaged` where a number is missing, because then counts say nothing.
    mutating func refresh(_ db: Database, _ path: String) throws {
        streamCount = try Self.count(db, "streams", known: streamCount, path)
        nameCount = try Self.count(db, "names", known: nameCount, path)
    }

    /// Notes that names after a number were read without a gap up to another; a caller that reads from there on vouches
    /// for those before, as a snapshot does.
    mutating func noteNames(after start: Int64, through last: Int64) {
        if start <= nameCount || nameCount == 0 { nameCount = max(nameCount, last) }
    }

    /// Notes that streams after a number were read without a gap up to another; a caller that reads from there on
    /// vouches for those before.
    mutating func noteStreams(after start: Int64, through last: Int64) {
        if start <= streamCount || streamCount == 0 { streamCount = max(streamCount, last) }
    }

    /// Takes over what others have counted.
    mutating func merge(_ other: RowBounds) {
        streamCount = max(streamCount, other.streamCount)
        nameCount = max(nameCount, other.nameCount)
    }

    private static func count(
        _ db: Database, _ table: String, known: Int64, _ path: String
    ) throws -> Int64 {
        let last = try db.number("SELECT max(id) FROM \(table)", []) ?? 0
        guard last != known else { return known }
        // Without a condition SQLite counts pages instead of rows.
        let added =
            known == 0
            ? try db.number("SELECT count(*) FROM \(table)", [])
            : try db.number("SELECT count(*) FROM \(table) WHERE id > ?", [known])
        guard let added, known + added == last, last <= UInt32.max else {
            throw StoreError.damaged(
                path,
                "the last number in \(table) is \(last), "
                    + "but it has \(known + (added ?? 0)) rows")
        }
        return last
    }

    /// Why a row cannot be used.
    func refusal(of claims: RowClaims, _ path: String) -> StoreError {
        let reason =
            if claims.isTooWide {
                "holds a number that does not fit its column"
            } else if claims.stream < 1 || claims.stream > streamCount {
                "is in stream \(claims.stream), but there are \(streamCount) streams"
            } else {
                "uses name \(claims.greatestName), but there are \(nameCount) names"
            }
        return StoreError.damaged(path, "the event at position \(claims.position) \(reason)")
    }
}
