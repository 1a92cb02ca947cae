import DaybookFixtures
import Foundation
import Testing

@Suite("Child processes of the tests")
struct ChildProcessTests {
    private let bench: Workbench

    init() throws { bench = try Workbench() }

    @Test("A child has its three streams and no other descriptor, however many are open here")
    func descriptors() throws {
        // Without the flag that closes them in a child, and more than fill a buffer of directory entries.
        var open: [Int32] = []
        for _ in 0..<400 {
            let descriptor = Foundation.open("/dev/null", O_RDONLY)
            try #require(descriptor > 2)
            open.append(descriptor)
        }
        defer { for descriptor in open { close(descriptor) } }
        let listed = try bench.shell("for f in /proc/$$/fd/*; do echo ${f##*/}; done")
        let numbers = Set(listed.output.split(separator: "\n"))
        #expect(numbers.isSuperset(of: ["0", "1", "2"]))
        // The shell has the directory that it lists, and keeps one of its own at 255.
        #expect(numbers.count <= 5, "\(numbers)")
    }

    @Test("The end of a child is told once and for all, with its status or its signal")
    func ends() throws {
        let failing = try ChildCommand("/bin/sh", ["-c", "exit 7"]).start()
        #expect(failing.wait() == 7)
        #expect(failing.wait() == 7)
        #expect(!failing.isRunning)
        failing.signal(SIGKILL)
        var command = ChildCommand("/bin/cat")
        let pipe = Pipe()
        command.input = .pipe(pipe)
        let waiting = try command.start()
        #expect(waiting.isRunning)
        waiting.signal(SIGTERM)
        #expect(waiting.wait() == -SIGTERM)
        try pipe.fileHandleForWriting.close()
    }

    @Test("What cannot be started says why")
    func missing() throws {
        #expect(throws: POSIXError(.ENOENT)) { try ChildCommand("/nothing/here").start() }
        var command = ChildCommand("/bin/cat")
        command.input = .file(bench.path("missing"))
        #expect(throws: POSIXError(.ENOENT)) { try command.start() }
    }
}
