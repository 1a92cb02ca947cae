/// One hot event in a cache line: 64 bytes, without its position, which is its place among its neighbours.
///
/// Why: sealed segments and passes over all events hold many at once, and reading them takes the time that their bytes
/// take to arrive.
///
/// ```
/// offset  size  field
///      0     8  occurred_at
///      8    16  key
///     24    16  variable field 1, by layout
///     40    12  stream, customer, name a
///     52     4  variable field 2, by layout
///     56     2  source
///     58     2  sequence
///     60     2  variable field 3, by layout
///     62     1  type
///     63     1  layout × 16 + trust
/// ```
/// An event uses few of its slots, and the same ones mostly go together: the layout says which slots lie in the three
/// variable fields. A slot that the layout does not have is absent, and `signed_at` is `occurred_at`. Any event that
/// fits no other layout is extended: it has an `EventExtension` beside it, whose number is variable field 2.
///
/// ```
/// layout  variable field 1                               variable field 2  variable field 3
///      0  ref                                            amount            flags
///      1  ref                                            name b            amount
///      2  ref                                            name c            amount
///      3  ref                                            profile           amount
///      4  ref                                            time a            amount
///      5  amount (4), profile (4), name b (4), c (4)     money             flags
///      6  time a (8), amount (4), profile (4)            name b            flags
///     15  ref                                            extension         flags
/// ```
/// Amounts of 2 bytes are within ±32,767, and −32,768 stands for none. Time a of 4 bytes is milliseconds after
/// `occurred_at`. Money of 4 bytes is within ±(2³¹ − 1), and −2³¹ stands for none. Layouts 1 to 4 have no flags; an
/// extended event has its trust in the place of its source, and sequence 0.
public struct PackedEvent: Sendable, Equatable, BitwiseCopyable {
    /// Of the bits; part of the fingerprint of every file that keeps packed events.
    public static let layoutVersion: UInt64 = 2
    /// Bytes of one packed event, in memory and in files.
    public static let byteCount = 64

    /// Milliseconds since 1970 UTC.
    public private(set) var occurredAt: Int64
    /// The reference of the source's key.
    public private(set) var key: Reference
    private var variableHigh: UInt64
    private var variableLow: UInt64
    /// The stream's number, 1-based.
    public private(set) var stream: UInt32
    private var customer: NameID
    private var nameA: NameID
    @usableFromInline var variableTwo: UInt32
    private var source: UInt16
    private var sequence: UInt16
    private var variableThree: UInt16
    private var type: UInt8
    @usableFromInline var layoutAndTrust: UInt8

    @usableFromInline
    enum Layout {
        static let reference: UInt8 = 0
        static let referenceNameB: UInt8 = 1
        static let referenceNameC: UInt8 = 2
        static let referenceProfile: UInt8 = 3
        static let referenceTime: UInt8 = 4
        static let names: UInt8 = 5
        static let time: UInt8 = 6
        /// The last one that needs no extension.
        @inlinable static var lastWhole: UInt8 { 6 }
        @inlinable static var extended: UInt8 { 15 }
    }

    private init(_ event: Event, layout: UInt8) {
        occurredAt = event.occurredAt
        key = event.key
        variableHigh = event.reference.high
        variableLow = event.reference.low
        stream = event.stream
        customer = event.customer
        nameA = event.nameA
        variableTwo = 0
        source = UInt16(truncatingIfNeeded: event.source)
        sequence = UInt16(truncatingIfNeeded: event.storedSequence)
        variableThree = event.flags
        type = event.storedType
        layoutAndTrust = layout << 4 | event.trustCode & 15
    }

    /// An event that fits a layout; `nil` for one that needs an extension.
    public init?(_ event: Event) {
        guard event.signedAt == event.occurredAt, event.timeB == Event.absent,
            event.timeC == Event.absent, event.source >> 16 == 0,
            event.storedSequence >> 16 == 0, event.trustCode < 16
        else { return nil }
        if event.reference.isNone {
            self.init(withoutReference: event)
        } else {
            self.init(withReference: event)
        }
    }

