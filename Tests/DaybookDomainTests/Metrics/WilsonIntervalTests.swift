import DaybookDomain
import Testing

@Suite("Wilson's interval")
struct WilsonIntervalTests {
    @Test(
        "The examples of R. G. Newcombe (Statistics in Medicine 17, 1998, table I, method 3)",
        arguments: [
            (81, 263, 255_300, 366_200), (15, 148, 62_400, 160_500), (0, 20, 0, 161_100),
            (1, 29, 6_100, 171_800),
        ] as [(Int64, Int64, Int64, Int64)])
    func published(successes: Int64, count: Int64, lower: Int64, upper: Int64) throws {
        let interval = try #require(WilsonInterval(successes: successes, of: count))
        // They are told to four decimals.
        #expect((interval.lowerMicros - lower).magnitude <= 50)
        #expect((interval.upperMicros - upper).magnitude <= 50)
    }

    @Test("All of them and none of them mirror each other")
    func extremes() throws {
        let none = try #require(WilsonInterval(successes: 0, of: 7))
        let all = try #require(WilsonInterval(successes: 7, of: 7))
        #expect(none.lowerMicros == 0 && all.upperMicros == 1_000_000)
        #expect(none.upperMicros == 1_000_000 - all.lowerMicros)
    }

    @Test("What is no share has none")
    func none() {
        #expect(WilsonInterval(successes: 0, of: 0) == nil)
        #expect(WilsonInterval(successes: 2, of: 1) == nil)
        #expect(WilsonInterval(successes: -1, of: 1) == nil)
    }
}
