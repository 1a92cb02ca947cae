/// One mistake or one doubt in a catalog document: where it stands, what it is, and what to do.
public struct CatalogProblem: Sendable, Hashable, CustomStringConvertible {
    /// 1-based.
    public var line: Int
    /// 1-based, counted in Unicode scalars.
    public var column: Int
    /// The keys that lead to the place, joined by `/`; list items by their 0-based index.
    public var path: String
    /// What is wrong.
    public var sentence: String
    /// What to write instead.
    public var remedy: String

    /// Creates a problem at a place of the document.
    public init(line: Int, column: Int, path: String, sentence: String, remedy: String) {
        self.line = line
        self.column = column
        self.path = path
        self.sentence = sentence
        self.remedy = remedy
    }

    /// One line for a terminal: `12:5 products/x: sentence Remedy.`
    public var description: String {
        let location = path.isEmpty ? "\(line):\(column)" : "\(line):\(column) \(path)"
        return "\(location): \(sentence) \(remedy)"
    }
}

/// Everything that keeps a document from being a catalog, in document order.
///
/// All mistakes are found in one reading, so that one round of repairs is enough. Only a document
/// that is not YAML at all stops at its first mistake.
public struct CatalogProblems: Error, Sendable, Equatable, CustomStringConvertible {
    /// Sorted by line and column; never empty.
    public var problems: [CatalogProblem]

    /// Creates the error, with the problems sorted into document order.
    public init(_ problems: [CatalogProblem]) {
        self.problems = problems.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
    }

    /// One line for each problem.
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}