    private init?(withoutReference event: Event) {
        let amount = UInt64(UInt32(bitPattern: event.storedAmount))
        if event.timeA == Event.absent {
            guard let money = Self.short(event.money) else { return nil }
            self.init(event, layout: Layout.names)
            variableHigh = amount | UInt64(event.profile) << 32
            variableLow = UInt64(event.nameB) | UInt64(event.nameC) << 32
            variableTwo = UInt32(bitPattern: money)
        } else {
            guard event.nameC == 0, event.money == Event.absent else { return nil }
            self.init(event, layout: Layout.time)
            variableHigh = UInt64(bitPattern: event.timeA)
            variableLow = amount | UInt64(event.profile) << 32
            variableTwo = event.nameB
        }
    }

    private init?(withReference event: Event) {
        guard event.money == Event.absent else { return nil }
        let names = (event.profile, event.nameB, event.nameC)
        if names == (0, 0, 0), event.timeA == Event.absent {
            self.init(event, layout: Layout.reference)
            variableTwo = UInt32(bitPattern: event.storedAmount)
            return
        }
        guard event.flags == 0, let amount = Self.short(event.storedAmount) else { return nil }
        if event.timeA != Event.absent {
            let (difference, overflow) = event.timeA.subtractingReportingOverflow(event.occurredAt)
            guard names == (0, 0, 0), !overflow, let time = UInt32(exactly: difference) else {
                return nil
            }
            self.init(event, layout: Layout.referenceTime)
            variableTwo = time
        } else if event.nameC == 0, event.profile == 0 {
            self.init(event, layout: Layout.referenceNameB)
            variableTwo = event.nameB
        } else if event.nameB == 0, event.profile == 0 {
            self.init(event, layout: Layout.referenceNameC)
            variableTwo = event.nameC
        } else if event.nameB == 0, event.nameC == 0 {
            self.init(event, layout: Layout.referenceProfile)
            variableTwo = event.profile
        } else {
            return nil
        }
        variableThree = UInt16(bitPattern: amount)
    }

    /// Any event, whose rest lies in an extension.
    /// - Parameter extensionIndex: The place of `EventExtension(event)`.
    public init(_ event: Event, extensionIndex: UInt32) {
        self.init(event, layout: Layout.extended)
        layoutAndTrust = Layout.extended << 4
        variableTwo = extensionIndex
        source = UInt16(event.trustCode)
        sequence = 0
    }

    /// Whether the event is here as a whole; else it is extended, or the bits are of no event.
    @inlinable
    public var isWhole: Bool { layoutAndTrust >> 4 <= Layout.lastWhole }

    /// As in `Event`.
    public var typeCode: UInt16 { UInt16(type) }

    /// Where the rest of an extended event lies.
    @inlinable
    public var extensionIndex: Int? {
        layoutAndTrust >> 4 == Layout.extended ? Int(variableTwo) : nil
    }

    /// An event that is here as a whole.
    /// - Parameter position: Where it stands in the log.
    /// - Precondition: `isWhole`; anything comes back for other bits.
    public func event(at position: Int64) -> Event {
        var event = common(position)
        event.signedAt = occurredAt
        event.storedSequence = UInt32(sequence)
        event.source = NameID(source)
        event.trustCode = layoutAndTrust & 15
        let layout = layoutAndTrust >> 4
        if layout == Layout.names || layout == Layout.time {
            unpackWithoutReference(into: &event, isTime: layout == Layout.time)
            return event
        }
        event.reference = Reference(high: variableHigh, low: variableLow)
        if layout == Layout.reference {
            event.storedAmount = Int32(bitPattern: variableTwo)
            event.flags = variableThree
            return event
        }
        event.storedAmount = Self.long(variableThree)
        switch layout {
        case Layout.referenceNameB: event.nameB = variableTwo
        case Layout.referenceNameC: event.nameC = variableTwo
        case Layout.referenceProfile: event.profile = variableTwo
        // It was packed without an overflow; no bits may stop the program.
        default: event.timeA = occurredAt &+ Int64(variableTwo)
        }
        return event
    }

    @inline(__always)
    private func unpackWithoutReference(into event: inout Event, isTime: Bool) {
        let field = isTime ? variableLow : variableHigh
        event.storedAmount = Int32(truncatingIfNeeded: field)
        event.profile = NameID(truncatingIfNeeded: field >> 32)
        event.flags = variableThree
        if isTime {
            event.timeA = Int64(bitPattern: variableHigh)
            event.nameB = variableTwo
        } else {
            let money = Int32(bitPattern: variableTwo)
            event.money = money == Int32.min ? Event.absent : Int64(money)
            event.nameB = NameID(truncatingIfNeeded: variableLow)
            event.nameC = NameID(truncatingIfNeeded: variableLow >> 32)
        }
    }

