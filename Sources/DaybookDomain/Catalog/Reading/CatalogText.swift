/// Turns the bytes of a document into text that is safe to hand to a YAML parser.
enum CatalogText {
    /// Checks size and UTF-8.
    static func read(_ bytes: [UInt8]) throws(CatalogProblems) -> String {
        guard bytes.count <= CatalogReader.byteCountMax else {
            throw failure(
                at: .start,
                "The document has \(bytes.count) bytes, \(CatalogReader.byteCountMax) are allowed.",
                "Split it by app: one catalog describes one app.")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw failure(
                at: firstInvalidByte(bytes), "The document is not valid UTF-8 here.",
                "Save it as UTF-8.")
        }
        // Swift takes CR LF for one character, YAML for one line break; with LF alone both count alike.
        return text.replacing("\r\n", with: "\n")
    }

    private static func failure(
        at place: CatalogPlace, _ sentence: String, _ remedy: String
    ) -> CatalogProblems {
        CatalogProblems([CatalogProblem(at: place, sentence: sentence, remedy: remedy)])
    }

    private static func firstInvalidByte(_ bytes: [UInt8]) -> CatalogPlace {
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var place = CatalogPlace.start
        while case .valid(let scalar) = parser.parseScalar(from: &iterator) {
            place.pass(isLineEnd: scalar.first == UInt8(ascii: "\n"))
        }
        return place
    }

    /// What is said about an anchor, wherever it is found.
    static func anchorProblem(at place: CatalogPlace) -> CatalogProblem {
        CatalogProblem(
            at: place, sentence: "The document uses a YAML anchor (&name).",
            remedy: "Write the value out where it is used; anchors and aliases are not read.")
    }
}
