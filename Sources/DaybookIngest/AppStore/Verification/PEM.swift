/// Textual encoding of keys and certificates (RFC 7468).
enum PEM {
    struct Block {
        let label: String
        let bytes: [UInt8]
    }

    /// - Throws: `PayloadRefusal` of class `chain` for a block without end or with foreign characters.
    static func blocks(in text: String) throws(PayloadRefusal) -> [Block] {
        var blocks: [Block] = []
        var label: String?
        var body = ""
        for line in text.split(whereSeparator: \.isNewline) {
            var line = line.drop(while: \.isWhitespace)
            while line.last?.isWhitespace == true { line.removeLast() }
            if line.hasPrefix("-----BEGIN "), line.hasSuffix("-----"), label == nil {
                label = String(line.dropFirst(11).dropLast(5))
                body = ""
            } else if let open = label, line == "-----END \(open)-----" {
                guard let bytes = Base64.decode(body, .standard) else {
                    throw PayloadRefusal(.chain, "the PEM block \(blocks.count + 1) is not base64")
                }
                blocks.append(Block(label: open, bytes: bytes))
                label = nil
            } else if label != nil {
                body += line
            }
        }
        try PayloadRefusal.require(
            label == nil, .chain, "the PEM block \(blocks.count + 1) has no end")
        return blocks
    }

    /// One block, 64 characters to a line.
    static func text(_ bytes: [UInt8], label: String) -> String {
        let body = Array(Base64.encode(bytes, .standard).utf8)
        var text = "-----BEGIN \(label)-----\n"
        for start in stride(from: 0, to: body.count, by: 64) {
            text +=
                String(decoding: body[start..<min(start + 64, body.count)], as: UTF8.self) + "\n"
        }
        return text + "-----END \(label)-----\n"
    }
}
