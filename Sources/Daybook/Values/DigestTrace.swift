public import DaybookDomain
public import DaybookEvents

/// The digest of a whole ledger after each of its events, as one build of the code folds them.
///
/// Two builds that agree on every digest agree on every state; the first event after which they do not is the first
/// one that they fold otherwise. Whole digests stand at checkpoints, between them the lowest 32 bits of each.
public struct DigestTrace: Sendable, Equatable {
    /// The file's format.
    public static let format: Int64 = 1
    /// Events between two checkpoints, unless told otherwise.
    public static let everyDefault: Int64 = 1_024
    /// How many events two checkpoints may be apart.
    public static let everyRange: ClosedRange<Int64> = 1...1_000_000

    /// The app of the ledger that it is of.
    public var app: String
    /// Which ledger it is of.
    public var ledgerID: String
    /// Events between two checkpoints.
    public var every: Int64
    /// The last position.
    public var events: Int64
    /// The digests at every checkpoint; the last one stands at the last event.
    public var digests: [StateDigest]
    /// What happened up to each checkpoint, by names of events: two traces are comparable where these are the same.
    public var histories: [UInt64]
    /// The lowest 32 bits of the digest after each event.
    public var lowBits: [UInt32]
    /// Checkpoints within which a very long aggregate was digested at the end alone: an event that is found at such a
    /// checkpoint stands for all since the one before. Of this build alone, not written down.
    package var coarse: Set<Int> = []

    /// The events that a checkpoint ends, from the one before on.
    public func range(of checkpoint: Int) -> ClosedRange<Int64> {
        let first = Int64(checkpoint) * every + 1
        return first...min(events, first + every - 1)
    }

    /// Equal when everything that the file says is; `coarse` makes no difference.
    public static func == (left: DigestTrace, right: DigestTrace) -> Bool {
        left.app == right.app && left.ledgerID == right.ledgerID && left.every == right.every
            && left.events == right.events && left.digests == right.digests
            && left.histories == right.histories && left.lowBits == right.lowBits
    }
}

// MARK: The file

extension DigestTrace {
    /// One object; of each checkpoint the digest, the history and, for each event since the one before, 8 hexadecimal
    /// digits.
    public var json: JSONObject {
        let checkpoints = digests.indices.map { index -> JSONValue in
            let range = range(of: index)
            var text: [UInt8] = []
            text.reserveCapacity(range.count * 8)
            for position in range { Self.append(lowBits[Int(position) - 1], to: &text) }
            var history: [UInt8] = []
            Self.append(UInt32(truncatingIfNeeded: histories[index] >> 32), to: &history)
            Self.append(UInt32(truncatingIfNeeded: histories[index]), to: &history)
            return [
                "position": .integer(range.upperBound),
                "digest": .string(digests[index].description),
                "history": .string(String(decoding: history, as: UTF8.self)),
                "low_bits": .string(String(decoding: text, as: UTF8.self)),
            ]
        }
        return [
            "digests": .integer(Self.format), "app": .string(app),
            "ledger": .string(ledgerID), "every": .integer(every), "events": .integer(events),
            "checkpoints": .array(checkpoints),
        ]
    }

    private static func append(_ word: UInt32, to text: inout [UInt8]) {
        for shift in stride(from: UInt32(28), through: 0, by: -4) {
            let digit = UInt8(word >> shift & 15)
            text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }

    /// - Throws: `LedgerError.badInput`: `not_digests` for anything else, `newer_version` for a format of newer code,
    ///   `damaged_digests` where parts are missing.
    public init(_ bytes: [UInt8]) throws(LedgerError) {
        let object: JSONObject?
        do throws(JSONError) {
            object = try JSONReader.read(bytes).object
        } catch {
            throw .bad("not_digests", "it is no file of digests: \(error)")
        }
        guard let object, let format = object["digests"]?.integer else {
            throw .bad(
                "not_digests",
                "it is no file of digests; \"daybook replay --digests FILE\" writes one")
        }
        try LedgerError.require(
            format <= Self.format, "newer_version",
            "it has format \(format), this build reads up to \(Self.format); use a build as new as the one that wrote it"
        )
        guard format >= 1, let app = object["app"]?.text, let ledgerID = object["ledger"]?.text,
            let every = object["every"]?.integer, Self.everyRange.contains(every),
            let events = object["events"]?.integer, (0...Int64(UInt32.max)).contains(events),
            case .array(let checkpoints)? = object["checkpoints"],
            Int64(checkpoints.count) == (events + every - 1) / every
        else { throw Self.damage }
        self.init(
            app: app, ledgerID: ledgerID, every: every, events: events, digests: [],
            histories: [], lowBits: [])
        lowBits.reserveCapacity(Int(events))
        for (index, checkpoint) in checkpoints.enumerated() {
            let range = range(of: index)
            guard let object = checkpoint.object,
                object["position"]?.integer == range.upperBound,
                let digest = object["digest"]?.text.flatMap(StateDigest.init),
                let history = object["history"]?.text, history.utf8.count == 16,
                let words = Self.words(history), let text = object["low_bits"]?.text,
                text.utf8.count == range.count * 8, let bits = Self.words(text)
            else { throw Self.damage }
            digests.append(digest)
            histories.append(UInt64(words[0]) << 32 | UInt64(words[1]))
            lowBits += bits
        }
    }

    /// - Returns: `nil` for anything but lower-case hexadecimal digits, eight for each word.
    private static func words(_ text: String) -> [UInt32]? {
        var words: [UInt32] = []
        var word: UInt32 = 0
        var count = 0
        for byte in text.utf8 {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            default: return nil
            }
            word = word << 4 | UInt32(digit)
            count += 1
            if count == 8 {
                words.append(word)
                (word, count) = (0, 0)
            }
        }
        return count == 0 ? words : nil
    }

    private static let damage = LedgerError.bad(
        "damaged_digests", "the file of digests is damaged or cut off; write it anew")

}
