import Daybook
import DaybookServer
import Foundation
import Testing

@Suite("Threads of connections")
struct LoopTests {
    @Test("What is brief is answered on its connection's thread, the rest leaves it")
    func threads() async throws {
        try await ServerBench.serving(extra: [
            Self.route("brief", .brief), Self.route("any", .any),
        ]) { bench in
            let brief = try await bench.get("/threads/brief").text.split(separator: "\n")
            #expect(brief == ["loop false", "loop false"])
            let other = try await bench.get("/threads/any").text.split(separator: "\n")
            #expect(other == ["pool true", "pool true"])
        }
    }

    /// Tells on which threads it is answered, before and after it was suspended.
    private static func route(_ name: String, _ pace: Route.Pace) -> Route {
        Route(.get, "/threads/\(name)", name, "For a test.", for: [], pace: pace) { _ in
            let before = try thread()
            try await Task.sleep(for: .milliseconds(1))
            return .text("\(before)\n\(try thread())", mediaType: "text/plain")
        }
    }

    private static func thread() throws -> String {
        let name = try String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
        return "\(name.hasPrefix("NIO") ? "loop" : "pool") \(CallerThread.mayWrite)"
    }
}
