public import DaybookEvents

/// Walks a state's fields in a fixed order; writing, reading and digesting share the one description.
///
/// ```
/// integer    zig-zag LEB128
/// byte       1 byte
/// name       text mode: byte count, bytes · number mode: LEB128
/// reference  16 bytes, big-endian
/// array      count, then the elements
/// ```
public protocol StateCoder {
    mutating func integer(_ value: inout Int64)
    mutating func byte(_ value: inout UInt8)
    mutating func name(_ id: inout NameID)
    mutating func reference(_ value: inout Reference)
    /// Writes the count, or returns the one that was read.
    mutating func count(_ count: Int) -> Int
}

extension StateCoder {
    mutating func bool(_ value: inout Bool) {
        var byte: UInt8 = value ? 1 : 0
        self.byte(&byte)
        value = byte != 0
    }

    mutating func array<Element>(
        _ values: inout [Element], _ empty: Element, _ body: (inout Self, inout Element) -> Void
    ) {
        let count = count(values.count)
        if values.count != count { values = Array(repeating: empty, count: count) }
        for index in values.indices { body(&self, &values[index]) }
    }

    mutating func rank(_ rank: inout StatementRank) {
        byte(&rank.classRank)
        integer(&rank.signedAt)
        name(&rank.source)
        reference(&rank.key)
    }

    mutating func order(_ order: inout OrderKey) {
        integer(&order.occurredAt)
        integer(&order.sequence)
        name(&order.source)
        reference(&order.key)
    }

    mutating func stated<Value>(
        _ stated: inout Stated<Value>, _ body: (inout Self, inout Value) -> Void
    ) {
        rank(&stated.rank)
        integer(&stated.at)
        body(&self, &stated.value)
    }
}

/// Appends a state's bytes; with a name table the names are written as text, so that the bytes mean the same in
/// every ledger.
public struct StateWriter: StateCoder {
    public private(set) var bytes: [UInt8] = []
    private let names: NameTable?

    public init(names: NameTable?) { self.names = names }

    public mutating func reset() { bytes.removeAll(keepingCapacity: true) }

    public mutating func integer(_ value: inout Int64) {
        unsigned(UInt64(bitPattern: value << 1 ^ value >> 63))
    }

    public mutating func byte(_ value: inout UInt8) { bytes.append(value) }

    public mutating func name(_ id: inout NameID) {
        if let names { text(names[id]) } else { unsigned(UInt64(id)) }
    }

    public mutating func text(_ text: String) {
        unsigned(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    public mutating func reference(_ value: inout Reference) {
        for half in [value.high, value.low] {
            withUnsafeBytes(of: half.bigEndian) { bytes.append(contentsOf: $0) }
        }
    }

    public mutating func count(_ count: Int) -> Int {
        unsigned(UInt64(count))
        return count
    }

    private mutating func unsigned(_ value: UInt64) {
        var value = value
        while value >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(value))
    }
}

/// Reads what `StateWriter` wrote in number mode. Damage sets `isDamaged` and gives zeros: it never traps.
public struct StateReader: StateCoder {
    private let bytes: ArraySlice<UInt8>
    private var index: Int
    public private(set) var isDamaged = false

    public init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    /// Whether every byte was read and made sense.
    public var isComplete: Bool { !isDamaged && index == bytes.endIndex }

    public mutating func integer(_ value: inout Int64) {
        let raw = unsigned()
        value = Int64(bitPattern: raw >> 1) ^ -Int64(bitPattern: raw & 1)
    }

    public mutating func byte(_ value: inout UInt8) {
        guard index < bytes.endIndex else { return isDamaged = true }
        value = bytes[index]
        index += 1
    }

    public mutating func name(_ id: inout NameID) { id = NameID(truncatingIfNeeded: unsigned()) }

    public mutating func reference(_ value: inout Reference) {
        value.high = half()
        value.low = half()
    }

    public mutating func count(_ count: Int) -> Int {
        let value = unsigned()
        // An element takes at least one byte, so a larger count is damage and must not be allocated.
        guard value <= UInt64(bytes.endIndex - index) else {
            isDamaged = true
            return 0
        }
        return Int(value)
    }

    private mutating func half() -> UInt64 {
        guard index + 8 <= bytes.endIndex else {
            isDamaged = true
            return 0
        }
        var value: UInt64 = 0
        for offset in 0..<8 { value = value << 8 | UInt64(bytes[index + offset]) }
        index += 8
        return value
    }

    private mutating func unsigned() -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while index < bytes.endIndex, shift < 70 {
            let byte = bytes[index]
            index += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        isDamaged = true
        return 0
    }
}
