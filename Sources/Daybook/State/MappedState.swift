import DaybookDomain
import DaybookEvents
import DaybookStore

/// What a snapshot knows of names, streams and persons, looked up in the mapped file when it is asked for.
///
/// Every block is checked when it is opened, so look-ups cannot fail: we never change a file in place, and where
/// another program cuts it short, what it held is made again from rows and looked up there (`SnapshotImage`). Numbers
/// that lead nowhere, which only a file made by hand can have, give something harmless. The sections stand in
/// `SnapshotFormat`.
final class MappedState: NameBase, IdentityBase {
    /// Elements of one size, one after the other.
    struct Column {
        let section: SnapshotFormat.Section
        let part: ContainerFile.Part
        let size: Int
        let count: Int
    }

    let file: ContainerFile
    private let hashKey: SipHash.Key
    private let image: SnapshotImage
    private let names: Column
    private let texts: Column
    private let slots: Column
    private let streams: Column
    private let members: Column
    private let lineages: Column
    private let links: Column
    private let handovers: Column
    private let order: Column
    let special: Column
    let zones: Column
    /// `nil`: nothing was digested.
    let sums: BucketSums?

    /// - Parameters:
    ///   - secret: Of the ledger.
    ///   - image: What to look up where the file is lost.
    /// - Throws: `StoreError.damaged` for a file without the sections of a snapshot, or with a damaged block.
    /// - Complexity: O(*n*) in the bytes of the file, some milliseconds for a million customers; nothing is decoded.
    init(_ file: ContainerFile, _ secret: LedgerSecret, image: SnapshotImage) throws {
        self.file = file
        self.image = image
        hashKey = secret.lookupKey
        func column(_ section: SnapshotFormat.Section) throws -> Column {
            let part = try file.part(section.rawValue)
            try file.withBytes(part, 0..<part.byteCount) { _ in }
            let count = file.elementCount(section.rawValue)
            try StoreError.require(
                part.byteCount == count * section.elementByteCount && count < Int(UInt32.max),
                .damaged, "\(file.path): section \(section.rawValue) has a wrong size")
            image.expect(section, try file.checksums(part))
            return Column(
                section: section, part: part, size: section.elementByteCount, count: count)
        }
        names = try column(.names)
        texts = try column(.texts)
        slots = try column(.slots)
        streams = try column(.streams)
        members = try column(.members)
        lineages = try column(.lineages)
        links = try column(.links)
        handovers = try column(.handovers)
        order = try column(.order)
        special = try column(.special)
        zones = try column(.zones)
        sums = try Self.sums(file, try column(.sums))
        try StoreError.require(
            slots.count & (slots.count - 1) == 0 && slots.count > names.count, .damaged,
            "\(file.path): section slots has a wrong size")
        let history = file.header.history
        try StoreError.require(
            history.nameCount == names.count && history.streamCount == streams.count, .damaged,
            "\(file.path): it has other names or streams than its history")
    }

    private static func sums(_ file: ContainerFile, _ column: Column) throws -> BucketSums? {
        // Sums of other folds are of no use.
        if column.count == 0
            || file.fingerprint(SnapshotFormat.Section.sums.rawValue)
                != SnapshotFormat.foldFingerprint
        {
            return nil
        }
        try StoreError.require(
            column.count == BucketSums.count, .damaged,
            "\(file.path): section sums has a wrong size")
        return try file.withBytes(column.part, 0..<column.count * column.size) { raw in
            BucketSums(
                sums: (0..<column.count).map { bucket in
                    func word(_ index: Int) -> UInt64 {
                        (raw.number(bucket * column.size + 8 * index) as UInt64).byteSwapped
                    }
                    return StateDigest(words: (word(3), word(2), word(1), word(0)))
                })
        }
    }

    var cut: Int64 { file.header.cut }

    // MARK: Reading elements

    private func element<Result>(
        _ column: Column, _ index: Int, _ empty: Result, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        guard index >= 0, index < column.count else { return empty }
        let start = index * column.size
        return read(column, start..<start + column.size, body) ?? empty
    }

