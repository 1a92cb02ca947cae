internal import CYaml

/// Goes through the events of a document before anything is built of them, in one pass, keeping no tree.
///
/// Yams, which builds the tree, puts a copy in the place of each alias and compares whole keys, so a few lines can
/// stand for more values than a machine can handle. How a name, a key or a bracket is written decides nothing here: the
/// parser's own events are counted.
struct YAMLWalk {
    /// A document of the largest size has one for every four bytes.
    static let nodeCountMax = 262_144
    /// The parser itself allows no longer key but behind a question mark.
    static let keyByteCountMax = 1_024

    private enum Level { case list, map(isKeyNext: Bool) }

    private var levels: [Level] = []
    private var nodeCount = 0

    /// - Throws: For an anchor, for nesting deeper than a catalog may be, for too many values, and for a key as long as
    ///   a text. Text that is no YAML is left to the code that builds the tree, which reports its place.
    static func check(_ text: String) throws(CatalogProblems) {
        var text = text
        let problem: CatalogProblem? = text.withUTF8 { utf8 in
            // The parser keeps pointers to itself.
            let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
            defer { parser.deallocate() }
            guard yaml_parser_initialize(parser) == 1 else { return nil }
            defer { yaml_parser_delete(parser) }
            yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
            yaml_parser_set_input_string(parser, utf8.baseAddress, utf8.count)
            var walk = YAMLWalk()
            return walk.problem(parser)
        }
        if let problem { throw CatalogProblems([problem]) }
    }

    private mutating func problem(
        _ parser: UnsafeMutablePointer<yaml_parser_t>
    ) -> CatalogProblem? {
        while true {
            var event = yaml_event_t()
            guard yaml_parser_parse(parser, &event) == 1 else { return nil }
            defer { yaml_event_delete(&event) }
            let place = CatalogPlace(
                line: Int(event.start_mark.line) + 1, column: Int(event.start_mark.column) + 1)
            switch event.type {
            case YAML_SCALAR_EVENT:
                if event.data.scalar.anchor != nil {
                    return CatalogText.anchorProblem(at: place)
                }
                if isKeyNext, event.data.scalar.length > Self.keyByteCountMax {
                    return Self.longKey(Int(event.data.scalar.length), at: place)
                }
                if let problem = noteNode(at: place) { return problem }
                noteEnd()
            case YAML_SEQUENCE_START_EVENT:
                let anchor = event.data.sequence_start.anchor
                if let problem = noteNode(at: place, anchor: anchor) { return problem }
                levels.append(.list)
            case YAML_MAPPING_START_EVENT:
                let anchor = event.data.mapping_start.anchor
                if let problem = noteNode(at: place, anchor: anchor) { return problem }
                levels.append(.map(isKeyNext: true))
            case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
                _ = levels.popLast()
                noteEnd()
            case YAML_STREAM_START_EVENT, YAML_DOCUMENT_START_EVENT: break
            // An alias has no anchor before it, else that had been refused: there is nothing that it could stand for.
            // A second document is not looked at.
            default: return nil
            }
        }
    }

    private var isKeyNext: Bool {
        if case .map(isKeyNext: true)? = levels.last { true } else { false }
    }

    private mutating func noteNode(
        at place: CatalogPlace, anchor: UnsafeMutablePointer<yaml_char_t>? = nil
    ) -> CatalogProblem? {
        if anchor != nil { return CatalogText.anchorProblem(at: place) }
        nodeCount += 1
        if levels.count >= CatalogReader.nestingMax {
            return .tooDeep(at: place)
        }
        guard nodeCount > Self.nodeCountMax else { return nil }
        return CatalogProblem(
            at: place, sentence: "The document has more than \(Self.nodeCountMax) values.",
            remedy: "No catalog has that many; look for what was written out by a program.")
    }

    /// Notes the end of a key or a value.
    private mutating func noteEnd() {
        if case .map(let isKeyNext)? = levels.last {
            levels[levels.count - 1] = .map(isKeyNext: !isKeyNext)
        }
    }

    private static func longKey(_ byteCount: Int, at place: CatalogPlace) -> CatalogProblem {
        CatalogProblem(
            at: place,
            sentence: "A key has \(byteCount) bytes here, \(keyByteCountMax) are allowed.",
            remedy: "Write a name before the colon.")
    }
}
