import DaybookStore
import Foundation
import Synchronization
import Testing

/// The keys of a range of positions: in memory, in a file, merged, damaged.
struct LookupRunTests {
    static let ledger: UInt64 = 0xA1

    private static func written(_ run: LookupRun, _ folder: TemporaryFolder) throws -> LookupRun {
        try run.written(
            to: folder.path + "/run.daykeys", ledger: ledger,
            history: .sample(run.range.upperBound))
    }

    @Test("Every key is found at its positions and nowhere else", arguments: [1, 2, 50, 4_000])
    func found(count: Int64) throws {
        var random = SplitMix.seeded("keys of \(count) positions")
        let folder = try TemporaryFolder()
        let sample = LookupSample(901...900 + count, &random)
        let memory = sample.run
        let file = try Self.written(memory, folder)
        #expect(memory.path == nil)
        #expect(file.path == folder.path + "/run.daykeys")
        #expect(file.range == sample.range)
        #expect(file.history == .sample(sample.range.upperBound))
        let expected = sample.expected
        for run in [memory, file] {
            for (hash, positions) in expected {
                #expect(try run.positions(of: hash) == positions, "hash \(hash)")
                #expect(try run.positions(ofID: hash) == positions, "hash \(hash)")
            }
            for _ in 0..<4_000 {
                let hash = random.next()
                #expect(try run.positions(of: hash) == expected[hash, default: []])
            }
            #expect(!run.isDamaged)
        }
    }

    @Test(
        "Ids are found at all their positions: in memory, in a file, merged; none where there are none"
    )
    func ids() throws {
        let folder = try TemporaryFolder()
        func run(_ range: ClosedRange<Int64>, _ ids: [LookupRun.Entry]) -> LookupRun {
            LookupRun(range, entries: range.map { (UInt64($0) << 40, $0) }, ids: ids)
        }
        let left = run(1...8, [(7, 2), (.max, 8), (7, 1), (0, 3), (9, 3)])
        let right = run(9...12, [(7, 9), (7, 12)])
        let bare = run(13...14, [])
        let merged = try LookupRun.merged([left, right, bare])
        let file = try Self.written(merged, folder)
        for run in [merged, file, try LookupRun.merged([file])] {
            #expect(try run.positions(ofID: 7) == [1, 2, 9, 12])
            #expect(try run.positions(ofID: 0) == [3])
            #expect(try run.positions(ofID: 9) == [3])
            #expect(try run.positions(ofID: .max) == [8])
            #expect(try run.positions(ofID: 8) == [])
            // A key is no id, nor an id a key.
            #expect(try run.positions(ofID: 5 << 40) == [])
            #expect(try run.positions(of: 5 << 40) == [5])
            #expect(try run.positions(of: 7) == [])
        }
        #expect(try bare.positions(ofID: 7) == [])
    }

    @Test("Keys that are not spread evenly are found all the same")
    func crowded() throws {
        let folder = try TemporaryFolder()
        let entries = (1...20_000).map { (hash: UInt64($0) << 20, position: Int64($0)) }
        let file = try Self.written(LookupRun(1...20_000, entries: entries), folder)
        for entry in entries {
            #expect(try file.positions(of: entry.hash) == [entry.position])
            #expect(try file.positions(of: entry.hash + 1) == [])
        }
    }

    @Test(
        "The filter knows every key, and takes fewer than one unknown key in a hundred for known",
        arguments: [1, 100, 16_384, 131_072])
    func filter(count: Int) {
        var random = SplitMix.seeded("filter of \(count) keys")
        let hashes = (0..<count).map { _ in random.next() }.sorted()
        let bytes = LookupFilter.make(hashes)
        let blockCount = LookupFilter.blockCount(keyCount: count)
        #expect(bytes.count == blockCount * LookupFilter.blockByteCount)
        func mayContain(_ hash: UInt64) -> Bool {
            bytes.withUnsafeBytes { raw in
                let start =
                    LookupFilter.blockByteCount
                    * LookupFilter.block(of: hash, blockCount: blockCount)
                let end = start + LookupFilter.blockByteCount
                return LookupFilter.mayContain(hash, .init(rebasing: raw[start..<end]))
            }
        }
        #expect(hashes.allSatisfy(mayContain))
        let tries = 200_000
        let mistakes = (0..<tries).count { _ in mayContain(random.next()) }
        print("filter of \(count) keys: \(mistakes) of \(tries) unknown keys pass")
        #expect(mistakes < tries / 100)
    }

