import DaybookEvents
import DaybookIngest
import Testing

/// How a line with items is read, and where it is wrong.
@Suite("Lines with items")
struct OrderItemsTests {
    private static func line(
        _ data: String, type: String = "purchase.completed", more: String = ""
    ) -> String {
        #"{"type":"\#(type)","subject":"ada","occurred_at":1767312000000,\#(more)"#
            + #""source":{"kind":"web","key":"k"},"data":{\#(data)}}"#
    }

    private static let order = #""order_id":"o","kind":"non_consumable","currency":"USD""#

    @Test("What an item does not say, the order says for it; its own original transaction counts")
    func overrides() throws {
        let found = NDJSONReaderTests.read(
            Self.line(
                Self.order + #","price_milli":0,"original_transaction_id":"x","note":"n","items":["#
                    + #"{"product":"a"},"#
                    + #"{"product":"b","transaction_id":"t","kind":"consumable","currency":"EUR","#
                    + #""original_transaction_id":"y","price_milli":5}]"#))
        #expect(found.problems.isEmpty)
        #expect(found.events.map(\.line) == [1, 1])
        #expect(found.events.map(\.draft.source.key) == ["k/a", "k/t"])
        #expect(
            found.events.map(\.draft.data) == [
                [
                    "order_id": "o", "kind": "non_consumable", "currency": "USD", "price_milli": 0,
                    "product": "a", "transaction_id": "o/a", "original_transaction_id": "o/a",
                    "note": "n",
                ],
                [
                    "order_id": "o", "kind": "consumable", "currency": "EUR", "price_milli": 5,
                    "product": "b", "transaction_id": "t", "original_transaction_id": "y",
                    "note": "n",
                ],
            ])
    }

    @Test("Two items of one product are two purchases where each has a transaction of its own")
    func sameProduct() {
        let items = #"{"product":"a","price_milli":1,"transaction_id":"1"}"#
        let found = NDJSONReaderTests.read(
            Self.line(
                Self.order + #","items":[\#(items),\#(items.replacing("\"1\"", with: "\"2\""))]"#))
        #expect(found.events.map(\.draft.source.key) == ["k/1", "k/2"])
        #expect(found.events.map { $0.draft.data["product"] } == ["a", "a"])
    }

    @Test("Times of items may be RFC 3339, and finer ones than milliseconds are refused")
    func times() {
        let found = NDJSONReaderTests.read(
            Self.line(
                Self.order
                    + #","items":[{"product":"a","price_milli":1,"starts_at":"1970-01-01T00:00:07Z"}]"#
            ),
            Self.line(
                Self.order
                    + #","items":[{"product":"a","price_milli":1,"starts_at":"1970-01-01T00:00:00.0001Z"}]"#
            ))
        #expect(found.events.map { $0.draft.data["starts_at"] } == [7_000])
        #expect(found.problems.map(\.member) == ["data.items[0].starts_at"])
        #expect(found.problems.map(\.code) == ["wrong_type"])
    }

    @Test("A request for a refund, and its refusal, name items as well")
    func requests() {
        for type in ["refund.requested", "refund.declined"] {
            let found = NDJSONReaderTests.read(
                Self.line(
                    #""transaction_id":"o","items":[{"product":"a"},{"product":"b"}]"#, type: type))
            #expect(found.problems.isEmpty)
            #expect(
                found.events.map(\.draft.data) == [
                    [
                        "order_id": "o", "transaction_id": "o/a", "original_transaction_id": "o/a",
                    ],
                    [
                        "order_id": "o", "transaction_id": "o/b", "original_transaction_id": "o/b",
                    ],
                ])
        }
    }

    @Test("What a ledger wrote, and what is no purchase, is left as it is")
    func untouched() throws {
        let data =
            Self.order
            + #","price_milli":1,"product":"a","transaction_id":"t","items":[{"product":"b"}]"#
        let recorded = NDJSONReaderTests.read(Self.line(data, more: #""position":7,"#))
        #expect(recorded.events.map(\.draft.source.key) == ["k"])
        #expect(
            recorded.events.first?.draft.data["items"] == .array([.object(["product": "b"])]))
        let launched = NDJSONReaderTests.read(
            Self.line(#""items":[{"product":"b"}]"#, type: "app.launched"))
        #expect(launched.events.count == 1)
    }

    @Test(
        "A mistake of an order has the member, and the column at which it stands",
        arguments: [
            (#""items":5"#, "data.items", "wrong_type", #""items""#),
            (#""items":[]"#, "data.items", "out_of_bounds", #""items""#),
            (#""items":["a"]"#, "data.items[0]", "wrong_type", #""items""#),
            (
                #""items":[{"product":"a","price_milli":1},{"price_milli":1}]"#,
                "data.items[1].product", "missing_field", #"{"price_milli""#
            ),
            (#""items":[{"product":7}]"#, "data.items[0].product", "wrong_type", #""product""#),
            (#""items":[{"product":""}]"#, "data.items[0].product", "wrong_type", #""product""#),
            (
                #""items":[{"product":"a"}]"#, "data.items[0].price_milli", "missing_field",
                #"{"product""#
            ),
            (
                #""items":[{"product":"a","price_milli":"1"}]"#, "data.items[0].price_milli",
                "wrong_type", #""price_milli""#
            ),
            (
                #""items":[{"product":"a","price_milli":1},{"product":"a","price_milli":1}]"#,
                "data.items[1].product", "forbidden", #""product":"a","price_milli":1}]"#
            ),
            (
                #""items":[{"product":"a","price_milli":1,"items":[]}]"#, "data.items[0].items",
                "forbidden", #""items":[]"#
            ),
            (
                #""price_milli":9,"items":[{"product":"a","price_milli":1},{"product":"b"}]"#,
                "data.price_milli", "forbidden", #""price_milli":9"#
            ),
            (
                #""quantity":0,"items":[{"product":"a","price_milli":1}]"#, "data.quantity",
                "out_of_bounds", #""quantity""#
            ),
        ])
    func mistakes(_ data: String, _ member: String, _ code: String, _ place: String) throws {
        let line = Self.line("\(Self.order),\(data)")
        let found = NDJSONReaderTests.read("", line)
        #expect(found.events.isEmpty)
        let problem = try #require(found.problems.first)
        #expect(problem.line == 2)
        #expect(problem.member == member)
        #expect(problem.code == code)
        let start = try #require(line.firstRange(of: place)).lowerBound
        #expect(problem.column == line.utf8.distance(from: line.startIndex, to: start) + 1)
    }

    @Test("An order without an id, without a key and with too many items is refused")
    func bounds() {
        let item = #"{"product":"a","kind":"consumable","price_milli":1,"currency":"USD"}"#
        let nameless = NDJSONReaderTests.read(Self.line(#""items":[\#(item)]"#))
        #expect(nameless.problems.map(\.member) == ["data.order_id"])
        let keyless = NDJSONReaderTests.read(
            Self.line(#""order_id":"o","items":[\#(item)]"#)
                .replacing(#","key":"k""#, with: ""))
        #expect(keyless.problems.map(\.code) == ["missing_key"])
        for count in [100, 101] {
            let items = (0..<count).map { item.replacing("\"a\"", with: "\"p\($0)\"") }
            let found = NDJSONReaderTests.read(
                Self.line(#""order_id":"o","items":[\#(items.joined(separator: ","))]"#))
            #expect(found.events.count == (count == 100 ? 100 : 0))
            #expect(found.problems.map(\.code) == (count == 100 ? [] : ["out_of_bounds"]))
        }
    }
}
