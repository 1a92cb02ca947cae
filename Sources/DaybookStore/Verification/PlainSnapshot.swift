/// A snapshot's sections, read by the format in `SnapshotFormat.swift`, beside what the rows up to its cut say.
struct PlainSnapshot {
    private let sections: [String: PlainContainer.Section]
    private let nameCount: Int
    private let streamCount: Int

    init(_ file: PlainContainer) throws(PlainContainer.Refusal) {
        sections = try file.sections()
        guard let names = Int(exactly: file.nameCount), names >= 0, names < 1 << 32,
            let streams = Int(exactly: file.streamCount), streams >= 0, streams < 1 << 32
        else { throw .problem("its header counts nonsense") }
        nameCount = names
        streamCount = streams
    }

    private func column(
        _ name: String, _ size: Int, count: Int? = nil
    ) throws(PlainContainer.Refusal) -> UnsafeRawBufferPointer {
        try PlainContainer.column(sections, name, size, count: count)
    }

    /// - Parameter streams: All of the ledger, as of the cut.
    /// - Returns: The first thing of each kind that differs.
    func differences(
        _ names: PlainNames, _ streams: [PlainStream], _ persons: PlainPersons,
        _ secret: PlainSecret
    ) throws(PlainContainer.Refusal) -> [String] {
        guard Int64(nameCount) <= names.count, streamCount < streams.count else {
            return ["it has more names or streams than the ledger"]
        }
        let known = streams[0...streamCount]
        let aggregates = persons.aggregates(known, names)
        return [
            try nameDifference(names, known), try slotDifference(names, secret),
            try streamDifference(known, aggregates), try memberDifference(known, aggregates),
            try lineageDifference(persons), try linkDifference(persons),
            try handoverDifference(persons), try orderDifference(names, known, persons),
            try specialDifference(persons), try zoneDifference(persons),
        ].compactMap(\.self)
    }

    private func nameDifference(
        _ names: PlainNames, _ streams: ArraySlice<PlainStream>
    ) throws(PlainContainer.Refusal) -> String? {
        let column = try column("names", 16, count: nameCount)
        let texts = try self.column("texts", 1)
        var first = [Int](repeating: 0, count: nameCount + 1)
        for id in streams.indices.dropFirst().reversed() {
            if let name = Int(exactly: streams[id].name), name >= 0, name <= nameCount {
                first[name] = id
            }
        }
        for id in stride(from: 1, through: nameCount, by: 1) {
            let base = 16 * (id - 1)
            let offset: UInt64 = column.plain(base)
            let count = Int(column.plain(base + 8, as: UInt32.self))
            guard offset <= UInt64(texts.count), count <= texts.count - Int(offset) else {
                return "the text of name \(id) lies outside"
            }
            guard texts[Int(offset)..<Int(offset) + count].elementsEqual(names.text(Int64(id)))
            else { return "name \(id) is another text than the row's" }
            let stream = Int(column.plain(base + 12, as: UInt32.self))
            guard stream == first[id] else {
                return "the first stream of name \(id) is \(stream), expected \(first[id])"
            }
        }
        return nil
    }

    private func slotDifference(
        _ names: PlainNames, _ secret: PlainSecret
    ) throws(PlainContainer.Refusal) -> String? {
        let slots = try column("slots", 4)
        let count = slots.count / 4
        guard count > 2 * nameCount, count & (count - 1) == 0 else {
            return "\(count) slots for \(nameCount) names"
        }
        func slot(_ index: Int) -> Int { Int(slots.plain(4 * index, as: UInt32.self)) }
        guard (0..<count).count(where: { slot($0) != 0 }) == nameCount else {
            return "other names than there are have slots"
        }
        for id in stride(from: 1, through: nameCount, by: 1) {
            let hash = Array(names.text(Int64(id))).withUnsafeBytes {
                PlainSip.short(secret.lookup, $0)
            }
            var place = Int(truncatingIfNeeded: hash) & (count - 1)
            while slot(place) != id {
                guard slot(place) != 0 else { return "name \(id) is not found by its hash" }
                place = (place + 1) & (count - 1)
            }
        }
        return nil
    }

    private func streamDifference(
        _ streams: ArraySlice<PlainStream>, _ aggregates: [Int64]
    ) throws(PlainContainer.Refusal) -> String? {
        let column = try column("streams", 32, count: streamCount)
        var next: [Int64: Int] = [:]
        for id in stride(from: streamCount, to: 0, by: -1) {
            let base = 32 * (id - 1)
            let stream = streams[id]
            let fields: [(String, Int64, Int64)] = [
                ("last position", column.plain(base), stream.position),
                ("version", column.plain(base + 8), stream.version),
                ("name", column.plainName(base + 16), stream.name),
                ("aggregate", column.plainName(base + 20), aggregates[id]),
                ("next of its name", column.plainName(base + 24), Int64(next[stream.name] ?? 0)),
                ("environment", Int64(column[base + 28]), stream.environment),
                ("kind", Int64(column[base + 29]), stream.kind),
            ]
            if let (field, found, expected) = fields.first(where: { $0.1 != $0.2 }) {
                return "the \(field) of stream \(id) is \(found), expected \(expected)"
            }
            next[stream.name] = id
        }
        return nil
    }

    private func memberDifference(
        _ streams: ArraySlice<PlainStream>, _ aggregates: [Int64]
    ) throws(PlainContainer.Refusal) -> String? {
        let customers = streams.indices.dropFirst().filter { streams[$0].isCustomer }
        let persons = Dictionary(grouping: customers) { aggregates[$0] }
        let expected = persons.filter { $0.value.count > 1 }.flatMap { aggregate, members in
            members.map { [aggregate, Int64($0)] }
        }
        return try difference("members", [4, 4], expected)
    }