    @Test("Runs that were merged equal the run that is built at once, byte for byte")
    func merged() throws {
        var random = SplitMix.seeded("merging runs")
        let folders = try (0..<4).map { _ in try TemporaryFolder() }
        var parts: [LookupRun] = []
        var entries: [(hash: UInt64, position: Int64)] = []
        var next: Int64 = 17
        for (index, count) in [1, 700, 64, 5_000, 3].enumerated() {
            let sample = LookupSample(next...next + Int64(count) - 1, &random)
            next = sample.range.upperBound + 1
            entries += sample.entries
            // Half of the parts are files, as after opening a ledger.
            parts.append(
                index % 2 == 0
                    ? sample.run
                    : try sample.run.written(
                        to: folders[0].path + "/\(index).daykeys", ledger: 1,
                        history: .sample(sample.range.upperBound)))
        }
        let once = LookupRun(
            17...next - 1, entries: entries.shuffled(using: &random), ids: entries)
        let merged = try LookupRun.merged(parts)
        let twice = try LookupRun.merged([
            try LookupRun.merged(Array(parts[..<2])), try LookupRun.merged(Array(parts[2...])),
        ])
        let files = try zip([once, merged, twice], folders.dropFirst()).map { run, folder in
            let path = try #require(try Self.written(run, folder).path)
            return try #require(FileManager.default.contents(atPath: path))
        }
        #expect(files[0] == files[1])
        #expect(files[0] == files[2])
        // The same from where the parts lie, which is never in memory as a whole.
        let path = folders[0].path + "/whole.daykeys"
        let written = try LookupRun.writing(
            merged: parts, to: path, ledger: Self.ledger, history: .sample(next - 1))
        #expect(FileManager.default.contents(atPath: path) == files[0])
        #expect(written.range == once.range && written.path == path)
    }

