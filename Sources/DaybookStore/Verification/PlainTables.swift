import Crypto
import DaybookEvents

/// What a check found, of which only the first few are kept.
struct PlainProblems {
    private static let keptCount = 20

    private var kept: [String] = []
    private var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func add(_ problem: @autoclosure () -> String) {
        count += 1
        if kept.count < Self.keptCount { kept.append(problem()) }
    }

    /// Runs a part of a check; where the store cannot go on, that is a problem too.
    mutating func collect(_ part: (inout Self) throws -> Void) throws {
        do {
            try part(&self)
        } catch let error as StoreError {
            add(error.message)
        }
    }

    var text: String {
        kept.joined(separator: "; ")
            + (count > kept.count ? "; and \(count - kept.count) more" : "")
    }
}

/// All names, one after the other, and the chain of hashes over them.
struct PlainNames {
    private(set) var bytes: [UInt8] = []
    /// Where each name ends; that with number 0 is empty.
    private var ends = [0]
    private(set) var link = PlainHash()
    /// The links after so many names, where they are asked for.
    private(set) var links: [Int64: PlainHash] = [0: PlainHash()]
    private let wanted: Set<Int64>

    init(wanted: Set<Int64>) { self.wanted = wanted }

    var count: Int64 { Int64(ends.count - 1) }

    mutating func append(_ text: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: text)
        ends.append(bytes.count)
        var hash = SHA256()
        withUnsafeBytes(of: UInt8(0x20)) { hash.update(bufferPointer: $0) }
        withUnsafeBytes(of: link) { hash.update(bufferPointer: $0) }
        hash.update(bufferPointer: text)
        link = PlainHash(hash.finalize())
        if wanted.contains(count) { links[count] = link }
    }

    /// Nothing for 0 and for a number that was never given.
    func text(_ id: Int64) -> ArraySlice<UInt8> {
        guard id >= 1, id <= count else { return [] }
        return bytes[ends[Int(id) - 1]..<ends[Int(id)]]
    }

    /// The numbers of names whose text another one has.
    func doubled() -> [Int64] {
        let hashes: [(UInt64, Int64)] = bytes.withUnsafeBytes { raw in
            (1..<Int64(ends.count)).map { id in
                let range = ends[Int(id) - 1]..<ends[Int(id)]
                return (PlainSip.short((0, 0), UnsafeRawBufferPointer(rebasing: raw[range])), id)
            }
        }.sorted { $0 < $1 }
        return zip(hashes, hashes.dropFirst()).compactMap { left, right in
            left.0 == right.0 && text(left.1) == text(right.1) ? right.1 : nil
        }
    }
}

/// A stream, and where it stands after the rows that were read.
struct PlainStream: Hashable {
    var environment: Int64
    var kind: Int64
    var name: Int64
    var position: Int64 = 0
    var version: Int64 = 0

    /// As a snapshot numbers the customer of this name.
    var customer: UInt64 {
        UInt64(truncatingIfNeeded: environment) << 32 | UInt64(truncatingIfNeeded: name)
    }

    var isCustomer: Bool { kind == Int64(StreamKind.customer.rawValue) }
    var isLineage: Bool { kind == Int64(StreamKind.lineage.rawValue) }
}

/// All streams by number, and the chain of hashes over them; number 0 is none.
struct PlainStreams {
    var all = [PlainStream(environment: 0, kind: 0, name: 0)]
    private(set) var link = PlainHash()
    private(set) var links: [Int64: PlainHash] = [0: PlainHash()]
    private let wanted: Set<Int64>

    init(wanted: Set<Int64>) { self.wanted = wanted }

    var count: Int64 { Int64(all.count - 1) }

    mutating func append(_ stream: PlainStream) {
        all.append(stream)
        var bytes: [UInt8] = [0x21]
        link.append(to: &bytes)
        bytes.append(UInt8(truncatingIfNeeded: stream.environment))
        bytes.append(UInt8(truncatingIfNeeded: stream.kind))
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: stream.name).littleEndian) {
            bytes.append(contentsOf: $0)
        }
        link = PlainHash(of: bytes)
        if wanted.contains(count) { links[count] = link }
    }
}

/// What the ledger's secret hides and spreads.
struct PlainSecret {
    let blinding: (UInt64, UInt64)
    let lookup: (UInt64, UInt64)

    /// - Returns: `nil` unless there are 64 hexadecimal digits.
    init?(_ text: ArraySlice<UInt8>) {
        let digits = Array(text)
        guard digits.count == 64 else { return nil }
        var words: [UInt64] = []
        for word in 0..<4 {
            var value: UInt64 = 0
            for byte in 0..<8 {
                let start = 16 * word + 2 * byte
                let pair = digits[start..<start + 2]
                // The initializer takes a sign for part of a number.
                let signs = "+-".utf8
                guard !pair.contains(where: { signs.contains($0) }),
                    let number = UInt8(String(decoding: pair, as: UTF8.self), radix: 16)
                else { return nil }
                value |= UInt64(number) << UInt64(8 * byte)
            }
            words.append(value)
        }
        blinding = (words[0], words[1])
        lookup = (words[2], words[3])
    }
}
