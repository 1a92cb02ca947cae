import DaybookEvents
public import DaybookStore

/// What every event store must do, as one suite that needs no test framework.
///
/// ```swift
/// let contract = StoreContract { try MyStore(emptyAt: temporaryPath()) }
/// try contract.checkAll()
/// ```
///
/// Each clause makes stores of its own and closes them. A clause that is not kept throws a
/// `Violation` whose sentence says what was expected and what came instead.
public struct StoreContract: Sendable {
    /// A clause that a store does not keep.
    public struct Violation: Error, CustomStringConvertible {
        /// One sentence: what was expected, and what came instead.
        public let description: String
    }

    /// One promise of the contract.
    public struct Clause: Sendable, CustomStringConvertible {
        /// The promise as a sentence.
        public let description: String
        let check: @Sendable (StoreContract) -> () throws -> Void

        init(
            _ description: String,
            _ check: @escaping @Sendable (StoreContract) -> () throws -> Void
        ) {
            self.description = description
            self.check = check
        }
    }

    /// Every promise, in the order in which to read them.
    public static let clauses: [Clause] = [
        Clause("An empty store has nothing", checkEmptyStore),
        Clause("Every field of a row comes back as it was", checkFields),
        Clause("Positions run from 1 without gaps", checkPositions),
        Clause("Ranges exclude their start and include their end", checkRanges),
        Clause("A batch that is not the next one appends nothing", checkConflicts),
        Clause("Recorded time never goes back", checkRecordedTimes),
        Clause("A scan gives the same events in chunks of any size", checkChunks),
        Clause("A stream is read from its newest row back", checkStreams),
        Clause("A time resolves to the last position recorded by then", checkTimes),
        Clause("Documents come back by their digest", checkDocuments),
        Clause("Names and streams come back in order", checkNames),
        Clause("A history has one name, and goes on from no other", checkHistory),
        Clause("A store can be read while its events are handed out", checkReentry),
        Clause("A process that watches the store notices every append", checkChangeCounter),
        Clause("Writers never interleave", checkWriters),
        Clause("A failing body releases the right to write", checkRelease),
        Clause("A store can be closed twice", checkClosing),
    ]

    let makeEmptyStore: @Sendable () throws -> any EventStore

    /// - Parameter makeStore: Makes an empty store, a new one each time.
    public init(_ makeStore: @escaping @Sendable () throws -> any EventStore) {
        makeEmptyStore = makeStore
    }

    /// Checks one promise.
    public func check(_ clause: Clause) throws { try clause.check(self)() }

    /// Checks every promise, and stops at the first that is not kept.
    public func checkAll() throws {
        for clause in Self.clauses { try check(clause) }
    }

    /// An empty store has no head, no rows and no findings.
    public func checkEmptyStore() throws {
        try withStore { store in
            try expect(try store.head(), StoreHead(position: 0, recordedAt: 0), "the head")
            try expect(try store.names(after: 0), [], "the names")
            try expect(try store.streams(after: 0), [], "the streams")
            try expect(try allRows(store, 10), [], "the rows")
            try expect(try store.rows(at: [0, 1, -1, Int64.max]), [], "unknown positions")
            try expect(try store.stream(endingAt: 0), [], "the stream that ends at position 0")
            try expect(try store.stream(endingAt: 1), [], "the stream that ends at position 1")
            try expect(try store.position(recordedAtOrBefore: Int64.max), 0, "the last position")
            try expect(try store.document(sha256: "00"), nil, "an unknown document")
            try expect(try store.findings(), [], "the findings")
        }
    }

    /// Absent values, extreme numbers and every kind of text come back byte for byte.
    public func checkFields() throws {
        try withStore { store in
            var builder = BatchBuilder()
            let batch = builder.batch(StoreSamples.rows(&builder), recordedAt: 1_700_000_000_123)
            try append(batch, to: store)
            let expected = batch.rows
            let actual = try allRows(store, 1_000)
            try expect(actual.count, expected.count, "the number of rows")
            for (actual, expected) in zip(actual, expected) { try expectSame(actual, expected) }
            try expect(
                try allEvents(store, 1_000), expected.map(\.event.withoutUnusedSlots),
                "the hot events")
            for row in expected {
                guard let found = try store.rows(at: [row.event.position]).first else {
                    throw Violation(description: "position \(row.event.position) was not found")
                }
                try expectSame(found, row)
            }
            try expect(try store.findings(), [], "the findings")
        }
    }

