import Daybook
import DaybookEvents
import DaybookTesting
import Foundation
import Synchronization
import Testing

/// Every event after a place, once. The seed is printed; `DAYBOOK_SEED` repeats a run.
@Suite("Changes")
struct ChangeFeedTests {
    private static let now = ForkBench.now

    /// Which changes a reader asks for.
    struct Filter: Sendable, CustomStringConvertible {
        var types: Set<EventTypeName> = []
        var subject: String?
        var environment: Environment?

        var description: String {
            "\(types.map(\.rawValue).sorted()) \(subject ?? "all") \(environment?.name ?? "all")"
        }

        static let all: [Filter] = [
            Filter(), Filter(types: [.usageRecorded]), Filter(subject: "customer-3"),
            Filter(environment: .sandbox), Filter(types: [.appLaunched], environment: .production),
            Filter(types: [.appLaunched, .subjectAliased], subject: "customer-3"),
            Filter(types: [.catalogPublished]),
        ]

        /// The same by what the export says, which knows nothing of places.
        func isAsked(_ line: JSONObject, _ chosen: Set<Int64>?) -> Bool {
            guard let position = line["position"]?.integer, let type = line["type"]?.text else {
                return false
            }
            if let chosen, !chosen.contains(position) { return false }
            if let environment, line["environment"]?.text != environment.name { return false }
            return types.isEmpty || types.contains(EventTypeName(rawValue: type))
        }
    }

    private static func draft(_ index: Int) -> EventDraft {
        let subject = "customer-\(index * 7 % 11)"
        var draft: EventDraft =
            index % 3 == 0
            ? .reported(.appLaunched, at: now, key: "l\(index)", subject: subject)
            : .used("stories", at: now, ref: "r\(index)", subject: subject)
        if index % 5 == 0 { draft.environment = .sandbox }
        return draft
    }

    /// The positions that a filter asks for, by the export and the timelines.
    private static func expected(_ ledger: Ledger, _ filter: Filter) throws -> [Int64] {
        var chosen: Set<Int64>?
        if let subject = filter.subject {
            chosen = []
            for environment in filter.environment.map({ [$0] }) ?? Environment.allCases {
                for entry in try ledger.history(of: subject, environment: environment) {
                    chosen?.insert(entry.event.position)
                }
            }
        }
        var positions: [Int64] = []
        try ledger.export { bytes in
            let line = try #require(try JSONReader.read(Array(bytes.dropLast())).object)
            if filter.isAsked(line, chosen), let position = line["position"]?.integer {
                positions.append(position)
            }
        }
        return positions
    }

    // MARK: Beside a writer

