public import DaybookEvents
public import DaybookStore
import DaybookTesting

/// What is appended where speed is measured: uses of one meter by customers in random order, the same on every run.
/// The benchmark's program in C computes the same values.
public struct Workload: Sendable {
    /// When the first event happened, in milliseconds since 1970 UTC.
    public static let firstInstant: Int64 = 1_767_225_600_000
    /// From each event to the next.
    public static let millisecondsBetweenEvents: Int64 = 37
    /// From an event to the time at which it is recorded.
    public static let millisecondsUntilRecorded: Int64 = 60_000
    /// The app of the ledger that it is appended to.
    public static let app = "bench"
    /// The counter that every event uses.
    public static let meter = "stories"
    /// One meter that no customer exhausts: what is measured is writing and folding, not refusing.
    public static let catalog = """
        app: bench
        title: Benchmark
        defaultLocale: en
        defaultTimeZone: UTC
        meters:
          stories:
            kind: counter
            period: lifetime
            limit: 1000000000

        """

    /// How many events it has.
    public var eventCount: Int
    /// How many customers they are of.
    public var subjectCount: Int

    /// - Parameters:
    ///   - eventCount: How many events it has, at least 1.
    ///   - subjectCount: How many customers they are of, at least 1.
    public init(eventCount: Int, subjectCount: Int) {
        self.eventCount = eventCount
        self.subjectCount = subjectCount
    }

    /// Later than every event, so that none is refused as coming from the future.
    public var clock: Int64 {
        Self.firstInstant + Int64(eventCount) * Self.millisecondsBetweenEvents
            + Self.millisecondsUntilRecorded
    }

    /// The number of an event's customer, from 0 on.
    public func subject(of index: Int) -> Int {
        Int(Self.word(UInt64(index) * 4) % UInt64(subjectCount))
    }

    /// The id of a customer.
    public func subjectName(_ subject: Int) -> String { "customer-\(subject)" }

    /// A random UUID, version 4 (RFC 9562 §5.4), as clients send them.
    public func key(of index: Int) -> String {
        let high = Self.word(UInt64(index) * 4 + 1) & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low = Self.word(UInt64(index) * 4 + 2) & 0x3FFF_FFFF_FFFF_FFFF | 1 << 63
        return UUIDText.format((high, low))
    }

    /// The ref of an event.
    public func reference(of index: Int) -> String { "story-\(index)" }

    /// A number in the place of the digest of an event's request.
    public func requestDigest(of index: Int) -> Int64 {
        Int64(bitPattern: Self.word(UInt64(index) * 4 + 3))
    }

    /// When an event happened, in milliseconds since 1970 UTC.
    public func occurredAt(_ index: Int) -> Int64 {
        Self.firstInstant + Int64(index) * Self.millisecondsBetweenEvents
    }

    /// The typed report of an event, as a program would hand it to the ledger.
    public func draft(_ index: Int) -> EventDraft {
        EventDraft(
            type: .usageRecorded, subject: subjectName(subject(of: index)),
            occurredAt: occurredAt(index),
            source: EventSource(kind: "native", key: key(of: index)), trust: .imported,
            data: [
                "meter": .string(Self.meter), "amount": .integer(1),
                "ref": .string(reference(of: index)),
            ])
    }

    /// Splitmix64 at any index: Steele, Lea, Flood, "Fast splittable pseudorandom number
    /// generators" (2014).
    private static func word(_ index: UInt64) -> UInt64 {
        var word: UInt64 = 0x6461_7962_6461_7962 &+ (index &+ 1) &* 0x9E37_79B9_7F4A_7C15
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

/// The events of a workload as rows, numbered and chained as a ledger would.
public struct RowWorkload {
    private let workload: Workload
    private var builder = BatchBuilder()
    private var streams: [UInt32]
    private let native: NameID
    private let meter: NameID

    /// The events of a workload for a store that is empty; batches are made in the order of their indices.
    public init(_ workload: Workload) {
        self.workload = workload
        streams = [UInt32](repeating: 0, count: workload.subjectCount)
        native = builder.name("native")
        meter = builder.name(Workload.meter)
    }

    /// - Parameter secret: Of the ledger: the rows' digests are made here, as callers of a ledger make them.
    public mutating func batch(_ indices: Range<Int>, _ secret: LedgerSecret) -> AppendBatch {
        let rows = indices.map { row($0) }
        let recordedAt =
            workload.occurredAt(indices.lowerBound) + Workload.millisecondsUntilRecorded
        return builder.batch(rows, recordedAt: recordedAt, secret: secret)
    }

    private mutating func row(_ index: Int) -> EventRow {
        let subject = workload.subject(of: index)
        let name = workload.subjectName(subject)
        if streams[subject] == 0 { streams[subject] = builder.stream(name) }
        var row = builder.row(
            in: streams[subject], key: workload.key(of: index),
            reference: workload.reference(of: index))
        row.event.occurredAt = workload.occurredAt(index)
        row.event.signedAt = row.event.occurredAt
        row.event.trustCode = Trust.imported.rawValue
        row.event.source = native
        row.event.customer = builder.name(name)
        row.event.nameA = meter
        row.event.amount = 1
        row.requestDigest = workload.requestDigest(of: index)
        return row
    }
}
