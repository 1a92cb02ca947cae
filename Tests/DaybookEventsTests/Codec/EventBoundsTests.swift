import DaybookEvents
import Testing

@Suite("Bounds of events")
struct EventBoundsTests {
    static func problem(_ draft: EventDraft) -> EventProblem? {
        do throws(EventProblem) {
            _ = try EventValidator.canonical(draft)
            return nil
        } catch {
            return error
        }
    }

    static func problem(_ line: String) throws -> EventProblem? {
        let json = try JSONReader.read(Array(line.utf8))
        do throws(EventProblem) {
            _ = try EventValidator.canonical(try EventJSON.draft(from: json))
            return nil
        } catch {
            return error
        }
    }

    static func draft(_ change: (inout EventDraft) -> Void) -> EventDraft {
        var draft = EventRowTests.draft()
        change(&draft)
        return draft
    }

    // MARK: The envelope

    /// Every text of the envelope, and how a draft gets it.
    static let texts: [(name: String, set: @Sendable (inout EventDraft, String) -> Void)] = [
        ("type", { $0.type = EventTypeName(rawValue: $1) }), ("subject", { $0.subject = $1 }),
        ("profile", { $0.profile = $1 }), ("source.kind", { $0.source.kind = $1 }),
        ("source.key", { $0.source.key = $1 }), ("actor", { $0.extras["actor"] = .string($1) }),
        ("reason", { $0.extras["reason"] = .string($1) }),
        ("correlation", { $0.extras["correlation"] = .string($1) }),
        ("causation", { $0.extras["causation"] = .string($1) }),
        ("id", { $0.extras["id"] = .string($1) }),
    ]

    @Test(
        "No text of an envelope is empty, longer than 256 bytes or has a control character",
        arguments: texts.map(\.name))
    func envelopeTexts(_ name: String) throws {
        let set = try #require(Self.texts.first { $0.name == name }).set
        func found(_ text: String) -> EventProblem? { Self.problem(Self.draft { set(&$0, text) }) }
        #expect(found(String(repeating: "a", count: 256)) == nil)
        #expect(found("a\u{301} 🐕") == nil)
        for text in [
            "", String(repeating: "a", count: 257), String(repeating: "é", count: 129), "a\nb",
            "\u{0}", "\u{1B}[31mred", "a\u{7F}", "a\u{85}",
        ] {
            #expect(found(text)?.member == name, "\(text.debugDescription)")
        }
    }

    @Test("The numbers of an envelope keep to their bounds, whatever made the draft")
    func envelopeNumbers() {
        let changes: [(String, (inout EventDraft) -> Void)] = [
            ("v", { $0.version = 0 }), ("v", { $0.version = 65_536 }),
            ("occurred_at", { $0.occurredAt = -1 }),
            ("occurred_at", { $0.occurredAt = EventBounds.timeMax + 1 }),
            ("recorded_at", { $0.recordedAt = -1 }),
            ("source.signed_at", { $0.source.signedAt = EventBounds.timeMax + 1 }),
            ("sequence", { $0.sequence = -1 }), ("sequence", { $0.sequence = 1 << 32 }),
        ]
        for (name, change) in changes {
            let problem = Self.problem(Self.draft(change))
            #expect(problem?.member == name && problem?.code == .outOfBounds)
        }
        let atLimit = Self.draft {
            ($0.occurredAt, $0.sequence) = (EventBounds.timeMax, (1 << 32) - 1)
        }
        #expect(Self.problem(atLimit) == nil)
    }

    @Test("A member that the envelope has is no extra one")
    func knownExtras() {
        for name in ["type", "subject", "profile", "sequence", "position", "source", "data"] {
            let problem = Self.problem(Self.draft { $0.extras[name] = 1 })
            #expect(problem?.code == .forbidden && problem?.member == name)
        }
    }

    // MARK: Keys

    @Test(
        "Without a key and a time two equal events would be one for ever: one of them must be given"
    )
    func keyless() throws {
        for type in ["app.launched", "dream.dreamt"] {
            let bare = #"{"type":"\#(type)","subject":"ada""#
            let problem = try Self.problem(bare + "}")
            #expect(problem?.code == .missingField && problem?.member == "occurred_at")
            #expect(problem?.reason.contains("source.key") == true)
            for rest in [
                #","occurred_at":1"#, #","source":{"key":"k"}"#, #","id":"k""#,
            ] {
                #expect(try Self.problem(bare + rest + "}") == nil)
            }
        }
    }

