import Foundation
import Testing

/// The synopses of the guide are the tool's own words; `RECORD_GOLDEN=1` writes them anew, CI never does.
///
/// They stand in the blocks of text whose lines begin with `daybook`: which commands a block has is the page's to say,
/// what stands behind their names is not.
@Suite("Command line: the synopses of the guide")
struct SynopsisTests {
    private static let page = URL(filePath: "\(Workbench.repository)/docs/cli.md")
    private static let isRecording = ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1"

    private let synopses: [Synopsis]
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        let help = try bench.run("--experimental-dump-help").output
        synopses = try JSONDecoder().decode(ToolHelp.self, from: Data(help.utf8)).synopses
    }

    @Test("Every command has its synopsis in docs/cli.md, as the tool tells it")
    func page() throws {
        let page = SynopsisPage(try String(contentsOf: Self.page, encoding: .utf8))
        let written = page.rewritten(synopses)
        if Self.isRecording {
            try written.text.write(to: Self.page, atomically: true, encoding: .utf8)
        }
        let found = Self.isRecording ? written : page
        let shown = Dictionary(grouping: found.entries(synopses), by: \.command)
        for synopsis in synopses {
            let name = "daybook \(synopsis.command)"
            #expect(
                shown[synopsis.command]?.map(\.text) == [synopsis.text],
                "RECORD_GOLDEN=1 writes it anew, where a block of text has the line \"\(name)\"")
        }
        #expect(shown[""] == nil, "a block has what no command is: \(shown[""] ?? [])")
        #expect(found.text == written.text, "RECORD_GOLDEN=1 writes the page anew")
    }

    @Test("A synopsis of docs/cli.md names the options that the command has, and all of its own")
    func help() throws {
        let common: Set<String> = ["--ledger", "--json", "--help", "--version"]
        for synopsis in synopses {
            let told = Self.options(synopsis.text)
            let help = try bench.run("\(synopsis.command) --help").output
            let real = Self.options(help.components(separatedBy: "\nUSAGE:").last ?? "")
            let omitted = Set(synopsis.omitted.map { "--\($0)" })
            #expect(told.subtracting(real) == [], "\(synopsis.command)")
            #expect(real.subtracting(told).subtracting(common) == omitted.subtracting(common))
        }
    }

    @Test("A page with another text, a name that is gone, or a command twice is told")
    func wrongPages() throws {
        let synopses = [Synopsis("tick", []), Synopsis("tick over", [])]
        func page(_ lines: String) -> SynopsisPage {
            SynopsisPage("# A page\n\n```text\n\(lines)\n```\n\nWords.\n")
        }
        let right = page("daybook tick\ndaybook tick over")
        #expect(right.rewritten(synopses).text == right.text)
        #expect(right.entries(synopses).map(\.command) == ["tick", "tick over"])
        for wrong in ["daybook tick [--at T]\ndaybook tick over", "daybook tick\n    [--at T]"] {
            let found = page(wrong).entries(synopses)
            #expect(found.first.map { $0.text == synopses[0].text } == false)
            #expect(page(wrong).rewritten(synopses).text != page(wrong).text)
        }
        let doubled = page("daybook tick\ndaybook tick\ndaybook tick over")
        #expect(doubled.rewritten(synopses).text == right.text)
        #expect(page("daybook gone").entries(synopses).map(\.command) == [""])
        // Sessions and other blocks are no synopses.
        let session = SynopsisPage("```sh\ndaybook tick --json\n```\n\n```text\nas it is\n```\n")
        #expect(session.entries(synopses).isEmpty)
        #expect(session.rewritten(synopses).text == session.text)
    }

    @Test("A line ends between two options and has at most 100 columns")
    func columns() {
        for synopsis in synopses {
            let lines = synopsis.text.components(separatedBy: "\n")
            #expect(lines.allSatisfy { $0.count <= 100 }, "\(synopsis.text)")
            #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("    ") })
        }
    }

    private static func options(_ text: String) -> Set<String> {
        Set(text.matches(of: /--[a-z][a-z-]+/).map { String($0.0) })
    }
}

/// A page with blocks of synopses.
struct SynopsisPage {
    /// What stands under a command's name; the command is empty where the tool has none of this name.
    typealias Entry = (command: String, text: String)

    let text: String

    init(_ text: String) { self.text = text }

    private static let fence = "\n```"

    /// Every second part stands between two fences, and begins with what stands behind the first.
    private var parts: [String] { "\n\(text)".components(separatedBy: Self.fence) }

    private static func synopses(in part: String) -> String? {
        let head = "text\n"
        guard part.hasPrefix("\(head)daybook ") else { return nil }
        return String(part.dropFirst(head.count))
    }

    private static func entries(_ block: String, _ synopses: [Synopsis]) -> [Entry] {
        block.components(separatedBy: "\n").reduce(into: []) { entries, line in
            guard line.hasPrefix("daybook ") else {
                if let last = entries.indices.last { entries[last].text += "\n\(line)" }
                return
            }
            let words = line.split(separator: " ").dropFirst().map(String.init)
            let names = synopses.map(\.command).filter {
                words.starts(with: $0.split(separator: " ").map(String.init))
            }
            // `tick over` is not `tick`.
            entries.append((names.max { $0.count < $1.count } ?? "", line))
        }
    }

    /// What the page has, in its order.
    func entries(_ synopses: [Synopsis]) -> [Entry] {
        parts.enumerated().flatMap { index, part in
            index % 2 == 0 ? [] : Self.synopses(in: part).map { Self.entries($0, synopses) } ?? []
        }
    }

    /// The same page with the tool's synopsis for each command that it names; a command stays where it stands first.
    func rewritten(_ synopses: [Synopsis]) -> SynopsisPage {
        let told = Dictionary(
            synopses.map { ($0.command, $0.text) }, uniquingKeysWith: { first, _ in first })
        var written: Set<String> = []
        let parts = parts.enumerated().map { index, part -> String in
            guard index % 2 == 1, let block = Self.synopses(in: part) else { return part }
            let lines = Self.entries(block, synopses).compactMap { entry in
                written.insert(entry.command).inserted ? told[entry.command] : nil
            }
            return "text\n" + lines.joined(separator: "\n")
        }
        return SynopsisPage(String(parts.joined(separator: Self.fence).dropFirst()))
    }
}
