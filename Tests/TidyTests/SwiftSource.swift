/// The types that a Swift source declares, and the names with a capital that it uses.
struct SwiftSource {
    struct Declaration: Sendable {
        enum Place { case outermost, inExtension, inside }

        var name: String
        var place: Place
        /// Whether no other file can name it.
        var isPrivate: Bool
    }

    private enum Scope { case type, extended, body }

    private enum Token: Equatable {
        case word(String)
        case mark(UInt8)
    }

    private static let dot = Token.mark(UInt8(ascii: "."))
    private static let tick = Token.mark(UInt8(ascii: "`"))
    private static let typeWords: Set = ["struct", "class", "enum", "protocol", "actor"]
    private static let nameWords: Set = ["typealias", "associatedtype"]
    private static let modifiers: Set = [
        "public", "package", "internal", "final", "indirect", "nonisolated", "open",
    ]

    private(set) var declarations: [Declaration] = []
    /// Those that no dot precedes.
    private(set) var names: Set<String> = []
    /// Those behind a dot: `Kind` of `Product.Kind`.
    private(set) var members: Set<String> = []

    init(_ text: String) {
        let tokens = Self.tokens(SwiftCode(text).bytes)
        var scopes: [Scope] = []
        // What the next brace opens.
        var next = Scope.body
        var isPrivate = false
        for (index, token) in tokens.enumerated() {
            switch token {
            case .mark(UInt8(ascii: "{")):
                scopes.append(next)
                next = .body
            case .mark(UInt8(ascii: "}")):
                _ = scopes.popLast()
                next = .body
            case .mark: break
            case .word(let word):
                let before = index > 0 ? tokens[index - 1] : nil
                let after = index + 1 < tokens.count ? tokens[index + 1] : nil
                note(word, isMember: before == Self.dot)
                if let name = Self.declared(by: word, before, after) {
                    declare(name, in: scopes, isPrivate: isPrivate)
                    if Self.typeWords.contains(word) { next = .type }
                } else if Self.extends(word, before, after) {
                    next = .extended
                }
                if word == "private" || word == "fileprivate" {
                    isPrivate = true
                } else if !Self.modifiers.contains(word) {
                    isPrivate = false
                }
            }
        }
    }

    private mutating func note(_ word: String, isMember: Bool) {
        guard Self.isCapital(word) else { return }
        if isMember { members.insert(word) } else { names.insert(word) }
    }

    private mutating func declare(_ name: String, in scopes: [Scope], isPrivate: Bool) {
        let place: Declaration.Place =
            scopes.isEmpty ? .outermost : scopes == [.extended] ? .inExtension : .inside
        declarations.append(
            Declaration(
                name: name, place: place, isPrivate: isPrivate || scopes.contains(.body)))
    }

    /// The name behind a word that declares a type.
    private static func declared(
        by word: String, _ before: Token?, _ after: Token?
    ) -> String? {
        guard typeWords.contains(word) || nameWords.contains(word), before != dot, before != tick,
            before != .word("import"), case .word(let name) = after, isCapital(name)
        else { return nil }
        return name
    }

    /// Whether a word begins an extension, also of `[Element]`, rather than being a label.
    private static func extends(_ word: String, _ before: Token?, _ after: Token?) -> Bool {
        guard word == "extension", before != dot, before != tick else { return false }
        if case .word = after { return true }
        return after == .mark(UInt8(ascii: "["))
    }

    private static func isCapital(_ word: String) -> Bool {
        word.utf8.first.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) } ?? false
    }

    private static func tokens(_ bytes: [UInt8]) -> [Token] {
        var tokens: [Token] = []
        var start: Int?
        for (index, byte) in bytes.enumerated() {
            if isPartOfWord(byte) {
                if start == nil { start = index }
                continue
            }
            if let from = start {
                tokens.append(.word(String(decoding: bytes[from..<index], as: UTF8.self)))
                start = nil
            }
            if byte > UInt8(ascii: " ") { tokens.append(.mark(byte)) }
        }
        if let from = start {
            tokens.append(.word(String(decoding: bytes[from...], as: UTF8.self)))
        }
        return tokens
    }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }
}
