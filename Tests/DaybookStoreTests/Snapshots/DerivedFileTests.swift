import DaybookStore
import DaybookTesting
import Foundation
import Testing

/// Files that can be made again: whole under their name, whatever other process writes or dies.
struct DerivedFileTests {
    private static let header = ContainerHeader(
        kind: .snapshot, fingerprint: 1, ledger: 1, firstPosition: 0, history: .sample(1))

    @Test("The processor's checksum is the table's, for every length, alone and three at once")
    func checksums() throws {
        // RFC 3720 appendix B.4.
        #expect(CRC32C.checksum([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
        #expect(CRC32C.checksum([UInt8](repeating: 0xFF, count: 32)) == 0x62A8_AB43)
        #expect(CRC32C.checksum(Array(0..<32)) == 0x46DD_794E)
        var random = SplitMix64(seed: 4)
        let bytes = (0..<4_096).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        bytes.withUnsafeBytes { raw in
            for count in 0..<300 {
                let part = UnsafeRawBufferPointer(rebasing: raw[count..<2 * count])
                #expect(CRC32C.checksum(part) == CRC32C.tabled(part), "\(count) bytes")
            }
        }
        // Blocks of 65,536 bytes: three at once, then one, then what is left.
        let folder = try TemporaryFolder()
        let large = (0..<4 * 65_536 + 77).map { _ in UInt8.random(in: .min ... .max, using: &random)
        }
        let section = ContainerSection(name: "bytes", elementCount: 1, bytes: large)
        try ContainerWriter.write(Self.header, [section], to: folder.path + "/2.daysnap")
        #expect(try ContainerFile(path: folder.path + "/2.daysnap").bytes("bytes") == large)
    }

    @Test(
        "A section that is made while it is written has the bytes of one in memory, wherever blocks end"
    )
    func streamed() throws {
        let folder = try TemporaryFolder()
        var random = SplitMix64(seed: 7)
        for round in 0..<12 {
            var bytes: [UInt8] = []
            var parts: [[UInt8]] = []
            func add(_ count: Int) {
                let part = (0..<count).map { _ in
                    UInt8.random(in: .min ... .max, using: &random)
                }
                parts.append(part)
                bytes += part
            }
            // Numbers and texts of every size, where a block has room for none, some or all of their bytes.
            for count in [2, 4, 8, 3, 57, 70_000, 131_072] {
                add((2 * 65_536 - round - bytes.count % 65_536) % 65_536)
                add(count)
            }
            add(round)
            let made = ContainerSection(name: "bytes", elementByteCount: 4) { [parts] writer in
                for part in parts {
                    part.withUnsafeBytes { raw in
                        switch part.count {
                        case 2:
                            writer.append(UInt16(littleEndian: raw.loadUnaligned(as: UInt16.self)))
                        case 4:
                            writer.append(UInt32(littleEndian: raw.loadUnaligned(as: UInt32.self)))
                        case 8:
                            writer.append(Int64(littleEndian: raw.loadUnaligned(as: Int64.self)))
                        default: writer.append(part)
                        }
                    }
                }
            }
            let held = ContainerSection(
                name: "bytes", elementCount: bytes.count / 4, bytes: bytes)
            let paths = ["\(folder.path)/made.daysnap", "\(folder.path)/held.daysnap"]
            let counts = try zip([made, held], paths).map {
                try ContainerWriter.write(Self.header, [$0, $0], to: $1)
            }
            #expect(counts == [2 * bytes.count, 2 * bytes.count])
            let files = try paths.map { try Data(contentsOf: URL(filePath: $0)) }
            // Compared before they are expected: to tell the difference of a megabyte takes minutes.
            let isSame = files[0] == files[1]
            let isRead = try ContainerFile(path: paths[0]).bytes("bytes") == bytes
            let isCollected = try made.collected().bytes == bytes
            #expect(isSame && isRead && isCollected, "round \(round)")
        }
    }

    @Test("A damaged block is found by the first read that touches it, whatever was read before")
    func damagedBlock() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/1.daysnap"
        var random = SplitMix64(seed: 5)
        let bytes = (0..<3 * 65_536).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let section = ContainerSection(name: "bytes", elementCount: 1, bytes: bytes)
        try ContainerWriter.write(Self.header, [section], to: path)
        var file = try Data(contentsOf: URL(filePath: path))
        // In the middle of the second block.
        let place = try #require(file.firstRange(of: Data(bytes[65_000..<66_000]))).lowerBound
        file[place + 536 + 32_768] ^= 1
        try file.write(to: URL(filePath: path))
        let container = try ContainerFile(path: path)
        func read(_ range: Range<Int>) throws -> [UInt8] {
            try container.withBytes("bytes", range) { Array($0) }
        }
        #expect(try read(8..<16) == Array(bytes[8..<16]))
        #expect(try read(65_528..<65_536) == Array(bytes[65_528..<65_536]))
        #expect(try read(65_536..<65_536) == [])
        #expect(throws: StoreError.self) { try read(65_532..<65_540) }
        #expect(throws: StoreError.self) { try read(65_536..<65_537) }
        #expect(try read(131_072..<131_080) == Array(bytes[131_072..<131_080]))
        #expect(throws: StoreError.self) { try read(0..<196_608) }
        #expect(throws: StoreError.self) { try read(196_600..<196_609) }
    }

    @Test("Where a section cannot be made, or what is written is not confirmed, nothing is left")
    func refused() throws {
        let folder = try TemporaryFolder()
        let failing = ContainerSection(name: "bytes", elementByteCount: 1) { writer in
            writer.append([UInt8](repeating: 1, count: 200_000))
            throw StoreError(.damaged, "no more of it")
        }
        #expect(throws: StoreError.self) {
            try ContainerWriter.write(Self.header, [failing], to: folder.path + "/1.daysnap")
        }
        #expect(throws: StoreError.self) {
            try ContainerWriter.write(Self.header, [], to: folder.path + "/1.daysnap") {
                throw StoreError(.damaged, "it was lost meanwhile")
            }
        }
        #expect(try folder.fileNames == [])
    }

    @Test("Many threads write one file at once, and each leaves a whole one")
    func manyWriters() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/1.daysnap"
        DispatchQueue.concurrentPerform(iterations: 8) { writer in
            do {
                for round in 0..<10 {
                    let bytes = [UInt8](repeating: UInt8(writer * 16 + round), count: 100_000)
                    let section = ContainerSection(
                        name: "bytes", elementCount: bytes.count, bytes: bytes)
                    try ContainerWriter.write(Self.header, [section], to: path)
                    let read = try ContainerFile(path: path).bytes("bytes")
                    #expect(read.count == 100_000)
                    #expect(Set(read).count == 1)
                }
            } catch {
                Issue.record(error)
            }
        }
        #expect(try folder.fileNames == ["1.daysnap"])
    }

    @Test("What a killed writer left behind is removed after an hour, and nothing else")
    func leftovers() throws {
        let folder = try TemporaryFolder()
        let old = ["1.daysnap.6b2f.tmp", "2.daysnap.4711.tmp"]
        let kept = ["3.daysnap.77.tmp", "notes.tmp", "x.daykeys.12.tmp", "4.daysnap"]
        for name in old + kept {
            let path = folder.path + "/" + name
            try Data([1]).write(to: URL(filePath: path))
            guard name != "3.daysnap.77.tmp" else { continue }
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -7_200)], ofItemAtPath: path)
        }
        try ContainerWriter.write(Self.header, [], to: folder.path + "/5.daysnap")
        #expect(try folder.fileNames == (kept + ["5.daysnap"]).sorted())
    }
}