    /// An extended event.
    /// - Parameters:
    ///   - position: Where it stands in the log.
    ///   - rest: What lies at `extensionIndex`; anything comes back for bits that are not extended.
    public func event(at position: Int64, _ rest: EventExtension) -> Event {
        var event = common(position)
        event.reference = Reference(high: variableHigh, low: variableLow)
        event.flags = variableThree
        event.trustCode = UInt8(truncatingIfNeeded: source)
        rest.unpack(into: &event)
        return event
    }

    @inline(__always)
    private func common(_ position: Int64) -> Event {
        var event = Event()
        event.position = position
        event.occurredAt = occurredAt
        event.key = key
        event.stream = stream
        event.customer = customer
        event.nameA = nameA
        event.storedType = type
        return event
    }

    /// −2³¹ for none; `nil` for one that is too great.
    private static func short(_ money: Int64) -> Int32? {
        if money == Event.absent { return Int32.min }
        guard let short = Int32(exactly: money), short != Int32.min else { return nil }
        return short
    }

    /// −32,768 for none; `nil` for one that is too great.
    private static func short(_ amount: Int32) -> Int16? {
        if amount == Int32.min { return Int16.min }
        guard let short = Int16(exactly: amount), short != Int16.min else { return nil }
        return short
    }

    private static func long(_ stored: UInt16) -> Int32 {
        let short = Int16(bitPattern: stored)
        return short == Int16.min ? Int32.min : Int32(short)
    }
}

/// What a packed event has no field for: all slots that any event may have and `PackedEvent` cannot hold.
///
/// ```
/// offset  size  field
///      0     8  signed_at
///      8    32  money, time a, b and c
///     40     4  amount
///     44    12  profile, name b and c
///     56     8  sequence (4), source (4)
/// ```
/// Absent numbers are −2⁶³, `amount` −2³¹, absent names 0.
public struct EventExtension: Sendable, Equatable, BitwiseCopyable {
    /// Bytes of one extension, in memory and in files.
    public static let byteCount = 64

    private var signedAt: Int64
    private var money: Int64
    private var timeA: Int64
    private var timeB: Int64
    private var timeC: Int64
    private var amount: Int32
    private var profile: NameID
    private var nameB: NameID
    private var nameC: NameID
    private var sequence: UInt32
    private var source: NameID

    /// Takes from an event what a packed event cannot hold.
    public init(_ event: Event) {
        signedAt = event.signedAt
        money = event.money
        timeA = event.timeA
        timeB = event.timeB
        timeC = event.timeC
        amount = event.storedAmount
        profile = event.profile
        nameB = event.nameB
        nameC = event.nameC
        sequence = event.storedSequence
        source = event.source
    }

    fileprivate func unpack(into event: inout Event) {
        event.signedAt = signedAt
        event.money = money
        event.timeA = timeA
        event.timeB = timeB
        event.timeC = timeC
        event.storedAmount = amount
        event.profile = profile
        event.nameB = nameB
        event.nameC = nameC
        event.storedSequence = sequence
        event.source = source
    }
}

/// Events packed one after the other, and the extensions of those that need one.
public struct PackedEvents: Sendable {
    /// In the order in which they were appended.
    public private(set) var events: [PackedEvent] = []
    /// Those of the extended events, in the same order.
    public private(set) var extensions: [EventExtension] = []
    /// The number that the first of `extensions` has.
    private var extensionStart = 0

    /// Creates an empty list; extensions are numbered from 0 on.
    public init() {}

    /// Packs an event behind the others, with an extension where it fits no layout.
    public mutating func append(_ event: Event) {
        if let packed = PackedEvent(event) {
            events.append(packed)
        } else {
            let index = UInt32(extensionStart + extensions.count)
            events.append(PackedEvent(event, extensionIndex: index))
            extensions.append(EventExtension(event))
        }
    }

    /// Empties it, once everything was copied elsewhere: extensions are numbered on.
    public mutating func removeAll() {
        extensionStart += extensions.count
        events.removeAll(keepingCapacity: true)
        extensions.removeAll(keepingCapacity: true)
    }
}
