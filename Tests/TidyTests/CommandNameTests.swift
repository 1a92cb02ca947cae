import Testing

/// Every command says its own name. The library makes one from the type otherwise, of every command in every process,
/// which takes a millisecond for each.
@Suite("Names of commands")
struct CommandNameTests {
    /// Configurations of commands in some code, and those of them without a name.
    static func configurations(in code: String) -> (all: Int, nameless: [Substring]) {
        let found = code.matches(of: /CommandConfiguration\(\s*(\w+):\s*([^\n]*)/)
        return (found.count, found.filter { $0.1 != "commandName" }.map(\.2))
    }

    @Test("Every command says its name")
    func commands() throws {
        var count = 0
        for (path, text) in try RepositoryTexts(root: TidyTests.root).texts
        where path.hasPrefix("Sources/DaybookCLI/") {
            let (all, nameless) = Self.configurations(in: text)
            count += all
            #expect(nameless.isEmpty, "\(path): a command without commandName: \(nameless)")
        }
        #expect(count > 90)
    }

    @Test("A command without a name is found")
    func canFail() {
        let code = """
            static let configuration = CommandConfiguration(
                commandName: "check", abstract: "Ask.")
            static let configuration = CommandConfiguration(
                abstract: "List.")
            """
        let (all, nameless) = Self.configurations(in: code)
        #expect(all == 2 && nameless.map(String.init) == [#""List.")"#])
    }
}