    /// Two batches get positions 1, 2 and 3, and the head follows.
    public func checkPositions() throws {
        try withStore { store in
            var builder = BatchBuilder()
            let first = builder.stream("s1")
            let second = builder.stream("s2")
            let rows = [builder.row(in: first, key: "a"), builder.row(in: first, key: "b")]
            try append(builder.batch(rows, recordedAt: 10), to: store)
            try expect(try store.head(), StoreHead(position: 2, recordedAt: 10), "the head")
            try append(
                builder.batch([builder.row(in: second, key: "c")], recordedAt: 20), to: store)
            try expect(try store.head(), StoreHead(position: 3, recordedAt: 20), "the head")
            try expect(try positions(store, 0, Int64.max, 2), [1, 2, 3], "the positions")
            try expect(try allRows(store, 9).map(\.streamVersion), [1, 2, 1], "the versions")
        }
    }

    /// Every kind of range of three events.
    public func checkRanges() throws {
        try withStore { store in
            var builder = BatchBuilder()
            let stream = builder.stream("s1")
            let rows = (1...3).map { builder.row(in: stream, key: "\($0)") }
            try append(builder.batch(rows, recordedAt: 10), to: store)
            let table: [(start: Int64, end: Int64, expected: [Int64])] = [
                (0, 3, [1, 2, 3]), (1, 3, [2, 3]), (1, 2, [2]), (3, 3, []), (0, 2, [1, 2]),
                (0, 0, []),
                (2, 1, []), (3, Int64.max, []), (2, Int64.max, [3]), (7, 9, []),
            ]
            for (start, end, expected) in table {
                try expect(
                    try positions(store, start, end, 2), expected,
                    "positions after \(start) through \(end)")
            }
            try expect(
                try store.rows(at: [3, 1, 9, 3]).map(\.event.position), [3, 1, 3],
                "rows in the given order")
        }
    }

    /// Whatever does not follow the head is refused as a whole.
    public func checkConflicts() throws {
        try withStore { store in
            var builder = BatchBuilder()
            let stream = builder.stream("s1")
            let first = builder.batch([builder.row(in: stream, key: "a")], recordedAt: 10)
            try append(first, to: store)
            let rows = (1...2).map { builder.row(in: stream, key: "next \($0)") }
            _ = builder.name("new")
            let next = builder.batch(
                rows, recordedAt: 20, documents: [StoredDocument(sha256: "ab", bytes: [1])])
            for (reason, batch) in StoreSamples.misfits(first: first, next: next) {
                try expectConflict(store, batch, reason)
                try expect(
                    try store.head(), StoreHead(position: 1, recordedAt: 10),
                    "the head after \(reason)")
                try expect(try store.names(after: 0), first.names, "the names after \(reason)")
                try expect(
                    try store.streams(after: 0), first.streams, "the streams after \(reason)")
                try expect(try store.document(sha256: "ab"), nil, "the document after \(reason)")
                try expect(try allRows(store, 9), first.rows, "the rows after \(reason)")
            }
            try append(next, to: store)
            try expect(try allRows(store, 9), first.rows + next.rows, "the rows at last")
        }
    }

    /// Before, at and after the last time; also within a batch, and also for a batch of no events.
    public func checkRecordedTimes() throws {
        try withStore { store in
            var builder = BatchBuilder()
            let stream = builder.stream("s1")
            try append(
                builder.batch([builder.row(in: stream, key: "first")], recordedAt: 10), to: store)
            for (key, recordedAt) in [("same time", 10), ("later", 11)] as [(String, Int64)] {
                var early = builder
                try expectConflict(
                    store,
                    early.batch([early.row(in: stream, key: key)], recordedAt: 9),
                    "a time before the last one")
                try append(
                    builder.batch([builder.row(in: stream, key: key)], recordedAt: recordedAt),
                    to: store)
            }
            try append(builder.batch([], recordedAt: 0), to: store)
            try expect(try store.head(), StoreHead(position: 3, recordedAt: 11), "the head")
            try expect(try allRows(store, 9).map(\.recordedAt), [10, 10, 11], "the times")
        }
    }

    /// The counter stands still while nothing is appended, and moves with each append (rule 29).
    public func checkChangeCounter() throws {
        try withStore { store in
            var builder = BatchBuilder()
            let stream = builder.stream("s1")
            for number in 1...3 {
                let before = try store.foreignChangeCounter()
                _ = try allRows(store, 9)
                try expect(
                    try store.foreignChangeCounter(), before, "the change counter after reading")
                let rows = [builder.row(in: stream, key: "\(number)")]
                try append(builder.batch(rows, recordedAt: 10), to: store)
                guard try store.foreignChangeCounter() != before else {
                    throw Violation(
                        description: "the change counter is \(before) after an append as before it")
                }
            }
        }
    }

