import Yams

/// Parses text into a tree of values with places, collecting what YAML itself does not forbid.
///
/// Invariants of the tree: at most `CatalogReader.nestingMax` levels, no anchors, no key twice in
/// one map.
struct CatalogDocument {
    private(set) var problems: [CatalogProblem] = []
    /// A second key of the same name gets this private-use scalar as its first letter, so that the
    /// parser can go on and the mistakes behind it are found in the same reading. Such entries are
    /// left out of the tree.
    private static let maskStart: UInt32 = 0xE000
    private static let duplicatesMax: UInt32 = 20
    /// In a larger text fewer are looked for: each one has all of it read once more.
    private static let byteCountOfAllDuplicates = 65_536

    /// The root of the tree, and the duplicate keys that were met on the way.
    static func parse(
        _ text: String
    ) throws(CatalogProblems) -> (root: CatalogNode, problems: [CatalogProblem]) {
        try YAMLWalk.check(text)
        var document = CatalogDocument()
        var masked = text
        while true {
            do throws(YAMLFailure) {
                let root = try document.compose(masked)
                return (root, document.problems)
            } catch {
                document.problems.append(error.problem)
                guard let duplicate = error.duplicate,
                    let next = document.mask(duplicate, in: masked)
                else { throw CatalogProblems(document.problems) }
                masked = next
            }
        }
    }

    private mutating func compose(_ text: String) throws(YAMLFailure) -> CatalogNode {
        do {
            let parser = try Parser(yaml: text, encoding: .utf8)
            // Nodes hold their anchors weakly: only the parser keeps them alive while they are
            // looked at.
            return try withExtendedLifetime(parser) {
                guard let root = try parser.singleRoot() else {
                    throw YAMLFailure(CatalogProblem.emptyDocument)
                }
                return try node(root, depth: 1)
            }
        } catch let failure as YAMLFailure {
            throw failure
        } catch let error as YamlError {
            throw YAMLFailure(error, in: text)
        } catch {
            throw YAMLFailure(
                CatalogProblem(
                    at: .start, sentence: "The document is not YAML: \(error).",
                    remedy: "Correct it."))
        }
    }

    private mutating func node(_ yaml: Node, depth: Int) throws(YAMLFailure) -> CatalogNode {
        let place = CatalogPlace(yaml.mark)
        guard yaml.anchor == nil else {
            throw YAMLFailure(CatalogText.anchorProblem(at: place))
        }
        guard depth <= CatalogReader.nestingMax else {
            throw YAMLFailure(CatalogProblem.tooDeep(at: place))
        }
        let content: CatalogNode.Content
        switch yaml {
        case .scalar(let scalar):
            content = Self.scalar(scalar)
        case .sequence(let sequence):
            var items: [CatalogNode] = []
            for item in sequence { items.append(try node(item, depth: depth + 1)) }
            content = .list(items)
        case .mapping(let mapping):
            content = .map(try entries(of: mapping, depth: depth))
        case .alias:
            throw YAMLFailure(CatalogText.anchorProblem(at: place))
        }
        return CatalogNode(place: place, content: content)
    }

    private static func scalar(_ scalar: Node.Scalar) -> CatalogNode.Content {
        let isQuoted = scalar.style != .plain
        if !isQuoted, ["", "~", "null"].contains(scalar.string) { return .null }
        return .scalar(scalar.string, isQuoted: isQuoted)
    }

    private mutating func entries(
        of mapping: Node.Mapping, depth: Int
    ) throws(YAMLFailure) -> [CatalogNode.Entry] {
        var entries: [CatalogNode.Entry] = []
        var lines: [String: Int] = [:]
        for (yamlKey, yamlValue) in mapping {
            let place = CatalogPlace(yamlKey.mark)
            guard yamlKey.anchor == nil else {
                throw YAMLFailure(CatalogText.anchorProblem(at: place))
            }
            guard case .scalar(let scalar) = yamlKey else {
                problems.append(.keyIsNoText(at: place))
                continue
            }
            let value = try node(yamlValue, depth: depth + 1)
            if Self.isMasked(scalar.string) { continue }
            // YAML tells `1` and `"1"` apart; names do not.
            if let first = lines.updateValue(place.line, forKey: scalar.string) {
                problems.append(.duplicateKey(scalar.string, at: place, first: first))
                continue
            }
            entries.append(
                CatalogNode.Entry(key: scalar.string, place: place, value: value))
        }
        return entries
    }

    private static func isMasked(_ key: String) -> Bool {
        guard let first = key.unicodeScalars.first?.value else { return false }
        return first >= maskStart && first < maskStart + duplicatesMax
    }

    /// The text with the duplicate's second key renamed, or `nil` when there are too many of them.
    private func mask(_ duplicate: YAMLFailure.Duplicate, in text: String) -> String? {
        let offset = UInt32(problems.count)
        let most = text.utf8.count > Self.byteCountOfAllDuplicates ? 1 : Self.duplicatesMax
        guard offset <= most, let line = duplicate.secondLine,
            let scalar = Unicode.Scalar(Self.maskStart + offset - 1)
        else { return nil }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
            String.UnicodeScalarView($0.unicodeScalars)
        }
        let keyStart = lines[line - 1].index(
            lines[line - 1].startIndex, offsetBy: duplicate.keyColumn - 1)
        lines[line - 1].replaceSubrange(keyStart...keyStart, with: [scalar])
        return lines.map { String($0) }.joined(separator: "\n")
    }
}

extension CatalogPlace {
    /// Where the parser saw something; without a mark the start of the document.
    init(_ mark: Mark?) {
        self.init(line: mark?.line ?? 1, column: mark?.column ?? 1)
    }
}
