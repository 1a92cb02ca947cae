import DaybookDomain
import DaybookEvents
import Testing

@Suite("Calls of a catalog")
struct CatalogCallsTests {
    private static func calls(_ calls: String) -> String {
        "app: x\nmeters:\n  rides: { kind: counter, limit: 3 }\ncalls:\n  " + calls
    }

    static let mistakes: [Mistake] = [
        Mistake(
            "a use without a meter", 5, 6, ["`meter` is missing", "`meter: stories`"],
            calls("c: { does: consume }")),
        Mistake(
            "an unknown work", 5, 14, ["`consum` is no does", "`consume`"],
            calls("c: { does: consum, meter: rides }")),
        Mistake(
            "a needed member that is not named", 5, 6, ["which member of a request is `signed`"],
            calls("c: { does: takeTransaction }")),
        Mistake(
            "a member that the work does not take", 5, 48,
            ["`reff` is nothing that consume takes", "`ref`"],
            calls("c: { does: consume, meter: rides, members: { reff: id } }")),
        Mistake(
            "one member for two things", 5, 57, ["`id` stands for two things"],
            calls("c: { does: consume, meter: rides, members: { ref: id, profile: id } }")),
        Mistake(
            "a path that begins nowhere", 5, 53,
            ["`{remaining}` leads nowhere", "`{decision.remaining}`"],
            calls("c: { does: consume, meter: rides, answer: { left: \"{remaining}\" } }")),
        Mistake(
            "a decision where none is made", 5, 34, ["showStatus makes none", "`{status.…}`"],
            calls("c: { does: showStatus, answer: { left: \"{decision.remaining}\" } }")),
        Mistake(
            "a refusal where none can be", 5, 35, ["showStatus is never refused"],
            calls("c: { does: showStatus, refusal: { ok: false } }")),
        Mistake(
            "a meter that is not there", 5, 30, ["no meter named `rides2`"],
            calls("c: { does: consume, meter: rides2 }")),
        Mistake(
            "a list in an answer", 5, 39, ["a single value"],
            calls("c: { does: showStatus, answer: { a: [1] } }")),
    ]

    @Test("Each mistake is told with its place and what to write", arguments: mistakes)
    func mistake(_ mistake: Mistake) { expect(mistake) }

    @Test("A call keeps the kinds of what it answers")
    func values() throws {
        let yaml = Self.calls(
            #"c: { does: consume, meter: rides, answer: { a: true, b: 7, c: "7", d: "{status.status}" } }"#
        )
        let call = try #require(try CatalogReader.read(Array(yaml.utf8)).calls.first)
        #expect(call.envelope == .plain && call.refusal.isEmpty)
        #expect(
            call.answer.map(\.value) == [
                .flag(true), .integer(7), .text("7"), .path(["status", "status"]),
            ])
    }
}
