import DaybookEvents
import Foundation
import Testing

@Suite("Command line: the demo")
struct DemoTests {
    /// What differs between two runs of the same commands.
    private static func normalised(_ text: some StringProtocol, _ folder: String) -> String {
        String(text).replacing(folder, with: "<folder>")
            // A column is as wide as its longest time, and a whole second is shorter.
            .replacing(/2[0-9]{3}-[0-9T:.\-]+Z  +/, with: "<time>  ")
            .replacing(/2[0-9]{3}-[0-9T:.\-]+Z/, with: "<time>")
            .replacing(/key       [0-9a-f\-]+/, with: "key       <key>")
            .replacing(/revoked_at":\d+/, with: "revoked_at\":<time>")
    }

    @Test("Every prompt of the demo is a command that says just that")
    func prompts() throws {
        let bench = try Workbench()
        let demo = try bench.shell("daybook demo")
        try #require(demo.status == 0, "\(demo.errors)")
        let folder = try #require(demo.output.firstMatch(of: /\/[^ ]+\/daybook-demo-[0-9a-f]+/)).0
        var script = "mkdir again\n"
        var said: [String] = []
        var isPrompt = false
        for line in demo.output.components(separatedBy: "\n") {
            if isPrompt || line.hasPrefix("  $ ") {
                let command = isPrompt ? line : String(line.dropFirst(4))
                // The visitors are the demo's own file; everything else is here again.
                script += command.replacing(folder, with: "$PWD/again") + "\n"
                isPrompt = line.hasSuffix("\\")
                if !isPrompt, line.has("visitors.ndjson") { break }
            } else if line.hasPrefix("    "), script.count > 12 {
                said.append(String(line.dropFirst(4)))
            }
        }
        let commands = script.components(separatedBy: "\n").filter { $0.hasPrefix("daybook ") }
        #expect(commands.count >= 11, "\(commands)")
        let visitors = script.components(separatedBy: "\n").filter { !$0.has("visitors.ndjson") }
        let again = try bench.shell(visitors.joined(separator: "\n"))
        #expect(again.errors.isEmpty)
        let first = Self.normalised(said.joined(separator: "\n"), String(folder))
        let second = Self.normalised(
            again.output.split(separator: "\n").joined(separator: "\n"), "\(bench.folder)/again")
        #expect(first == second)
    }
}
