import DaybookDashboard
import DaybookEvents
import Testing

@Suite("Texts of pages")
struct PageTextTests {
    @Test("No text of others is taken for markup, whatever accents it carries")
    func markup() {
        #expect(Markup.escaped("ada") == "ada")
        #expect(
            Markup.escaped("<script>\"'&`</script>")
                == "&lt;script&gt;&quot;&#39;&amp;&#96;&lt;/script&gt;")
        // One character for Swift; for a browser the mark ends an attribute and the accent follows it.
        for mark in ["\"", "<", ">", "&", "'", "`"] {
            for accent in ["\u{301}", "\u{338}", "\u{20DD}", "\u{200D}", "\u{FE0F}"] {
                let escaped = Markup.escaped("a\(mark)\(accent)b")
                #expect(!escaped.unicodeScalars.contains { "\"<>'`".unicodeScalars.contains($0) })
                #expect(escaped.unicodeScalars.contains(Array(accent.unicodeScalars)[0]))
            }
        }
    }

    @Test("Every text is one part of a path, and comes back as it was")
    func links() throws {
        let texts = [
            "ada", "a/b", "..", ".", "", "a?b#c", "é", "a b+c", "%2F", "\u{0}", "a&b=c", "'\"<>",
            "\u{202E}txt", "日本",
        ]
        for text in texts {
            let encoded = Link.encoded(text)
            #expect(
                encoded.utf8.allSatisfy { byte in
                    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~%".utf8
                        .contains(byte)
                })
            #expect(encoded != "." && encoded != "..")
            #expect(encoded.percentDecoded == text)
        }
        #expect(Link("/a", [("x", "1 2"), ("y", nil), ("z", "")]).text == "/a?x=1%202&z=")
    }

    @Test("A command that is copied is read by a shell as it was meant")
    func shell() {
        #expect(ShellText.quoted("ada") == "ada")
        #expect(ShellText.quoted("") == "''")
        #expect(ShellText.quoted("-rf") == "'-rf'")
        #expect(ShellText.quoted("a'b") == "'a'\\''b'")
        #expect(ShellText.quoted("$(rm -rf /)") == "'$(rm -rf /)'")
        #expect(ShellText.quoted("a\nb") == "'a\nb'")
    }

    @Test("Times are read as people write them, in UTC")
    func times() {
        #expect(Clocks.completed("2026-02-05") == "2026-02-05T00:00:00Z")
        #expect(Clocks.completed("2026-02-05 21:04") == "2026-02-05T21:04:00Z")
        #expect(Clocks.completed("2026-02-05T21:04:09") == "2026-02-05T21:04:09Z")
        #expect(Clocks.completed("2026-02-05T21:04:00+01:00") == "2026-02-05T21:04:00+01:00")
        #expect(Clocks.completed("@12") == "@12")
        #expect(Clocks.completed("1770325440000") == "1770325440000")
        #expect(Clocks.completed("last Tuesday") == "last Tuesday")
        #expect(PageTime.text(1_770_325_440_000) == "5 Feb 2026, 21:04 UTC")
        #expect(PageTime.text(1_770_325_440_001) == "5 Feb 2026, 21:04:00.001 UTC")
        #expect(PageTime.text(1_770_325_449_000) == "5 Feb 2026, 21:04:09 UTC")
        #expect(PageTime.text(Int64.min) == "the beginning")
        #expect(PageTime.text(Int64.max) == "the end of time")
    }

    @Test(
        "Templates have no script or style of their own, and let only drawings through as they are")
    func templates() throws {
        let templates = PageFiles.all.filter { $0.key.hasSuffix(".mustache") }
        #expect(templates.count > 15)
        for (name, bytes) in templates {
            let text = String(decoding: bytes, as: UTF8.self)
            for match in text.matches(of: /\{\{\{\s*([^}]+?)\s*\}\}\}/) {
                #expect(match.1 == "svg", "\(name) lets \(match.1) through")
            }
            #expect(!text.contains("{{&"), "\(name)")
            #expect(!text.contains(/\sstyle\s*=/), "\(name) has a style")
            #expect(!text.contains(/\son[a-z]+\s*=/), "\(name) has a handler")
            #expect(!text.contains(/<script(?![^>]* src=)/), "\(name) has a script")
            #expect(!text.contains("http://") && !text.contains("https://"), "\(name)")
            for match in text.matches(of: /\{\{>\s*([a-z-]+)\s*\}\}/) {
                #expect(templates["\(match.1).mustache"] != nil, "\(name): no \(match.1)")
            }
            // A value in an attribute is between quotation marks.
            #expect(!text.contains(/\s[a-z-]+=\{\{/), "\(name) has a bare attribute")
        }
    }
}

extension String {
    /// Decoded by another way than that of the server.
    fileprivate var percentDecoded: String {
        var bytes: [UInt8] = []
        var rest = Array(utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