    /// Chunks of 1, 2, 7 and 1,000 give the same events as the rows one by one.
    public func checkChunks() throws {
        try withStore { store in
            let batches = try appendMany(store)
            let expected = batches.flatMap(\.rows)
            for count in [1, 2, 7, 1_000] {
                try expect(try allRows(store, count), expected, "the rows in chunks of \(count)")
                try expect(
                    try allEvents(store, count), expected.map(\.event.withoutUnusedSlots),
                    "the events in chunks of \(count)")
            }
            let onePerOne = try expected.flatMap { try store.rows(at: [$0.event.position]) }
            try expect(onePerOne, expected, "the rows one by one")
        }
    }

    /// A stream read from any of its rows gives that row and those before it.
    public func checkStreams() throws {
        try withStore { store in
            let all = try appendMany(store).flatMap(\.rows)
            for row in all {
                let chain = all.filter {
                    $0.event.stream == row.event.stream && $0.event.position <= row.event.position
                }
                try expect(
                    try store.stream(endingAt: row.event.position), chain.reversed(),
                    "the stream that ends at position \(row.event.position)")
            }
        }
    }

    /// Before, at and after each recorded time; a batch is known as a whole.
    public func checkTimes() throws {
        try withStore { store in
            let all = try appendMany(store).flatMap(\.rows)
            for instant in Set(
                all.flatMap { [$0.recordedAt - 1, $0.recordedAt, $0.recordedAt + 1] })
            {
                let expected = all.last { $0.recordedAt <= instant }?.event.position ?? 0
                try expect(
                    try store.position(recordedAtOrBefore: instant), expected,
                    "the last position recorded by \(instant)")
            }
            try expect(
                try store.position(recordedAtOrBefore: Int64.min), 0, "the first position ever")
        }
    }

    /// Documents of no bytes, of all bytes and of many bytes; storing one again changes nothing.
    public func checkDocuments() throws {
        try withStore { store in
            var builder = BatchBuilder()
            let bytes: [[UInt8]] = [
                [], (0...255).map { UInt8($0) }, Array(repeating: 7, count: 100_000),
            ]
            let documents = bytes.map {
                StoredDocument(sha256: Digest.hexadecimal(Digest.sha256($0)), bytes: $0)
            }
            try append(builder.batch([], recordedAt: 1, documents: documents), to: store)
            try append(builder.batch([], recordedAt: 2, documents: documents), to: store)
            for document in documents {
                try expect(
                    try store.document(sha256: document.sha256), document.bytes,
                    "document \(document.sha256)")
            }
            try expect(try store.head().position, 0, "the head")
            try expect(try store.findings(), [], "the findings")
        }
    }

    /// Names and streams above any number, byte for byte.
    public func checkNames() throws {
        try withStore { store in
            var builder = BatchBuilder()
            for text in StoreSamples.texts { _ = builder.name(text) }
            for environment in Environment.allCases {
                for kind in StreamKind.allCases {
                    _ = builder.stream("\(environment) \(kind)", environment, kind)
                }
            }
            try append(builder.batch([], recordedAt: 1), to: store)
            let names = builder.names
            for count in [0, 1, names.count - 1, names.count] {
                let expected = names.texts(after: count).map { Array($0.utf8) }
                try expect(
                    try store.names(after: count).map { Array($0.utf8) }, expected,
                    "names after \(count)")
            }
            for count in [0, 1, builder.streams.count] {
                try expect(
                    try store.streams(after: UInt32(count)),
                    Array(builder.streams.dropFirst(count)),
                    "streams after \(count)")
            }
        }
    }

    /// The body of a scan may ask the store for rows.
    public func checkReentry() throws {
        try withStore { store in
            let all = try appendMany(store).flatMap(\.rows)
            var found: [EventRow] = []
            try store.scan(after: .start, through: try store.head().checkpoint, chunkCount: 5) {
                events in
                for index in events.indices {
                    found += try store.rows(at: [events[index].position])
                }
            }
            try expect(found, all, "the rows asked for inside a scan")
        }
    }

    /// Two writers of 1,000 events at once, and four of many batches: one batch wholly before the
    /// other.
    public func checkWriters() throws {
        for (writerCount, batchCount, rowCount) in [(2, 1, 1_000), (4, 10, 7)] {
            try withStore { store in
                try runWriters(store, writerCount, batchCount: batchCount, rowCount: rowCount)
            }
        }
    }

    /// What a body throws comes out as it is, nothing is appended, and the next writer gets its
    /// turn.
    public func checkRelease() throws {
        struct Refusal: Error {}
        try withStore { store in
            do {
                try store.exclusively { _ in throw Refusal() }
                throw Violation(description: "an error of the body was swallowed")
            } catch is Refusal {}
            _ = try appendMany(store)
        }
    }

    /// Closing a closed store does nothing.
    public func checkClosing() throws {
        let store = try makeEmptyStore()
        _ = try appendMany(store)
        try store.close()
        try store.close()
    }
}
