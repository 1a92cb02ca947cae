import DaybookStore
import Foundation
import Testing

/// Which files of a folder a ledger uses.
struct LookupFolderTests {
    private struct Setting {
        let folder: TemporaryFolder
        let lookup: LookupFolder
        var random: SplitMix

        init(_ name: String) throws {
            folder = try TemporaryFolder()
            lookup = LookupFolder(path: folder.path + "/deep/er", ledger: 0xA1)
            random = .seeded(name)
        }

        /// Writes a run of some units, and gives what it holds.
        mutating func write(_ first: Int64, _ count: Int64 = 1) throws -> LookupSample {
            let sample = LookupSample.unit(first, count: count, &random)
            _ = try lookup.write(sample.run, history: Self.history(sample.range.upperBound))
            return sample
        }

        /// The history of the ledger that the files are of; `past` 1 is another one.
        static func history(_ position: Int64, past: UInt8 = 0) -> HistoryPoint {
            HistoryPoint.sample(position, past: past)
        }

        func contents(units: Int64) throws -> LookupFolder.Contents {
            try lookup.contents(through: units * LookupRun.alignment) {
                $0 == Self.history($0.position)
            }
        }

        var names: [String] {
            get throws { try FileManager.default.contentsOfDirectory(atPath: lookup.path).sorted() }
        }
    }

    private func units(_ contents: LookupFolder.Contents) -> [Range<Int64>] {
        contents.runs.map {
            ($0.range.lowerBound - 1) / LookupRun.alignment..<$0.range.upperBound
                / LookupRun.alignment
        }
    }

    @Test("A folder that is not there holds nothing, and that is no problem")
    func nothing() throws {
        let contents = try Setting("empty folder").contents(units: 3)
        #expect(contents.runs.isEmpty)
        #expect(contents.problems == [])
    }

    @Test("What was written is found again, in order, with gaps where nothing is")
    func gaps() throws {
        var setting = try Setting("gaps")
        let samples = [try setting.write(5), try setting.write(0), try setting.write(2, 2)]
        let contents = try setting.contents(units: 6)
        #expect(units(contents) == [0..<1, 2..<4, 5..<6])
        #expect(contents.problems == [])
        for (sample, run) in zip([samples[1], samples[2], samples[0]], contents.runs) {
            for entry in sample.entries.prefix(100) {
                #expect(try run.positions(of: entry.hash).contains(entry.position))
            }
        }
    }

    @Test("Where files overlap the longest counts, and a merged run removes its parts")
    func overlap() throws {
        var setting = try Setting("overlap")
        let parts = try (0..<4).map { try setting.write($0).run }
        let kept = try setting.names
        let merged = try LookupRun.merged(parts)
        let written = try setting.lookup.write(
            merged, history: Setting.history(merged.range.upperBound))
        #expect(try setting.names.count == 1)
        #expect(written.path?.hasSuffix("keys-000000000001-000000065536.daykeys") == true)
        // A writer that died before it could remove the parts.
        for part in parts.prefix(2) {
            _ = try setting.lookup.write(part, history: Setting.history(part.range.upperBound))
        }
        #expect(try setting.names.filter(kept.contains).count == 2)
        let contents = try setting.contents(units: 4)
        #expect(units(contents) == [0..<4])
        #expect(contents.problems == [])
        // Without the long one the short ones count again.
        try FileManager.default.removeItem(atPath: try #require(written.path))
        #expect(units(try setting.contents(units: 4)) == [0..<1, 1..<2])
    }

    @Test("A run that was sealed after the head was read is left to the next opening, in silence")
    func later() throws {
        var setting = try Setting("later")
        _ = try setting.write(0)
        _ = try setting.write(1)
        let contents = try setting.contents(units: 1)
        #expect(units(contents) == [0..<1])
        #expect(contents.problems == [])
    }

    @Test("A run of another ledger is told and not used")
    func foreignLedger() throws {
        var setting = try Setting("foreign ledger")
        _ = try setting.write(0)
        let sample = LookupSample.unit(1, &setting.random)
        let other = LookupFolder(path: setting.lookup.path, ledger: 0xB2)
        _ = try other.write(sample.run, history: Setting.history(sample.range.upperBound))
        let contents = try setting.contents(units: 2)
        #expect(units(contents) == [0..<1])
        #expect(contents.problems.count == 1)
        #expect(contents.problems.first?.hasSuffix("is of another ledger") == true)
    }

    @Test("A run of another history of the ledger is told, and a shorter one takes its place")
    func foreignHistory() throws {
        var setting = try Setting("foreign history")
        let long = LookupSample.unit(0, count: 2, &setting.random)
        let path = try setting.lookup.write(
            long.run, history: Setting.history(long.range.upperBound, past: 1)
        ).path
        _ = try setting.write(0)
        let contents = try setting.contents(units: 2)
        #expect(units(contents) == [0..<1])
        #expect(contents.problems == [])
        #expect(contents.foreign == [path])
    }

    private static let last = LookupRun.alignment

    @Test(
        "A run that does not fill whole units is told and not used",
        arguments: [1...last - 1, 2...last, 1...last + 1])
    func misaligned(range: ClosedRange<Int64>) throws {
        var setting = try Setting("broken units")
        let sample = LookupSample(range, &setting.random)
        _ = try setting.lookup.write(sample.run, history: Setting.history(range.upperBound))
        let contents = try setting.contents(units: 2)
        #expect(contents.runs.isEmpty)
        #expect(contents.problems.count == 1)
        #expect(contents.problems.first?.contains("at multiples of") == true)
    }

    @Test("A damaged file is told; writing its run again makes it whole")
    func damagedFile() throws {
        var setting = try Setting("damaged file")
        let sample = try setting.write(0)
        let run = try #require(try setting.contents(units: 1).runs.first)
        let path = try #require(run.path)
        var bytes = try #require(FileManager.default.contents(atPath: path))
        bytes[bytes.count / 2] ^= 0x10
        try bytes.write(to: URL(filePath: path))
        let damaged = try #require(try setting.contents(units: 1).runs.first)
        #expect(try code { _ = try LookupRun.merged([damaged]) } == .damaged)
        #expect(damaged.isDamaged)
        let history = Setting.history(sample.range.upperBound)
        _ = try setting.lookup.write(sample.run, history: history, isReplacing: true)
        let whole = try #require(try setting.contents(units: 1).runs.first)
        for entry in sample.entries {
            #expect(try whole.positions(of: entry.hash).contains(entry.position))
        }
        bytes[20] ^= 0x10
        try bytes.write(to: URL(filePath: path))
        let contents = try setting.contents(units: 1)
        #expect(contents.runs.isEmpty)
        #expect(contents.problems.count == 1)
        // A file that cannot even be opened is replaced without being asked to.
        _ = try setting.lookup.write(sample.run, history: history)
        #expect(units(try setting.contents(units: 1)) == [0..<1])
    }
}
