import DaybookEvents
import DaybookStore
import DaybookTesting
import Foundation
import Testing

/// What only another process can show: limits of the operating system, and death.
struct SQLiteProcessTests {
    @Test("A limit of the operating system is a full disk: nothing is written, and reading goes on")
    func fileSizeLimit() async {
        await #expect(processExitsWith: .success) {
            var bench = try Bench()
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit()
            #if canImport(Darwin)
                let resource = RLIMIT_FSIZE
            #else
                let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
            #endif
            getrlimit(resource, &limit)
            limit.rlim_cur = 200_000
            setrlimit(resource, &limit)
            let refusal = try failure { try bench.append(500, padding: 1_000) }
            try #require(refusal?.code == .full)
            try #require(try bench.store.head().position == 3)
            try bench.append(1)
            try #require(try bench.store.head().position == 4)
            limit.rlim_cur = limit.rlim_max
            setrlimit(resource, &limit)
            try bench.append(500, padding: 1_000)
            try #require(try bench.store.head().position == 504)
            try #require(try bench.store.findings() == [])
        }
    }

    @Test("Too many open files are called that, and not a log in a folder that cannot be written")
    func tooManyFiles() async throws {
        let bench = try Bench()
        try bench.store.close()
        await #expect(processExitsWith: .success) { [path = bench.path as String] in
            #if canImport(Darwin)
                let resource = RLIMIT_NOFILE
            #else
                let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            #endif
            // The test's own runtime opens what it waits with when it first waits, and dies where it cannot.
            let waited = DispatchSemaphore(value: 0)
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.001) { waited.signal() }
            waited.wait()
            var limit = rlimit()
            getrlimit(resource, &limit)
            let free = open("/dev/null", O_RDONLY)
            close(free)
            var refusals = 0
            // Not even the file, the file alone, its log too, …
            for count in 0..<6 {
                limit.rlim_cur = rlim_t(Int(free) + count)
                setrlimit(resource, &limit)
                let error = try failure { try SQLiteEventStore(path: path).close() }
                guard let error else { continue }
                try #require(error.code == .failed, "\(error.message)")
                try #require(error.message.contains("too many files open"), "\(error.message)")
                refusals += 1
            }
            try #require(refusals >= 2)
        }
    }

    @Test("What was acknowledged before SIGKILL is there, and the lock is free")
    func killed() async throws {
        let folder = try TemporaryFolder()
        let path = folder.newPath()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let store = try SQLiteEventStore.create(at: path, app: "dozzi")
            var builder = BatchBuilder()
            let stream = builder.stream("ada")
            for number in 1...20 {
                let rows = [builder.row(in: stream, key: "\(number)")]
                let batch = builder.batch(rows, recordedAt: Int64(number))
                try store.exclusively { turn in
                    try turn.append(batch)
                    if number == 20 { kill(getpid(), SIGKILL) }
                }
            }
        }
        let store = try SQLiteEventStore(path: path, readOnly: false, lockWaitSeconds: 1)
        #expect(try store.head().position == 20)
        #expect(try store.findings() == [])
        try store.exclusively { _ in }
        try store.close()
    }
}

/// A real disk of 600 KiB, in memory.
private enum SmallDisk {
    static let isPossible: Bool = {
        // Without a temporary folder there is no way at all.
        guard let folder = try? TemporaryFolder(), mount(folder) else { return false }
        return unmount(folder)
    }()

    static func mount(_ folder: TemporaryFolder) -> Bool {
        runCommand("mount", "-t", "tmpfs", "-o", "size=600k", "daybook-test", folder.path)
    }

    static func unmount(_ folder: TemporaryFolder) -> Bool { runCommand("umount", folder.path) }
}

@Suite(.enabled(if: SmallDisk.isPossible, "only root may mount a small disk"))
struct SQLiteFullDiskTests {
    @Test("A full disk refuses the batch as a whole; with space again, the same store goes on")
    func fullDisk() throws {
        let folder = try TemporaryFolder()
        try #require(SmallDisk.mount(folder))
        defer { _ = SmallDisk.unmount(folder) }
        var bench = try Bench(in: folder)
        let ballast = folder.path + "/ballast"
        try Data(count: 200_000).write(to: URL(filePath: ballast))
        var refusal: StoreError?
        for _ in 0..<100 where refusal == nil {
            refusal = try failure { try bench.append(20, padding: 1_000) }
        }
        #expect(refusal?.code == .full)
        #expect(try bench.store.head().position == bench.builder.head)
        try FileManager.default.removeItem(atPath: ballast)
        try bench.append(20, padding: 1_000)
        #expect(try bench.store.head().position == bench.builder.head)
        #expect(try bench.store.findings() == [])
        try bench.store.close()
    }
}
