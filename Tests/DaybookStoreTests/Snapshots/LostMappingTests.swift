import DaybookStore
import Foundation
import Testing

/// A container whose file is cut short while it is mapped.
struct LostMappingTests {
    private static let header = ContainerHeader(
        kind: .snapshot, fingerprint: 1, ledger: 1, firstPosition: 0, history: .sample(1))

    private static func write(_ byteCount: Int, to path: String, last: UInt8 = 1) throws {
        var bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }
        bytes[byteCount - 1] = last
        let section = ContainerSection(name: "bytes", elementCount: byteCount, bytes: bytes)
        try ContainerWriter.write(header, [section], to: path)
    }

    @Test(
        "Whatever is left of a file, what was read of it is thrown away, and the process lives",
        arguments: [100, 5_000, 300_000])
    func cut(byteCount: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/1.daysnap"
        try Self.write(byteCount, to: path)
        let whole = try #require(FileManager.default.contents(atPath: path))
        let lengths = [0, 1, 95, 200, whole.count / 2, whole.count - 4_096, whole.count - 4]
        for length in lengths where length >= 0 {
            try Self.write(byteCount, to: path)
            // One that was read before, and one that was not.
            for isRead in [true, false] {
                try whole.write(to: URL(filePath: path))
                let file = try ContainerFile(path: path)
                if isRead { #expect(try file.bytes("bytes").count == byteCount) }
                #expect(!file.isLost)
                try #require(truncate(path, off_t(length)) == 0)
                let error = try failure { _ = try file.bytes("bytes") }
                #expect(error?.code == .damaged, "\(length) of \(whole.count)")
                #expect(file.isLost || !isRead, "\(length) of \(whole.count)")
                #expect(try code { _ = try file.bytes("bytes") } == .damaged)
                #expect(try code { _ = try ContainerFile(path: path) } == .damaged)
            }
        }
    }

    @Test("A file that is replaced, or removed, is not lost")
    func replaced() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/1.daysnap"
        try Self.write(20_000, to: path)
        let file = try ContainerFile(path: path)
        let bytes = try file.bytes("bytes")
        try Self.write(10, to: path)
        #expect(try file.bytes("bytes") == bytes)
        try FileManager.default.removeItem(atPath: path)
        #expect(try file.bytes("bytes") == bytes)
        #expect(!file.isLost)
    }

    @Test("Many threads read files that are cut short under them, and many more are opened")
    func threads() throws {
        let folder = try TemporaryFolder()
        DispatchQueue.concurrentPerform(iterations: 8) { worker in
            do {
                let path = folder.path + "/\(worker).daysnap"
                for _ in 0..<20 {
                    try Self.write(200_000, to: path)
                    let file = try ContainerFile(path: path)
                    DispatchQueue.concurrentPerform(iterations: 4) { reader in
                        if reader == 2 { truncate(path, 70_000) }
                        do {
                            let bytes = try file.bytes("bytes")
                            #expect(bytes.last == 1 && bytes.count == 200_000)
                        } catch {
                            #expect((error as? StoreError)?.code == .damaged)
                        }
                    }
                    #expect(file.isLost)
                }
            } catch {
                Issue.record(error)
            }
        }
    }

    /// Reads behind the end of a mapped file that is none of ours.
    private static func fault(_ folder: String) throws {
        let path = folder + "/foreign"
        try Data(repeating: 1, count: 20_000).write(to: URL(filePath: path))
        let descriptor = open(path, O_RDONLY)
        let mapped = mmap(nil, 20_000, PROT_READ, MAP_PRIVATE, descriptor, 0)
        truncate(path, 0)
        print(mapped?.load(fromByteOffset: 8_192, as: UInt8.self) ?? 0)
    }

    @Test("A fault elsewhere ends the process, as it would without us")
    func foreignFault() async throws {
        let folder = try TemporaryFolder()
        await #expect(processExitsWith: .signal(SIGBUS)) { [folder = folder.path as String] in
            try Self.write(100, to: folder + "/1.daysnap")
            _ = try ContainerFile(path: folder + "/1.daysnap")
            try Self.fault(folder)
        }
        await #expect(processExitsWith: .signal(SIGBUS)) { [folder = folder.path as String] in
            try Self.write(100, to: folder + "/1.daysnap")
            _ = try ContainerFile(path: folder + "/1.daysnap")
            raise(SIGBUS)
            // Whatever thread has to end the process needs a moment for it.
            let deadline = ContinuousClock.now + .seconds(10)
            while ContinuousClock.now < deadline { sched_yield() }
        }
    }

    @Test("An earlier handler of faults still works")
    func formerHandler() async throws {
        let folder = try TemporaryFolder()
        await #expect(processExitsWith: .exitCode(7)) { [folder = folder.path as String] in
            signal(SIGBUS) { _ in _exit(7) }
            try Self.write(100, to: folder + "/1.daysnap")
            _ = try ContainerFile(path: folder + "/1.daysnap")
            try Self.fault(folder)
        }
    }
}
