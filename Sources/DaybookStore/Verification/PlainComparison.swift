/// What is compared along the walk over the rows, and after it.
struct PlainComparison {
    private(set) var walk: PlainWalk
    private(set) var history = PlainProblems()
    private(set) var folder: PlainFolder
    private let head: PlainHead
    private let nameLinks: [Int64: PlainHash]
    private let streamLinks: [Int64: PlainHash]
    private let secret: PlainSecret
    /// The files that end at a position.
    private var ending: [Int64: [Int]] = [:]
    /// Segments by their first position, from the last on; they are opened when the walk comes to them.
    private var waiting: [Int]
    private var open: [(index: Int, segment: PlainSegment)] = []

    init(head: PlainHead, tables: PlainTables, folder: PlainFolder, secret: PlainSecret) {
        self.head = head
        self.folder = folder
        self.secret = secret
        nameLinks = tables.names.links
        streamLinks = tables.streams.links
        walk = PlainWalk(names: tables.names, streams: tables.streams.all, secret: secret)
        let candidates = folder.candidates
        for (index, candidate) in candidates.enumerated() {
            ending[candidate.file.cut, default: []].append(index)
        }
        waiting = candidates.indices.filter { candidates[$0].kind == .segment }
            .sorted { candidates[$0].file.first > candidates[$1].file.first }
    }

    mutating func walk(
        _ connection: PlainConnection, _ progress: (Int64, Int64) throws -> Void
    ) throws {
        try connection.pages(PlainWalk.sql, through: head.position) { row in
            let step = walk.visit(row)
            let position = walk.position
            while let next = waiting.last, folder.candidates[next].file.first <= position {
                waiting.removeLast()
                begin(next)
            }
            if let step, !open.isEmpty { compare(step, position) }
            if position & 255 == 0 {
                checkBlock(position)
                if position & 16_383 == 0 {
                    checkMark(position)
                    try progress(position, head.position)
                }
            }
            if let files = ending[position] { end(files, position) }
        }
    }

    private mutating func begin(_ index: Int) {
        do throws(PlainContainer.Refusal) {
            let segment = try PlainSegment(folder.candidates[index].file)
            if !segment.hasDigest {
                folder.add("its events have another SHA-256 than its header says", to: index)
            }
            open.append((index, segment))
        } catch {
            folder.add(error, to: index)
        }
    }

    private mutating func compare(_ step: PlainWalk.Step, _ position: Int64) {
        // Where rows are missing the walk may have jumped over the end of a segment.
        for (index, segment) in open where folder.candidates[index].file.cut >= position {
            let found = segment.difference(at: position, from: step.event, before: step.before)
            if let found { folder.add("position \(position): \(found)", to: index) }
        }
    }

    private mutating func end(_ files: [Int], _ position: Int64) {
        open.removeAll { files.contains($0.index) }
        for index in files {
            let candidate = folder.candidates[index]
            let found = hash(candidate.file.nameCount, candidate.file.streamCount)
            folder.settle(index, isOfThisHistory: found == candidate.file.hash)
            guard found == candidate.file.hash, candidate.kind == .snapshot else { continue }
            do throws(PlainContainer.Refusal) {
                let snapshot = try PlainSnapshot(candidate.file)
                let differences = try snapshot.differences(
                    walk.names, walk.streams, walk.persons, secret)
                for difference in differences { folder.add(difference, to: index) }
            } catch {
                folder.add(error, to: index)
            }
        }
    }

    /// The hash of the history at the walk's place; `nil` for counts that the ledger does not have.
    private func hash(_ names: Int64, _ streams: Int64) -> PlainHash? {
        guard let nameLink = nameLinks[names], let streamLink = streamLinks[streams] else {
            return nil
        }
        return walk.history.hash(
            ledger: head.ledger, position: walk.position, names: (names, nameLink),
            streams: (streams, streamLink))
    }