    /// - Parameter body: Only looks: it may be run twice, and see zeros at first.
    private func read<Result>(
        _ column: Column, _ range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        // A file that is lost is no mistake of the caller.
        if !file.isKnownLost, let found = try? file.withBytes(column.part, range, body) {
            return found
        }
        return image.read(column.section, range, self, body)
    }

    private func number<Value: FixedWidthInteger>(
        _ column: Column, _ index: Int, _ offset: Int = 0
    ) -> Value {
        element(column, index, 0) { $0.number(offset) }
    }

    func each(_ column: Column, _ body: (UnsafeRawBufferPointer) -> Void) {
        // Copied before the body sees it, which runs once.
        withUnsafeTemporaryAllocation(byteCount: column.size, alignment: 16) { buffer in
            for index in 0..<column.count {
                let isFound = element(column, index, false) {
                    buffer.copyMemory(from: $0)
                    return true
                }
                if isFound { body(UnsafeRawBufferPointer(buffer)) }
            }
        }
    }

    // MARK: Names

    var count: Int { names.count }

    func text(of id: NameID) -> String {
        var text = ""
        withUTF8(of: id) { text = String(decoding: $0, as: UTF8.self) }
        return text
    }

    /// How many names and streams the snapshot has.
    var shape: (names: Int, streams: Int) { (names.count, streams.count) }

