import DaybookDomain
import DaybookEvents
import Testing

@Suite("Conditions")
struct AnswerConditionTests {
    @Test(
        "A condition is read, and written as it was",
        arguments: [
            "allowed:premiumVoices", "denied:x", "used:stories>=2", "used:stories<=2",
            "used:stories!=0", "used:stories>-1", "used:stories<3", "used:stories=0",
            "purchase.refunded",
        ])
    func reads(_ text: String) throws {
        #expect(try AnswerCondition(text).description == text)
    }

    @Test(
        "What cannot be read says why, and what can be written",
        arguments: [
            ("", "no such type"), ("refund", "no such type"), ("allowed:", "name is missing"),
            ("may:x", "\"may\" is none of"), ("used:stories", "comparison is missing"),
            ("used:>=2", "meter is missing"), ("used:stories>=two", "\"two\" is no whole number"),
            ("used:stories>=", "\"\" is no whole number"),
        ])
    func refuses(_ text: String, _ reason: String) throws {
        let error = #expect(throws: AnswerCondition.Unreadable.self) { try AnswerCondition(text) }
        let told = try #require(error).description
        #expect(told.contains(reason), "\(told)")
        #expect(told.contains("write allowed:NAME"))
    }
}
