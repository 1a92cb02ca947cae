import DaybookEvents

/// The canonical bytes of a state, from which its digest is made: the fields of its projections in a fixed order, names
/// as text, so that the bytes mean the same in every ledger.
///
/// ```
/// integer    zig-zag LEB128
/// byte       1 byte
/// name       byte count, UTF-8
/// reference  16 bytes, big-endian
/// array      count, then the elements
/// ```
/// Invariant of the unsafe pointers: `start` was allocated with `capacity` bytes, of which the first `count` are
/// written; grown before anything is written behind them. `written` has `writtenCount` elements, each the place of
/// bytes that are written. Both are freed with the value.
struct StateWriter: ~Copyable {
    /// Where a name stands that was written before, with the count before it.
    private struct WrittenName {
        /// 0: none.
        var id: NameID
        var offset: Int32
        var byteCount: Int32
    }

    /// The longest integer in LEB128.
    private static let integerByteCountMax = 10
    /// A power of two. A state says few names, and says them often.
    private static let writtenCount = 16
    /// A name of more bytes is looked up each time.
    private static let writtenByteCountMax = 128

    private let names: NameTable
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity = 2_048
    private var count = 0
    /// By the low bits of their numbers.
    private let written: UnsafeMutablePointer<WrittenName>

    init(names: NameTable) {
        self.names = names
        start = .allocate(capacity: capacity)
        written = .allocate(capacity: Self.writtenCount)
        written.initialize(
            repeating: WrittenName(id: 0, offset: 0, byteCount: 0), count: Self.writtenCount)
    }

    deinit {
        start.deallocate()
        written.deallocate()
    }

    /// Lends what was written.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(start: start, count: count))
    }

    private mutating func reserve(_ byteCount: Int) {
        if count + byteCount <= capacity { return }
        capacity = max(2 * capacity, count + byteCount)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.initialize(from: start, count: count)
        start.deallocate()
        start = larger
    }

    mutating func integer(_ value: Int64) {
        unsigned(UInt64(bitPattern: value << 1 ^ value >> 63))
    }

    mutating func byte(_ value: UInt8) {
        reserve(1)
        start[count] = value
        count += 1
    }

    mutating func bool(_ value: Bool) { byte(value ? 1 : 0) }

    mutating func name(_ id: NameID) {
        if id == 0 { return byte(0) }
        let slot = written + Int(id) & (Self.writtenCount - 1)
        if slot.pointee.id == id {
            let byteCount = Int(slot.pointee.byteCount)
            reserve(byteCount)
            (start + count).update(from: start + Int(slot.pointee.offset), count: byteCount)
            count += byteCount
            return
        }
        let offset = count
        names.withUTF8(of: id) { append($0) }
        let byteCount = count - offset
        guard byteCount <= Self.writtenByteCountMax, let place = Int32(exactly: offset) else {
            return
        }
        slot.pointee = WrittenName(id: id, offset: place, byteCount: Int32(byteCount))
    }

    /// As `StreamName.description` has it.
    mutating func stream(_ name: StreamName) {
        let (environment, kind) = (name.environment.name, name.kind.name)
        unsigned(UInt64(environment.utf8.count + kind.utf8.count + name.name.utf8.count + 2))
        copy(environment)
        byte(UInt8(ascii: "/"))
        copy(kind)
        byte(UInt8(ascii: "/"))
        copy(name.name)
    }

    private mutating func copy(_ text: String) {
        var text = text
        text.withUTF8 { copy($0) }
    }

    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        unsigned(UInt64(bytes.count))
        copy(bytes)
    }

    private mutating func copy(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)
        (start + count).update(from: source, count: bytes.count)
        count += bytes.count
    }

    mutating func reference(_ value: Reference) {
        reserve(16)
        let raw = UnsafeMutableRawPointer(start + count)
        raw.storeBytes(of: value.high.bigEndian, as: UInt64.self)
        raw.storeBytes(of: value.low.bigEndian, toByteOffset: 8, as: UInt64.self)
        count += 16
    }

    mutating func unsigned(_ value: UInt64) {
        reserve(Self.integerByteCountMax)
        var value = value
        while value >= 0x80 {
            start[count] = UInt8(truncatingIfNeeded: value) | 0x80
            count += 1
            value >>= 7
        }
        start[count] = UInt8(truncatingIfNeeded: value)
        count += 1
    }

    mutating func array<Element>(
        _ values: [Element], _ body: (inout StateWriter, Element) -> Void
    ) {
        unsigned(UInt64(values.count))
        for value in values { body(&self, value) }
    }

    /// Those elements alone that count.
    mutating func array<Element>(
        _ values: [Element], where counts: (Element) -> Bool,
        _ body: (inout StateWriter, Element) -> Void
    ) {
        unsigned(UInt64(values.count(where: counts)))
        for value in values where counts(value) { body(&self, value) }
    }

    mutating func rank(_ rank: StatementRank) {
        byte(rank.classRank)
        integer(rank.signedAt)
        name(rank.source)
        reference(rank.key)
    }

    mutating func order(_ order: OrderKey) {
        integer(order.occurredAt)
        integer(order.sequence)
        name(order.source)
        reference(order.key)
    }

    mutating func stated<Value>(
        _ stated: Stated<Value>, _ body: (inout StateWriter, Value) -> Void
    ) {
        rank(stated.rank)
        integer(stated.at)
        body(&self, stated.value)
    }
}