    func withUTF8(of id: NameID, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        guard let range = place(of: id) else { return }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: range.count) { buffer in
            let isFound = read(texts, range) {
                UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0)
                return true
            }
            if isFound == true { body(UnsafeBufferPointer(buffer)) }
        }
    }

    func id(of text: String) -> NameID? {
        var text = text
        return text.withUTF8 { bytes in
            let mask = slots.count - 1
            let hash = SipHash.hash64(hashKey, UnsafeRawBufferPointer(bytes))
            var slot = Int(truncatingIfNeeded: hash) & mask
            for _ in 0..<slots.count {
                let id: UInt32 = number(slots, slot)
                if id == 0 { return nil }
                if isText(of: id, bytes) { return id }
                slot = (slot + 1) & mask
            }
            return nil
        }
    }

    private func isText(of id: NameID, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let range = place(of: id), range.count == bytes.count else { return false }
        return read(texts, range) { $0.elementsEqual(bytes) } ?? false
    }

    /// Where a name's text stands; `nil` for a number that leads nowhere.
    private func place(of id: NameID) -> Range<Int>? {
        let (offset, byteCount) = element(names, Int(id) - 1, (UInt64(0), UInt32(0))) {
            ($0.number(0), $0.number(8))
        }
        guard offset <= UInt64(texts.count), UInt64(byteCount) <= UInt64(texts.count) - offset
        else { return nil }
        return Int(offset)..<Int(offset) + Int(byteCount)
    }

    // MARK: Streams

    var streamCount: Int { streams.count }

    func stream(_ id: UInt32) -> StreamTable.Entry? {
        element(streams, Int(id) - 1, nil) { raw in
            let (name, aggregate): (NameID, UInt32) = (raw.number(16), raw.number(20))
            // An aggregate is the number of the person's first stream, so never one that comes later.
            guard let environment = Environment(rawValue: raw[28]),
                let kind = StreamKind(rawValue: raw[29]), Int(name) <= names.count, aggregate >= 1,
                aggregate <= id
            else { return nil }
            return StreamTable.Entry(
                record: StreamRecord(
                    id: id, environment: environment, kind: kind, name: name),
                aggregate: aggregate,
                head: .init(position: raw.number(0), version: raw.number(8)))
        }
    }

    func stream(
        _ environment: Environment, _ kind: StreamKind, _ name: NameID
    ) -> StreamTable.Entry? {
        guard name >= 1, Int(name) <= names.count else { return nil }
        var id: UInt32 = number(names, Int(name) - 1, 12)
        // A name has a handful of streams at most: one for each environment and kind.
        for _ in 0..<64 where id != 0 {
            if let entry = stream(id), entry.record.environment == environment,
                entry.record.kind == kind
            {
                return entry
            }
            id = number(streams, Int(id) - 1, 24)
        }
        return nil
    }

    /// The streams of an aggregate, where there are several.
    func members(of aggregate: UInt32) -> [UInt32] {
        range(members, UInt64(aggregate)) { UInt64($0.number(0) as UInt32) }.map {
            number(members, $0, 4)
        }
    }

    func forEachMember(_ body: (UInt32, UInt32) -> Void) {
        each(members) { body($0.number(0), $0.number(4)) }
    }

    /// Lineages that name a customer, in order of arrival.
    func lineages(naming customer: CustomerKey) -> [UInt32] {
        range(lineages, SnapshotFormat.number(of: customer), SnapshotFormat.customer).map {
            number(lineages, $0, 8)
        }
    }

    /// Ascending by customer, those of one in order of arrival.
    func forEachNaming(_ body: (CustomerKey, UInt32) -> Void) {
        each(lineages) { raw in
            guard let customer = SnapshotFormat.key(raw) else { return }
            body(customer, raw.number(8))
        }
    }

    // MARK: Customers

    /// The customer at a place of the order of their ids, from 0 on; `nil` beyond the end.
    func customer(at index: Int) -> CustomerKey? {
        element(order, index, nil) { SnapshotFormat.key($0) }
    }

    func forEachCustomer(_ body: (CustomerKey) -> Void) {
        each(order) { raw in
            if let key = SnapshotFormat.key(raw) { body(key) }
        }
    }

    /// The place of the first customer for whom a condition holds that holds for all after it, too.
    func firstCustomer(where isReached: (CustomerKey) -> Bool) -> Int {
        var (low, high) = (0, order.count)
        while low < high {
            let middle = (low + high) / 2
            if customer(at: middle).map(isReached) ?? true {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low
    }

    /// Whether an event up to the cut named the customer.
    func isCustomer(_ key: CustomerKey) -> Bool {
        if let entry = stream(key.environment, .customer, key.name), entry.head.position > 0 {
            return true
        }
        return !range(lineages, SnapshotFormat.number(of: key), SnapshotFormat.customer).isEmpty
            || !links(of: key).isEmpty || !handovers(of: key).isEmpty
    }

    // MARK: Persons

    var isUnlinked: Bool { links.count == 0 && handovers.count == 0 }

    func links(of key: CustomerKey) -> [Identity.Link] {
        range(links, SnapshotFormat.number(of: key), SnapshotFormat.customer).compactMap {
            element(links, $0, nil) { SnapshotFormat.link($0, key.environment) }
        }
    }

    func handovers(of key: CustomerKey) -> [Identity.Handover] {
        range(handovers, SnapshotFormat.number(of: key), SnapshotFormat.customer).compactMap {
            element(handovers, $0, nil) { SnapshotFormat.handover($0, key.environment) }
        }
    }

    func forEachLink(_ body: (CustomerKey, Identity.Link) -> Void) {
        each(links) { raw in
            guard let key = SnapshotFormat.key(raw) else { return }
            body(key, SnapshotFormat.link(raw, key.environment))
        }
    }

    func forEachHandover(_ body: (CustomerKey, Identity.Handover) -> Void) {
        each(handovers) { raw in
            guard let key = SnapshotFormat.key(raw) else { return }
            body(key, SnapshotFormat.handover(raw, key.environment))
        }
    }

    /// Where the elements of a key stand in a column that ascends by it.
    /// - Complexity: O(log *n*)
    private func range(
        _ column: Column, _ key: UInt64, _ value: (UnsafeRawBufferPointer) -> UInt64
    ) -> Range<Int> {
        var low = 0
        var high = column.count
        while low < high {
            let middle = (low + high) / 2
            if element(column, middle, 0, value) < key { low = middle + 1 } else { high = middle }
        }
        var end = low
        while end < column.count, element(column, end, UInt64.max, value) == key {
            end += 1
        }
        return low..<end
    }
}

extension UnsafeRawBufferPointer {
    /// A little-endian number at an offset.
    func number<Value: FixedWidthInteger>(_ offset: Int) -> Value {
        Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: Value.self))
    }
}
