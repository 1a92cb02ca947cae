import Foundation

/// What people read in this repository: pages, comments and code, cut into passages, and the places that they can name.
struct RepositoryTexts {
    /// A paragraph: consecutive lines of comment as one, every other line by itself.
    struct Passage: Sendable {
        var line: Int
        var text: String
    }

    /// A link of a page that leads to a file or an anchor of the repository.
    struct Link: Sendable {
        var line: Int
        var label: String
        var target: String
    }

    /// What finds mistakes, and has them as examples.
    static let exempt: Set<String> = [
        "Tests/TidyTests/CitationScanner.swift", "Tests/TidyTests/CitationTests.swift",
    ]

    private static let folders = [
        "Benchmarks", "Examples", "Fuzz", "Sources", "Tests", "datasets", "docs", "events",
        "recipes", "scale", "scripts", "snapshots",
    ]
    private static let kinds: Set<String> = ["swift", "c", "h", "md", "yaml", "sh"]

    /// By path from the root.
    let texts: [String: String]
    /// Anchors of each page, by path from the root.
    let anchors: [String: Set<String>]
    /// The folders that pages link to, with a slash at the end.
    private let paths: Set<String>

    init(root: URL) throws {
        var texts: [String: String] = [:]
        var paths: Set<String> = []
        func take(_ path: String) throws {
            paths.insert(path)
            let name = path.split(separator: "/").last ?? ""
            let kind = name.split(separator: ".").last.map(String.init) ?? ""
            // Scripts have no dot in their names.
            guard Self.kinds.contains(kind) || (!name.contains(".") && !path.hasPrefix("Tests/"))
            else { return }
            guard let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8)
            else { return }  // A folder, or bytes that are no text.
            texts[path] = text
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: root.path)
        where name.first != "." { try take(name) }
        for folder in Self.folders {
            let files = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
            while let path = files?.nextObject() as? String {
                if path.split(separator: "/").contains(where: { $0.first == "." }) {
                    files?.skipDescendants()
                } else {
                    try take("\(folder)/\(path)")
                }
            }
        }
        self.texts = texts
        self.paths = paths
        anchors = texts.filter { $0.key.hasSuffix(".md") }.mapValues(Self.anchors)
    }

    // MARK: Passages

    static func passages(of text: String, path: String) -> [Passage] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let isCode = [".swift", ".c", ".h"].contains { path.hasSuffix($0) }
        var passages: [Passage] = []
        var isComment = false
        for (index, line) in lines.enumerated() {
            let trimmed = line.drop { $0 == " " }
            guard isCode, trimmed.hasPrefix("//") else {
                isComment = false
                passages.append(Passage(line: index + 1, text: String(line)))
                continue
            }
            let words = trimmed.drop { $0 == "/" }.drop { $0 == " " }
            if isComment, !words.isEmpty {
                passages[passages.count - 1].text += " \(words)"
            } else {
                passages.append(Passage(line: index + 1, text: String(words)))
            }
            isComment = !words.isEmpty
        }
        return passages
    }

    // MARK: Pages

    /// The ids that a page gives (`<a id="rule-24"></a>`) and those that its headings have, as GitHub makes them.
    /// Headings with links in them would have others; there are none.
    static func anchors(of page: String) -> Set<String> {
        var anchors: Set<String> = []
        var isExample = false
        for line in page.split(separator: "\n") {
            if line.hasPrefix("```") { isExample.toggle() }
            let parts = line.split(separator: "<a id=\"", omittingEmptySubsequences: false)
            for part in parts.dropFirst() { anchors.insert(String(part.prefix { $0 != "\"" })) }
            guard !isExample, line.hasPrefix("#") else { continue }
            // What is not between angle brackets is shown.
            let title: Substring = line.drop { $0 == "#" }
            let shown = title.split(separator: "<").map { (part: Substring) -> Substring in
                part.firstIndex(of: ">").map { part[part.index(after: $0)...] } ?? part
            }
            let base = slug(shown.joined())
            var anchor = base
            var count = 0
            while anchors.contains(anchor) {
                count += 1
                anchor = "\(base)-\(count)"
            }
            anchors.insert(anchor)
        }
        return anchors
    }

    private static func slug(_ title: String) -> String {
        let kept = title.drop { $0 == " " }.lowercased().filter {
            $0.isLetter || $0.isNumber || "-_ ".contains($0)
        }
        return kept.replacing(" ", with: "-")
    }

    /// Links to files and anchors; addresses, code and examples are none.
    static func links(of page: String) -> [Link] {
        var links: [Link] = []
        var isExample = false
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            if line.hasPrefix("```") { isExample.toggle() }
            if isExample { continue }
            // Every second part stands between backticks.
            let parts = line.split(separator: "`", omittingEmptySubsequences: false)
            let prose = parts.enumerated().map { $0.offset % 2 == 0 ? String($0.element) : "x" }
            let pieces = prose.joined().split(
                separator: "](", omittingEmptySubsequences: false)
            for (before, after) in zip(pieces, pieces.dropFirst()) {
                let target = after.prefix { $0 != ")" && $0 != " " }
                if target.contains("://") || target.hasPrefix("mailto:") { continue }
                let label =
                    before.split(separator: "[", omittingEmptySubsequences: false).last ?? ""
                links.append(
                    Link(line: index + 1, label: String(label), target: String(target)))
            }
        }
        return links
    }

    // MARK: Places

    /// The page or file that a text means; `nil`: there is none.
    /// - Parameter isLink: Links are relative to their page; prose also names pages from the root and from `docs/`.
    func path(of target: Substring, from path: String, isLink: Bool) -> String? {
        if target.isEmpty { return path }
        let folder = path.split(separator: "/").dropLast()
        let bases = isLink ? [folder] : [folder, [], ["docs"]]
        for base in bases {
            var steps = Array(base)
            for step in target.split(separator: "/") where step != "." {
                if step != ".." {
                    steps.append(step)
                } else if steps.popLast() == nil {
                    break
                }
            }
            let joined = steps.joined(separator: "/")
            if paths.contains(joined) { return joined }
        }
        return nil
    }

    /// Why a path with an anchor leads nowhere; `nil`: it leads somewhere.
    func problem(with target: String, from path: String, isLink: Bool) -> String? {
        let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        guard let file = self.path(of: parts[0], from: path, isLink: isLink) else {
            return "there is no \(parts[0])"
        }
        guard parts.count == 2, anchors[file]?.contains(String(parts[1])) != true else {
            return nil
        }
        return "\(file) has no anchor \(parts[1])"
    }
}
