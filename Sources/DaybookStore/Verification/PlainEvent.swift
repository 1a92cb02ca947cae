import DaybookEvents

/// The columns of a row that derived files repeat, as they stand in the file.
struct PlainEvent: Equatable {
    var occurredAt: Int64 = 0
    var signedAt: Int64 = 0
    var sequence: Int64 = 0
    var amount = PlainEvent.absent
    var money = PlainEvent.absent
    var timeA = PlainEvent.absent
    var timeB = PlainEvent.absent
    var timeC = PlainEvent.absent
    var stream: Int64 = 0
    var type: Int64 = 0
    var trust: Int64 = 0
    var flags: Int64 = 0
    var source: Int64 = 0
    var customer: Int64 = 0
    var profile: Int64 = 0
    var nameA: Int64 = 0
    var nameB: Int64 = 0
    var nameC: Int64 = 0
    var key = PlainBits()
    var reference = PlainBits()

    static let absent = Int64.min

    /// Without the slots that no version of the type has: folds do not see them, and segments do not hold them.
    mutating func dropUnusedSlots() {
        let slots = EventSlots.byType[Int(UInt8(truncatingIfNeeded: type))]
        if !slots.contains(.nameB) { nameB = 0 }
        if !slots.contains(.nameC) { nameC = 0 }
        if !slots.contains(.reference) { reference = PlainBits() }
        if !slots.contains(.amount) { amount = Self.absent }
        if !slots.contains(.money) { money = Self.absent }
        if !slots.contains(.timeA) { timeA = Self.absent }
        if !slots.contains(.timeB) { timeB = Self.absent }
        if !slots.contains(.timeC) { timeC = Self.absent }
        if !slots.contains(.flags) { flags = 0 }
    }

    /// - Returns: The first field that differs, with both values; `nil` where all are equal.
    func difference(from row: PlainEvent) -> String? {
        if self == row { return nil }
        let fields: [(String, Int64, Int64)] = [
            ("occurred_at", occurredAt, row.occurredAt), ("signed_at", signedAt, row.signedAt),
            ("sequence", sequence, row.sequence), ("amount", amount, row.amount),
            ("money", money, row.money), ("time_a", timeA, row.timeA),
            ("time_b", timeB, row.timeB), ("time_c", timeC, row.timeC),
            ("stream", stream, row.stream), ("type", type, row.type), ("trust", trust, row.trust),
            ("flags", flags, row.flags), ("source", source, row.source),
            ("party", customer, row.customer), ("profile", profile, row.profile),
            ("name_a", nameA, row.nameA), ("name_b", nameB, row.nameB),
            ("name_c", nameC, row.nameC),
        ]
        if let (name, found, expected) = fields.first(where: { $0.1 != $0.2 }) {
            return "\(name) is \(found), the row says \(expected)"
        }
        return key == row.key ? "ref is another than the row's" : "key is another than the row's"
    }
}

/// A segment's sections, read by the formats in `Segment.swift` and `PackedEvent.swift`.
struct PlainSegment {
    private let events: UnsafeRawBufferPointer
    private let extensions: UnsafeRawBufferPointer
    private let streams: UnsafeRawBufferPointer
    private let previous: UnsafeRawBufferPointer
    private let first: Int64
    /// Whether its events have the SHA-256 that the header says.
    let hasDigest: Bool

    init(_ file: PlainContainer) throws(PlainContainer.Refusal) {
        guard file.first >= 1, file.first <= file.cut, file.cut - file.first < 1 << 32 else {
            throw .problem("its positions make no sense")
        }
        let count = Int(file.cut - file.first + 1)
        let sections = try file.sections()
        events = try PlainContainer.column(sections, "events", 64, count: count)
        extensions = try PlainContainer.column(sections, "extensions", 64)
        streams = try PlainContainer.column(sections, "streams", 4, count: count)
        previous = try PlainContainer.column(sections, "previous", 4, count: count)
        first = file.first
        hasDigest = PlainHash(of: Array(events) + Array(extensions)).bytes == file.digest
    }