    @Test("Of a part that cannot be read nothing is written, and it is known as damaged")
    func mergingDamage() throws {
        var random = SplitMix.seeded("merging damage")
        let folder = try TemporaryFolder()
        let (left, right) = (LookupSample(1...9_000, &random), LookupSample(9_001...9_010, &random))
        let path = try #require(try Self.written(left.run, folder).path)
        var bytes = try Data(contentsOf: URL(filePath: path))
        // In the second block of the hashes, when much is written already.
        let hash = left.entries.map(\.hash).sorted()[8_500]
        let place = try #require(
            bytes.range(of: withUnsafeBytes(of: hash.littleEndian) { Data($0) }))
        bytes[place.lowerBound] ^= 1
        try bytes.write(to: URL(filePath: path))
        let damaged = try LookupRun(file: ContainerFile(path: path))
        let merged = folder.path + "/whole.daykeys"
        let refusal = try code {
            _ = try LookupRun.writing(
                merged: [damaged, right.run], to: merged, ledger: Self.ledger,
                history: .sample(9_010))
        }
        #expect(refusal == .damaged)
        #expect(damaged.isDamaged)
        #expect(try folder.fileNames == ["run.daykeys"])
    }

    @Test("A merge that is not wanted any more is given up, and leaves nothing")
    func givenUp() throws {
        var random = SplitMix.seeded("giving up")
        let folder = try TemporaryFolder()
        let samples = [LookupSample(1...9_000, &random), LookupSample(9_001...9_010, &random)]
        let asked = Mutex(0)
        #expect(throws: LookupMerge.GivenUp.self) {
            try LookupRun.writing(
                merged: samples.map(\.run), to: folder.path + "/whole.daykeys",
                ledger: Self.ledger, history: .sample(9_010)
            ) {
                // After the filter and some of the hashes.
                asked.withLock {
                    $0 += 1
                    return $0 < 4
                }
            }
        }
        #expect(try folder.fileNames == [])
    }

    @Test("A file whose hashes do not ascend, with checksums that fit, is damaged and no trap")
    func disorder() throws {
        var random = SplitMix.seeded("disorder")
        let folder = try TemporaryFolder()
        let sample = LookupSample(1...40, &random)
        let path = try #require(try Self.written(sample.run, folder).path)
        let file = try ContainerFile(path: path)
        let names = ["filter", "hashes", "offsets", "id-filter", "id-hashes", "id-offsets"]
        let sections = try names.map { name in
            var bytes = try file.bytes(name)
            if name == "hashes" { bytes = Array(bytes[160...] + bytes[..<160]) }
            return ContainerSection(name: name, elementCount: 1, bytes: bytes)
        }
        try ContainerWriter.write(file.header, sections, to: path)
        let run = try LookupRun(file: ContainerFile(path: path))
        let next = LookupSample(41...50, &random).run
        #expect(try code { _ = try LookupRun.merged([run, next]) } == .damaged)
        #expect(run.isDamaged)
    }

    @Test("A damaged byte is told or does no harm, whichever it is")
    func damagedBytes() throws {
        var random = SplitMix.seeded("damaged bytes")
        let folder = try TemporaryFolder()
        let sample = LookupSample(1...40, &random)
        let path = try #require(try Self.written(sample.run, folder).path)
        let whole = try #require(FileManager.default.contents(atPath: path))
        let questions = Array(sample.expected.keys) + (0..<8).map { _ in random.next() }
        var toldCount = 0
        for index in whole.indices {
            for change in [0x01, 0x80, 0xFF] as [UInt8] {
                var bytes = whole
                bytes[index] ^= change
                try bytes.write(to: URL(filePath: path))
                if try isTold(path, sample, questions) { toldCount += 1 }
            }
        }
        // Checksums cover every byte of the file, so no damage stays untold.
        #expect(toldCount == 3 * whole.count)
    }

    @Test("A file that was cut short, or is longer than its sections, is told")
    func cutFiles() throws {
        var random = SplitMix.seeded("cut files")
        let folder = try TemporaryFolder()
        let sample = LookupSample(1...40, &random)
        let path = try #require(try Self.written(sample.run, folder).path)
        let whole = try #require(FileManager.default.contents(atPath: path))
        for count in whole.indices {
            try whole.prefix(count).write(to: URL(filePath: path))
            #expect(try isTold(path, sample, Array(sample.expected.keys)), "\(count) bytes")
        }
        try (whole + [0]).write(to: URL(filePath: path))
        #expect(try isTold(path, sample, Array(sample.expected.keys)))
    }

    /// Whether opening or a question says that the file is damaged; every answer that comes must be right.
    private func isTold(
        _ path: String, _ sample: LookupSample, _ questions: [UInt64]
    ) throws -> Bool {
        let run: LookupRun
        do {
            run = try LookupRun(file: try ContainerFile(path: path))
        } catch let error as StoreError {
            #expect(error.code == .damaged)
            return true
        }
        // A header with another range would be another run; its checksum must have told.
        #expect(run.range == sample.range)
        let expected = sample.expected
        var isTold = false
        for hash in questions {
            for question in [run.positions(of:), run.positions(ofID:)] {
                do {
                    #expect(try question(hash) == expected[hash, default: []])
                } catch let error as StoreError {
                    #expect(error.code == .damaged)
                    isTold = true
                }
            }
        }
        #expect(run.isDamaged == isTold)
        let refusal = try code { _ = try LookupRun.merged([run]) }
        #expect(refusal == nil || refusal == .damaged)
        return isTold || refusal != nil
    }

    @Test("A file of another kind or version is refused")
    func otherKinds() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/other.daykeys"
        let columns = ["filter", "hashes", "offsets"].map {
            ContainerSection(name: $0, elementCount: 1, bytes: [UInt8](repeating: 0, count: 8))
        }
        let header = ContainerHeader(
            kind: .keys, fingerprint: 2, ledger: 1, firstPosition: 1, history: .sample(1))
        var snapshot = header
        snapshot.kind = .snapshot
        var older = header
        older.fingerprint = 1
        var backwards = header
        backwards.firstPosition = 9
        for (header, sections) in [
            (header, columns), (snapshot, columns), (older, columns), (backwards, columns),
            (header, []),
        ] {
            try ContainerWriter.write(header, sections, to: path)
            let refusal = try code { _ = try LookupRun(file: try ContainerFile(path: path)) }
            #expect(refusal == .damaged)
        }
    }
}
