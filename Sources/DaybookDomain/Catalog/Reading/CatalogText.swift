/// Turns the bytes of a document into text that is safe to hand to a YAML parser.
enum CatalogText {
    /// Checks size and UTF-8.
    static func read(_ bytes: [UInt8]) throws(CatalogProblems) -> String {
        guard bytes.count <= CatalogReader.byteCountMax else {
            throw failure(
                "The document has \(bytes.count) bytes, \(CatalogReader.byteCountMax) are allowed.",
                "Split it by app: one catalog describes one app.")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let place = firstInvalidByte(bytes)
            throw CatalogProblems([
                CatalogProblem(
                    line: place.line, column: place.column, path: "",
                    sentence: "The document is not valid UTF-8 here.",
                    remedy: "Save it as UTF-8.")
            ])
        }
        // Swift takes CR LF for one character, YAML for one line break; with LF alone both count alike.
        return text.replacing("\r\n", with: "\n")
    }

    private static func failure(_ sentence: String, _ remedy: String) -> CatalogProblems {
        CatalogProblems([
            CatalogProblem(line: 1, column: 1, path: "", sentence: sentence, remedy: remedy)
        ])
    }

    private static func firstInvalidByte(_ bytes: [UInt8]) -> (line: Int, column: Int) {
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var place = (line: 1, column: 1)
        while case .valid(let scalar) = parser.parseScalar(from: &iterator) {
            if scalar.first == UInt8(ascii: "\n") {
                place = (place.line + 1, 1)
            } else {
                place.column += 1
            }
        }
        return place
    }

    /// What is said about an anchor, wherever it is found.
    static func anchorProblem(line: Int, column: Int) -> CatalogProblem {
        CatalogProblem(
            line: line, column: column, path: "",
            sentence: "The document uses a YAML anchor (&name).",
            remedy: "Write the value out where it is used; anchors and aliases are not read.")
    }
}
