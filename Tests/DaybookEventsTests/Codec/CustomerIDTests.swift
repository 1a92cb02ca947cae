import DaybookEvents
import Testing

/// Ids of customers are looked at in short cuts first: what these pass over must be what the whole look passes over.
@Suite("Ids of customers")
struct CustomerIDTests {
    @Test(
        "An id that means no customer is told in every letter case, also where a character is none of ASCII",
        arguments: [
            "nan", "true", "false", "-1", "{}", "distinct_id", "user", "no_user", "[object Object]",
            "unidentified", "(undefined)", "un\u{212A}nown", "optional(nil)", "-", "--", "0-0",
        ])
    func junk(_ name: String) {
        for spelled in [name, name.uppercased(), name.lowercased(), name.capitalized] {
            #expect(PersonalData.namesNoCustomer(spelled), "\(spelled)")
        }
    }

    @Test(
        "Another id that begins alike is a customer's",
        arguments: ["nancy", "trueman", "user-7", "-12", "{}x", "f0", "0x1", "unknown\u{212A}"])
    func customers(_ name: String) {
        #expect(!PersonalData.namesNoCustomer(name))
    }

    @Test("An address is told by its sign, wherever that stands", arguments: 0...20)
    func addresses(_ count: Int) {
        for place in 0...count {
            var name = [UInt8](repeating: UInt8(ascii: "a"), count: count)
            #expect(isAccepted(String(decoding: name, as: UTF8.self) + "b"))
            name.insert(UInt8(ascii: "@"), at: place)
            #expect(!isAccepted(String(decoding: name, as: UTF8.self)), "at \(place) of \(count)")
        }
    }

    private func isAccepted(_ name: String) -> Bool {
        do throws(EventProblem) {
            try PersonalData.checkCustomer(name, "subject")
            return true
        } catch {
            return false
        }
    }

    @Test(
        "A UUID in both letter cases is written in small letters, whichever character is the other one"
    )
    func mixed() throws {
        let lower = "abcdefab-cdef-abcd-efab-cdefabcdefab"
        let (small, capital) = (Array(lower), Array(lower.uppercased()))
        for place in small.indices where small[place] != "-" {
            var (mostlySmall, mostlyCapital) = (small, capital)
            mostlySmall[place] = capital[place]
            mostlyCapital[place] = small[place]
            for spelled in [mostlySmall, mostlyCapital] {
                #expect(try canonical(String(spelled)) == lower, "\(place)")
            }
        }
        #expect(try canonical(lower) == lower)
        #expect(try canonical(lower.uppercased()) == lower.uppercased())
        // As long, in both letter cases, and no UUID.
        let other = "Customer-0123456789-0123456789-01234"
        #expect(try canonical(other) == other)
    }

    private func canonical(_ subject: String) throws -> String? {
        try EventValidator.canonical(
            EventDraft(
                type: EventTypeName(.usageRecorded), subject: subject, occurredAt: 1,
                source: EventSource(kind: "native", key: "k"), trust: .imported,
                data: ["meter": "stories", "amount": 1])
        ).subject
    }
}