    private func lineageDifference(_ persons: PlainPersons) throws(PlainContainer.Refusal)
        -> String?
    {
        let expected = persons.namings.map { [Int64(bitPattern: $0.customer), $0.lineage] }
        return try difference("lines", [8, 4], expected)
    }

    private static func customer(_ statement: PlainPersons.Statement, _ name: Int64) -> Int64 {
        statement.key.environment << 32 | name
    }

    private func linkDifference(_ persons: PlainPersons) throws(PlainContainer.Refusal) -> String? {
        var expected: [[Int64]] = []
        for link in persons.links {
            func append(_ name: Int64, _ other: Int64, isAlias: Bool) {
                let flags: UInt64 = (isAlias ? 1 << 63 : 0) | (link.isOn ? 1 << 62 : 0)
                expected.append([
                    Self.customer(link, name), other, link.key.source, link.occurredAt,
                    link.sequence, Int64(bitPattern: link.key.bits.high),
                    Int64(bitPattern: link.key.bits.low), link.position | Int64(bitPattern: flags),
                ])
            }
            append(link.left, link.right, isAlias: true)
            if link.right != 0 { append(link.right, link.left, isAlias: false) }
        }
        return try difference("links", [8, 4, 4, 8, 8, 8, 8, 8], expected)
    }

    private func handoverDifference(
        _ persons: PlainPersons
    ) throws(PlainContainer.Refusal) -> String? {
        var expected: [[Int64]] = []
        for handover in persons.handovers {
            for name in Set([handover.left, handover.right]) {
                expected.append([
                    Self.customer(handover, name), handover.left, handover.right,
                    handover.key.source, handover.occurredAt, handover.sequence,
                    Int64(bitPattern: handover.key.bits.high),
                    Int64(bitPattern: handover.key.bits.low), handover.position,
                ])
            }
        }
        return try difference("handovers", [8, 4, 4, 4, 8, 8, 8, 8, 8], expected)
    }

    /// Customers are those with events of their own, those whom lineages name, and those who were linked or gave or got
    /// everything.
    private func orderDifference(
        _ names: PlainNames, _ streams: ArraySlice<PlainStream>, _ persons: PlainPersons
    ) throws(PlainContainer.Refusal) -> String? {
        var customers = Set(persons.namings.map(\.customer))
        for stream in streams where stream.isCustomer && stream.position > 0 {
            customers.insert(stream.customer)
        }
        for statement in persons.links + persons.handovers {
            for name in [statement.left, statement.right] where name != 0 {
                customers.insert(UInt64(bitPattern: Self.customer(statement, name)))
            }
        }
        let expected = customers.sorted { left, right in
            if left >> 32 != right >> 32 { return left >> 32 < right >> 32 }
            return names.text(Int64(left & 0xFFFF_FFFF)).lexicographicallyPrecedes(
                names.text(Int64(right & 0xFFFF_FFFF)))
        }
        let column = try column("order", 8)
        guard column.count == 8 * expected.count else {
            return "section order has \(column.count / 8) customers, expected \(expected.count)"
        }
        for (index, customer) in expected.enumerated() {
            let found: UInt64 = column.plain(8 * index)
            if found != customer {
                return "customer \(index) of section order is \(found), expected \(customer)"
            }
        }
        return nil
    }

    private func specialDifference(
        _ persons: PlainPersons
    ) throws(PlainContainer.Refusal) -> String? {
        try difference("special", [8], persons.special.map { [$0] })
    }

    private func zoneDifference(_ persons: PlainPersons) throws(PlainContainer.Refusal) -> String? {
        let column = try column("zones", 4)
        let found = Set(
            stride(from: 0, to: column.count, by: 4).map(column.plainName))
        if let missing = persons.zones.subtracting(found).min() {
            return "zones lacks name \(missing)"
        }
        if !persons.isAmended, let foreign = found.subtracting(persons.zones).min() {
            return "zones has name \(foreign), which no row names"
        }
        return nil
    }

    /// Compares the elements of a section, whatever their order among equal ones.
    /// - Parameter widths: Bytes of the fields of an element, 4 or 8; a field of 8 begins at a multiple of 8.
    private func difference(
        _ name: String, _ widths: [Int], _ expected: [[Int64]]
    ) throws(PlainContainer.Refusal) -> String? {
        var size = 0
        let fields = widths.map { width in
            let offset = (size + width - 1) / width * width
            size = offset + width
            return (offset: offset, isName: width == 4)
        }
        // The next element begins with a field as wide as the first one.
        size = (size + widths[0] - 1) / widths[0] * widths[0]
        let column = try column(name, size)
        let found = stride(from: 0, to: column.count, by: size).map { base in
            fields.map {
                $0.isName ? column.plainName(base + $0.offset) : column.plain(base + $0.offset)
            }
        }
        if found.count != expected.count {
            return "section \(name) has \(found.count) elements, expected \(expected.count)"
        }
        func precedes(_ left: [Int64], _ right: [Int64]) -> Bool {
            left.lexicographicallyPrecedes(right)
        }
        let pairs = zip(found.sorted(by: precedes), expected.sorted(by: precedes))
        guard let pair = pairs.first(where: { $0 != $1 }) else { return nil }
        return "section \(name) has \(pair.0), expected \(pair.1)"
    }
}
