/// One value of the document with the place where it stands.
struct CatalogNode {
    enum Content {
        /// An empty value, `~` or `null`.
        case null
        /// Text as written; quoted text is never a number or a flag.
        case scalar(String, isQuoted: Bool)
        case list([CatalogNode])
        case map([Entry])
    }

    struct Entry {
        var key: String
        /// Of the key.
        var place: CatalogPlace
        var value: CatalogNode
    }

    var place: CatalogPlace
    var content: Content

    /// What a reader of an error message calls this value.
    var kindName: String {
        switch content {
        case .null: "nothing"
        case .scalar: "a single value"
        case .list: "a list"
        case .map: "a map"
        }
    }

    var isNull: Bool {
        if case .null = content { true } else { false }
    }
}

/// Where something stands in the document.
struct CatalogPlace {
    var line: Int
    var column: Int
    /// Keys and list positions from the root, joined by `/`; known of what was asked for.
    var path = ""

    static let start = CatalogPlace(line: 1, column: 1)

    /// Goes over one character of the document.
    mutating func pass(isLineEnd: Bool) {
        (line, column) = isLineEnd ? (line + 1, 1) : (line, column + 1)
    }
}