    private mutating func checkBlock(_ position: Int64) {
        let number = position / 256
        guard number == Int64(walk.leaves.count), let leaf = walk.leaves.last else { return }
        let place = "block \(number) (positions \(position - 255) to \(position))"
        guard let stored = head.blocks[number] else { return history.add("\(place) is missing") }
        if stored != leaf {
            history.add("\(place) has the leaf \(stored.short), its rows \(leaf.short)")
        }
    }

    private mutating func checkMark(_ position: Int64) {
        guard let mark = head.marks[position] else {
            return history.add("the mark at position \(position) is missing")
        }
        if mark.tree != walk.history.treeBytes {
            history.add("the mark at position \(position) has another tree than its blocks")
        }
        check(mark, "the mark at position \(position)")
    }

    private mutating func check(_ mark: PlainHead.Mark, _ what: String) {
        if mark.nameLink == nil || nameLinks[mark.names] != mark.nameLink {
            history.add("\(what) has another hash over its \(mark.names) names than they have")
        }
        if mark.streamLink == nil || streamLinks[mark.streams] != mark.streamLink {
            history.add("\(what) has another hash over its \(mark.streams) streams than they have")
        }
        guard let found = hash(mark.names, mark.streams) else { return }
        if mark.hash != found {
            history.add(
                "\(what) has the hash \(mark.hash?.short ?? "none"), the rows \(found.short)")
        }
    }

    /// What can be told at the end of the walk.
    mutating func finish() {
        if let (position, mark) = head.head {
            if position == walk.position {
                check(mark, "the head")
                if head.epoch != walk.epoch {
                    history.add(
                        "the head is in epoch \(head.epoch), the rows in epoch \(walk.epoch)")
                }
            } else {
                history.add("the head is at position \(position), the rows at \(walk.position)")
            }
            if mark.names != walk.names.count || mark.streams != Int64(walk.streams.count - 1) {
                history.add(
                    "the head counts \(mark.names) names and \(mark.streams) streams, there are \(walk.names.count) and \(walk.streams.count - 1)"
                )
            }
        } else {
            history.add("the head is missing")
        }
        let blockCount = max(0, head.position / 256)
        if Int64(head.blocks.count) != blockCount {
            history.add("there are \(head.blocks.count) blocks, expected \(blockCount)")
        }
        for position in head.marks.keys.sorted()
        where position <= 0 || position & 16_383 != 0 || position > head.position {
            history.add("a mark stands at position \(position), where none belongs")
        }
        for (index, candidate) in folder.candidates.enumerated() where candidate.kind == .keys {
            guard candidate.isOfThisHistory, walk.rows.isEmpty else { continue }
            do throws(PlainContainer.Refusal) {
                if let found = try PlainKeys.difference(
                    candidate.file, walk.keyHashes, walk.idHashes)
                {
                    folder.add(found, to: index)
                }
            } catch {
                folder.add(error, to: index)
            }
        }
    }

    /// Of keys with equal hashes the texts tell.
    func checkKeys(_ connection: PlainConnection, _ problems: inout PlainProblems) throws {
        let sorted = walk.keyHashes.sorted()
        let doubled = Set(zip(sorted, sorted.dropFirst()).filter { $0 == $1 }.map(\.0))
        if doubled.isEmpty { return }
        struct Name: Hashable {
            var environment: Int64
            var source: Int64
            var key: [UInt8]
        }
        var places: [Name: Int64] = [:]
        for (index, hash) in walk.keyHashes.enumerated() where doubled.contains(hash) {
            let sql = "SELECT position, stream, source, key FROM events WHERE position = ?"
            try connection.each(sql, [Int64(index) + 1]) { row in
                var key = PlainText()
                row.read(3, into: &key)
                let stream = Int(clamping: row.number(1))
                guard walk.streams.indices.contains(stream) else { return }
                let name = Name(
                    environment: walk.streams[stream].environment, source: row.number(2),
                    key: key.bytes)
                if let first = places[name] {
                    problems.add("positions \(first) and \(row.number(0)) have one key")
                } else {
                    places[name] = row.number(0)
                }
            }
        }
    }
}