    @Test(
        "Beside a writer every event comes once, in order, by pages of any size",
        arguments: Filter.all)
    func besideAWriter(filter: Filter) async throws {
        let seed =
            ProcessInfo.processInfo.environment["DAYBOOK_SEED"].flatMap(UInt64.init)
            ?? .random(in: .min ... .max)
        print("changes of \(filter): seed \(seed) (DAYBOOK_SEED repeats it)")
        let bench = try ForkBench()
        let writer = try await bench.create()
        let isDone = Atomic(false)
        let writing = Task {
            defer { isDone.store(true, ordering: .sequentiallyConsistent) }
            var random = SplitMix64(seed: seed)
            var next = 0
            while next < 1_500 {
                let end = min(1_500, next + Int.random(in: 1...60, using: &random))
                try await writer.record((next..<end).map(Self.draft))
                next = end
            }
        }
        let reader = try bench.open(readOnly: true)
        var random = SplitMix64(seed: seed &+ 1)
        var found: [PlacedEvent] = []
        var text: String?
        var isLast = false
        while !isLast {
            // Asked before the page: what was written until then is in it, or in a further one.
            let wasDone = isDone.load(ordering: .sequentiallyConsistent)
            let limit = Int.random(in: 1...40, using: &random)
            // As a client keeps it.
            let place = try text.map { try #require(Place($0)) }
            let page = try reader.changes(
                after: place, limit: limit, types: filter.types, subject: filter.subject,
                environment: filter.environment)
            #expect(page.events.count <= limit)
            #expect(page.place.position >= place?.position ?? 0)
            #expect(page.place.position >= page.events.last?.event.position ?? 0)
            found += page.events
            // Any place will do: that of the page, or, after a cut connection, that of an event.
            if let last = page.events.last, Bool.random(using: &random) {
                text = last.place.description
            } else {
                text = page.place.description
            }
            isLast = wasDone && !page.isMore
            await Task.yield()
        }
        try await writing.value
        let positions = found.map(\.event.position)
        #expect(positions == (try Self.expected(writer, filter)), "seed \(seed)")
        for event in found.shuffled(using: &random).prefix(50) {
            #expect(event.place == (try writer.place(at: event.event.position)), "seed \(seed)")
            #expect(event.event == (try writer.event(at: event.event.position)))
        }
        try reader.close()
        try writer.close()
    }

    // MARK: Pages

    private static let alias = EventDraft.reported(
        .subjectAliased, at: now, key: "alias", subject: "ada",
        ["alias": "anonymous-7", "canonical": "ada"])

    private static func ledger() async throws -> Ledger {
        let ledger = try Ledger(inMemory: "dozzi", clock: { now })
        try await ledger.record((0..<20).map(draft))
        return ledger
    }

    @Test("A page without events goes on all the same, ten thousand positions at a time")
    func nothingFound() async throws {
        let ledger = try Ledger(inMemory: "dozzi", clock: { Self.now })
        let count = Int(ChangePage.lookedAtMax) + 50
        for start in stride(from: 0, to: count, by: 4_096) {
            try await ledger.record((start..<min(start + 4_096, count)).map(Self.draft))
        }
        try await ledger.record([Self.alias])
        let first = try ledger.changes(types: [.subjectAliased])
        #expect(first.events.isEmpty && first.isMore)
        #expect(first.place.position == ChangePage.lookedAtMax)
        let second = try ledger.changes(after: first.place, types: [.subjectAliased])
        #expect(second.events.map(\.event.position) == [Int64(count) + 1])
        #expect(!second.isMore)
        #expect(second.place == (try ledger.place()))
        let third = try ledger.changes(after: second.place, types: [.subjectAliased])
        #expect(third.events.isEmpty && !third.isMore)
        #expect(third.place == second.place)
        // One customer's events are found without the others.
        let ada = try ledger.changes(subject: "ada")
        #expect(ada.events.map(\.event.position) == [Int64(count) + 1])
        #expect(!ada.isMore && ada.place == second.place)
    }

    @Test("A limit is held within 1 and a thousand, and a page says whether more follow")
    func limits() async throws {
        let ledger = try await Self.ledger()
        for (limit, count) in [(-1, 1), (0, 1), (1, 1), (19, 19), (20, 20), (21, 20)] {
            let page = try ledger.changes(limit: limit)
            #expect(page.events.count == count)
            #expect(page.isMore == (count < 20))
            #expect(page.place == page.events.last?.place)
        }
        try await ledger.record((20..<1_020).map(Self.draft))
        #expect(try ledger.changes(limit: .max).events.count == ChangePage.limitMax)
    }

    @Test("An empty ledger has a place, and nothing after it")
    func empty() throws {
        let ledger = try Ledger(inMemory: "dozzi", clock: { Self.now })
        let page = try ledger.changes()
        #expect(page.events.isEmpty && !page.isMore)
        #expect(page.place == (try ledger.place(at: 0)))
        #expect(page.place == (try ledger.place()))
    }

    @Test("An event type that does not exist is refused: nothing of it would ever come")
    func unknownType() async throws {
        let ledger = try await Self.ledger()
        let error = #expect(throws: LedgerError.self) {
            try ledger.changes(types: [.usageRecorded, EventTypeName(rawValue: "usage.recordet")])
        }
        #expect(error?.code == "unknown_name")
        #expect("\(try #require(error))".contains("did you mean \"usage.recorded\"?"))
    }

    @Test("A customer's changes are what the timeline lists, as known when a page is asked for")
    func customer() async throws {
        let ledger = try Ledger(inMemory: "dozzi", clock: { Self.now })
        try await ledger.record([
            .used("stories", at: Self.now, ref: "a", subject: "ada"),
            .used("stories", at: Self.now, ref: "b", subject: "anonymous-7"),
            .used("stories", at: Self.now, ref: "c", subject: "bob"),
        ])
        func positions(_ subject: String, after place: Place? = nil) throws -> [Int64] {
            try ledger.changes(after: place, subject: subject).events.map(\.event.position)
        }
        #expect(try positions("ada") == [1])
        let place = try ledger.changes(subject: "ada").place
        #expect(place.position == 3)
        try await ledger.record([Self.alias])
        // What was recorded before the place does not come later; the alias says that there is something to read.
        #expect(try positions("ada", after: place) == [4])
        #expect(try positions("ada") == [1, 2, 4])
        #expect(try positions("anonymous-7") == [1, 2, 4])
        #expect(try positions("bob") == [3])
        #expect(try positions("cleo") == [])
        for subject in ["ada", "bob", "cleo"] {
            #expect(
                try positions(subject) == ledger.history(of: subject).map(\.event.position).sorted()
            )
        }
    }
}
