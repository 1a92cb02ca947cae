import DaybookEvents
import Testing

/// Scans of eight bytes at a time find what scans of one byte find: at every place of texts around one and two words,
/// for every byte of ASCII and for characters of two and three bytes.
@Suite("Texts scanned by words")
struct ByteWordsTests {
    /// A text of plain bytes with a character somewhere among them.
    private static func text(_ count: Int, _ place: Int, _ character: Unicode.Scalar) -> String {
        var scalars = String.UnicodeScalarView(repeating: "a", count: count)
        scalars.insert(character, at: scalars.index(scalars.startIndex, offsetBy: place))
        return String(scalars)
    }

    private static let characters =
        (0..<0x80).map { Unicode.Scalar(UInt8($0)) } + ["\u{80}", "\u{9F}", "\u{A0}", "ä", "€"]

    @Test("JSON escapes what must be escaped, and nothing else", arguments: 0...17)
    func escapes(_ count: Int) throws {
        for place in 0...count {
            for character in Self.characters {
                let text = Self.text(count, place, character)
                var writer = JSONWriter()
                writer.string(text)
                let needsEscape =
                    character.value < 0x20 || character == "\"" || character == "\\"
                let plain = Array("\"\(text)\"".utf8)
                let bytes = writer.bytes
                #expect((bytes == plain) == !needsEscape, "U+\(character.value) at \(place)")
                #expect(try JSONReader.read(bytes) == .string(text))
            }
        }
    }

    @Test("Control characters are refused at every place, and nothing else is", arguments: 0...17)
    func controls(_ count: Int) {
        for place in 0...count {
            for character in Self.characters {
                let isControl = character.value < 0x20 || (0x7F...0x9F).contains(character.value)
                var isRefused = false
                do throws(EventProblem) {
                    try EnvelopeBounds.check(Self.text(count, place, character), "subject")
                } catch {
                    isRefused = true
                }
                #expect(isRefused == isControl, "U+\(character.value) at \(place) of \(count)")
            }
        }
    }

    @Test(
        "Pieces of every length are written one behind the other, whatever room there was",
        arguments: [0, 1, 64, 4_096])
    func pieces(_ room: Int) {
        var writer = JSONWriter(reserving: room)
        var expected = ""
        for count in 0...70 {
            let text = String((0..<count).map { Character(Unicode.Scalar(UInt8(0x61 + $0 % 26))) })
            writer.raw(text)
            expected += text
        }
        #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
    }

    @Test("A byte is found where it stands first", arguments: 0...25)
    func firstByte(_ count: Int) {
        for start in 0...count {
            var bytes = [UInt8](repeating: 0x8A, count: count)
            #expect(ByteWords.firstIndex(of: 0x0A, in: bytes, from: start) == nil)
            for place in (0..<count).reversed() {
                bytes[place] = 0x0A
                let first = place >= start ? place : start < count ? start : nil
                #expect(ByteWords.firstIndex(of: 0x0A, in: bytes, from: start) == first)
            }
        }
    }

    @Test("Texts are the same when all their bytes are", arguments: 0...25)
    func sameBytes(_ count: Int) {
        let text = String(repeating: "a", count: count)
        #expect(haveSameBytes(text, String(repeating: "a", count: count)))
        #expect(!haveSameBytes(text, text + "a"))
        for place in 0..<count {
            #expect(!haveSameBytes(text, Self.text(count - 1, place, "b")), "\(place)")
        }
    }
}
