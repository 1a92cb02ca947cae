import DaybookEvents
import Testing

@Suite("Names of types of events")
struct EventTypeNameTests {
    @Test("Every type has a name that leads back to it", arguments: EventType.allCases)
    func known(type: EventType) {
        let name = EventTypeName(type)
        #expect(name.rawValue == Vocabulary.name(of: type))
        #expect(name.known == (type == .unknown ? nil : type))
        #expect(name == EventTypeName(rawValue: name.rawValue))
    }

    @Test("A name that this build does not know is kept as it is")
    func unknown() {
        let name = EventTypeName(rawValue: "moon.phase_changed")
        #expect(name.known == nil && "\(name)" == "moon.phase_changed")
    }

    @Test("Names are equal when their bytes are")
    func bytes() {
        let (one, other) = (
            EventTypeName(rawValue: "caf\u{E9}"), EventTypeName(rawValue: "cafe\u{301}")
        )
        #expect(one.rawValue == other.rawValue)
        #expect(one != other && Set([one, other]).count == 2)
    }

    @Test(
        "A family is the word before the first dot, and the dot",
        arguments: [
            ("catalog.published", true), ("catalog.", true), ("catalog", false),
            ("catalogs.published", false), ("cat.alog", false), ("", false),
        ])
    func family(name: String, isCatalog: Bool) {
        #expect(EventTypeName(rawValue: name).isOf(.catalog) == isCatalog)
        #expect(EventTypeName(.ops, "test_received").rawValue == "ops.test_received")
    }

    @Test("A scope of catalogs has the number of its word's place in the vocabulary")
    func scopes() throws {
        let field = try #require(Vocabulary.current(.catalogPublished)?.field("applies_to"))
        guard case .word(let words) = field.kind else {
            Issue.record("applies_to is a word")
            return
        }
        #expect(CatalogScopeKind.allCases.map(\.word) == words.map(\.name))
        for (index, word) in words.enumerated() {
            for spelling in [word.name] + word.spellings {
                #expect(CatalogScopeKind(word: spelling)?.rawValue == UInt8(index + 1))
            }
        }
        #expect(words.map(\.name) == ["all", "new_users", "next_period", "cohort"])
        #expect(CatalogScopeKind(word: "left_handed") == nil)
    }
}