    @Test("An id stands in for the key and keeps to the bounds of one")
    func id() throws {
        func draft(_ id: String) throws -> EventDraft {
            let line = #"{"type":"app.launched","subject":"ada","id":\#(id)}"#
            return try EventJSON.draft(from: try JSONReader.read(Array(line.utf8)))
        }
        #expect(try draft(#""01JZ""#).source.key == "01JZ")
        for id in [#""""#, "\"\(String(repeating: "x", count: 257))\"", "7", #""a\nb""#] {
            #expect {
                try draft(id)
            } throws: {
                ($0 as? EventProblem)?.member == "id"
            }
        }
    }

    @Test("A key made of long names is their digest, so that its export can be read again")
    func boundedKeys() {
        let short = "limit/ada/stories/2026-03"
        #expect(EventSource.boundedKey(short) == short)
        let long = "limit/" + String(repeating: "x", count: 251)
        #expect(EventSource.boundedKey(long).utf8.count <= EventBounds.nameByteCountMax)
        #expect(EventSource.boundedKey(long) != EventSource.boundedKey(long + "y"))
    }

    // MARK: Data

    @Test("A store with a colon would give two lineages one name")
    func store() {
        func problem(_ store: String) -> EventProblem? {
            Self.problem(
                EventRowTests.draft(
                    "subscription.grace_expired",
                    data: ["original_transaction_id": "b", "store": .string(store)]))
        }
        #expect(problem("google") == nil)
        for store in ["a:", ":", "google:eu"] {
            #expect(problem(store)?.member == "data.store")
        }
    }

    @Test("DZ-41: free text is counted in Unicode scalars, not in letters with their accents")
    func freeText() {
        func problem(_ text: String) -> EventProblem? {
            Self.problem(EventRowTests.draft("app.launched", data: ["note": .string(text)]))
        }
        let accents = "a" + String(repeating: "\u{301}", count: 20_000)
        #expect(accents.count == 1)
        #expect(problem(accents)?.code == .personalDataForbidden)
        #expect(problem(String(repeating: "字", count: 256)) == nil)
        #expect(problem(String(repeating: "字", count: 257))?.code == .personalDataForbidden)
    }

    @Test("Names of members have at most 256 bytes, at every depth")
    func memberNames() {
        let (fits, tooLong) = (
            String(repeating: "n", count: 256), String(repeating: "n", count: 257)
        )
        #expect(Self.problem(Self.draft { $0.extras[fits] = 1 }) == nil)
        #expect(Self.problem(Self.draft { $0.data["in"] = [[.object([fits: 1])]] }) == nil)
        #expect(Self.problem(Self.draft { $0.extras[tooLong] = 1 })?.code == .tooLarge)
        #expect(
            Self.problem(Self.draft { $0.data["in"] = [[.object([tooLong: 1])]] })?.code
                == .tooLarge)
    }

    @Test("Words have the bounds of names")
    func words() {
        func problem(_ word: String) -> EventProblem? {
            Self.problem(
                EventRowTests.draft(
                    "usage.reset",
                    data: [
                        "meter": "m", "period_start": 1, "effective_at": 1,
                        "trigger": .string(word),
                    ]))
        }
        #expect(problem("lunar") == nil)
        #expect(problem("")?.member == "data.trigger")
        #expect(problem(String(repeating: "é", count: 129))?.code == .tooLarge)
    }

    @Test("An event has at most 64 KiB in canonical form, whatever made it")
    func size() {
        func draft(_ count: Int) -> EventDraft {
            // Small texts, because a long one is refused for another reason.
            Self.draft { draft in
                draft.data["list"] = .array(
                    Array(repeating: .string(String(repeating: "é", count: 99)), count: count))
            }
        }
        var (low, high) = (1, 1_000)
        while high - low > 1 {
            let middle = (low + high) / 2
            let isTooLarge = Self.problem(draft(middle))?.code == .tooLarge
            (low, high) = isTooLarge ? (low, middle) : (middle, high)
        }
        #expect(EventJSON.canonicalBytes(of: draft(low)).count <= EventBounds.eventByteCountMax)
        #expect(EventJSON.canonicalBytes(of: draft(high)).count > EventBounds.eventByteCountMax)
    }

    @Test("A catalog's document has a bound of its own; nothing else of that event has")
    func document() {
        func catalog(_ byteCount: Int) -> EventDraft {
            let text = String(repeating: "# a line\n", count: byteCount / 9 + 1).utf8.prefix(
                byteCount)
            var draft = EventRowTests.draft(
                "catalog.published",
                data: [
                    "version": 1, "effective_at": 0, "applies_to": "all", "document_sha256": "00",
                    "document": .string(String(decoding: Array(text), as: UTF8.self)),
                ])
            draft.subject = nil
            return draft
        }
        #expect(Self.problem(catalog(EventBounds.documentByteCountMax)) == nil)
        #expect(Self.problem(catalog(EventBounds.documentByteCountMax + 1))?.code == .tooLarge)
        var other = catalog(300)
        other.data["annex"] = ["document": other.data["document"] ?? .null]
        #expect(Self.problem(other)?.code == .personalDataForbidden)
        other = catalog(300)
        other.extras["document"] = other.data["document"]
        #expect(Self.problem(other)?.code == .personalDataForbidden)
        other = catalog(300)
        other.data["list"] = .array(Array(repeating: "0123456789", count: 6_000))
        #expect(Self.problem(other)?.code == .tooLarge)
    }

    @Test("The canonical bytes of a draft are those of its object, wherever its extras belong")
    func canonicalBytes() {
        let draft = Self.draft {
            for name in ["a", "data2", "e", "odd", "p", "r", "sz", "t", "u", "zz", "é", "v0"] {
                $0.extras[name] = .string(name)
            }
            $0.source.signedAt = 6
            $0.sequence = 0
        }
        #expect(EventJSON.canonicalBytes(of: draft) == EventJSON.object(of: draft).canonicalBytes)
        #expect(
            EventJSON.requestDigest(of: draft)
                == EventJSON.requestDigest(EventJSON.object(of: draft)))
    }
}