    /// - Parameter before: The position of the stream's event before this one, as the rows have it.
    /// - Returns: What differs from a row; `nil`: nothing.
    func difference(at position: Int64, from row: PlainEvent, before: Int64) -> String? {
        let index = Int(position - first)
        guard let event = event(64 * index) else { return "its bits are of no event" }
        if let difference = event.difference(from: row) { return difference }
        let stream: UInt32 = streams.plain(4 * index)
        if Int64(stream) != row.stream {
            return "its stream is \(stream), the row says \(row.stream)"
        }
        let distance: UInt32 = previous.plain(4 * index)
        let expected = before == 0 ? 0 : position &- before
        // The greatest number means that only the row has the distance.
        if distance != UInt32.max, Int64(distance) != expected {
            return "it follows \(position - Int64(distance)), the rows say \(before)"
        }
        return nil
    }

    private func event(_ base: Int) -> PlainEvent? {
        var event = PlainEvent()
        event.occurredAt = events.plain(base)
        event.signedAt = event.occurredAt
        event.key = PlainBits(high: events.plain(base + 8), low: events.plain(base + 16))
        let (high, low): (UInt64, UInt64) = (events.plain(base + 24), events.plain(base + 32))
        event.stream = events.plainName(base + 40)
        event.customer = events.plainName(base + 44)
        event.nameA = events.plainName(base + 48)
        let two: UInt32 = events.plain(base + 52)
        event.source = Int64(events.plain(base + 56, as: UInt16.self))
        event.sequence = Int64(events.plain(base + 58, as: UInt16.self))
        let three: UInt16 = events.plain(base + 60)
        event.type = Int64(events[base + 62])
        event.trust = Int64(events[base + 63] & 15)
        let layout = events[base + 63] >> 4
        if layout <= 4 || layout == 15 { event.reference = PlainBits(high: high, low: low) }
        switch layout {
        case 0:
            event.amount = Self.amount(Int32(bitPattern: two))
            event.flags = Int64(three)
        case 1...4:
            let short = Int16(bitPattern: three)
            event.amount = short == Int16.min ? PlainEvent.absent : Int64(short)
            switch layout {
            case 1: event.nameB = Int64(two)
            case 2: event.nameC = Int64(two)
            case 3: event.profile = Int64(two)
            default: event.timeA = event.occurredAt &+ Int64(two)
            }
        case 5:
            event.amount = Self.amount(Int32(truncatingIfNeeded: high))
            event.profile = Int64(high >> 32)
            event.nameB = Int64(low & 0xFFFF_FFFF)
            event.nameC = Int64(low >> 32)
            let money = Int32(bitPattern: two)
            event.money = money == Int32.min ? PlainEvent.absent : Int64(money)
            event.flags = Int64(three)
        case 6:
            event.timeA = Int64(bitPattern: high)
            event.amount = Self.amount(Int32(truncatingIfNeeded: low))
            event.profile = Int64(low >> 32)
            event.nameB = Int64(two)
            event.flags = Int64(three)
        case 15:
            event.flags = Int64(three)
            event.trust = event.source
            guard Int(two) < extensions.count / 64 else { return nil }
            extend(&event, 64 * Int(two))
        default: return nil
        }
        return event
    }

    private func extend(_ event: inout PlainEvent, _ base: Int) {
        event.signedAt = extensions.plain(base)
        event.money = extensions.plain(base + 8)
        event.timeA = extensions.plain(base + 16)
        event.timeB = extensions.plain(base + 24)
        event.timeC = extensions.plain(base + 32)
        event.amount = Self.amount(extensions.plain(base + 40))
        event.profile = extensions.plainName(base + 44)
        event.nameB = extensions.plainName(base + 48)
        event.nameC = extensions.plainName(base + 52)
        event.sequence = extensions.plainName(base + 56)
        event.source = extensions.plainName(base + 60)
    }

    private static func amount(_ stored: Int32) -> Int64 {
        stored == Int32.min ? PlainEvent.absent : Int64(stored)
    }
}
