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

    @Test(
        "Numbers of a whole order count for no item, and may not contradict the items",
        arguments: [
            (
                #""quantity":2,"items":[{"product":"a","price_milli":1,"quantity":2},{"product":"b","price_milli":1}]"#,
                "data.quantity", "forbidden", "give every item its own quantity"
            ),
            (
                #""quantity":4,"items":[{"product":"a","price_milli":1,"quantity":2},{"product":"b","price_milli":1,"quantity":1}]"#,
                "data.quantity", "forbidden", "is 4, and the items come to 3"
            ),
            (
                #""price_milli":9,"items":[{"product":"a","price_milli":1,"quantity":2},{"product":"b","price_milli":5}]"#,
                "data.price_milli", "forbidden", "is 9, and the items come to 7"
            ),
            (
                #""price_milli":9,"items":[{"product":"a","price_milli":5}]"#,
                "data.price_milli", "forbidden", "is 9, and the items come to 5"
            ),
            (
                #""price_milli":"7","items":[{"product":"a","price_milli":7}]"#,
                "data.price_milli", "wrong_type", "must be an integer"
            ),
        ])
    func sums(_ data: String, _ member: String, _ code: String, _ reason: String) throws {
        let found = NDJSONReaderTests.read(Self.line("\(Self.order),\(data)"))
        #expect(found.events.isEmpty)
        let problem = try #require(found.problems.first)
        #expect(problem.member == member)
        #expect(problem.code == code)
        #expect(problem.reason.contains(reason), "\(problem.reason)")
    }

    @Test("An order may say the sums of its items; only what the items say is kept")
    func agreeingSums() {
        let found = NDJSONReaderTests.read(
            Self.line(
                Self.order + #","quantity":3,"price_milli":7,"items":["#
                    + #"{"product":"a","price_milli":1,"quantity":2},"#
                    + #"{"product":"b","price_milli":5,"quantity":1}]"#))
        #expect(found.problems.isEmpty)
        #expect(found.events.map { $0.draft.data["price_milli"] } == [1, 5])
        #expect(found.events.map { $0.draft.data["quantity"] } == [2, 1])
    }

    @Test("Two items with one key are refused at the second, though their transactions differ")
    func sameKey() {
        let found = NDJSONReaderTests.read(
            Self.line(
                Self.order + #","items":[{"product":"a","transaction_id":"b","price_milli":1},"#
                    + #"{"product":"b","price_milli":1}]"#))
        #expect(found.events.isEmpty)
        #expect(found.problems.map(\.member) == ["data.items[1].product"])
        #expect(found.problems.map(\.code) == ["forbidden"])
        #expect(found.problems.first?.reason.contains("the key \"k/b\" as data.items[0]") == true)
    }

    @Test("A revocation, and a refund that was taken back, name items as well")
    func revocations() {
        for (type, time) in [
            ("purchase.revoked", #","revoked_at":7"#), ("purchase.refund_reversed", ""),
        ] {
            let found = NDJSONReaderTests.read(
                Self.line(
                    #""transaction_id":"o"\#(time),"items":[{"product":"a"},{"product":"b"}]"#,
                    type: type))
            #expect(found.problems.isEmpty, "\(type)")
            #expect(found.events.map(\.draft.source.key) == ["k/a", "k/b"], "\(type)")
            #expect(
                found.events.map { $0.draft.data["transaction_id"] } == ["o/a", "o/b"], "\(type)")
            #expect(found.events.map { $0.draft.data["order_id"] } == ["o", "o"], "\(type)")
            #expect(found.events.map { $0.draft.data["product"] } == ["a", "b"], "\(type)")
            #expect(found.events.allSatisfy { $0.draft.data["items"] == nil }, "\(type)")
        }
    }

    @Test(
        "Items of an event that is about one transaction are refused rather than ignored",
        arguments: [
            "subscription.started", "subscription.renewed", "subscription.expired",
            "purchase.claimed", "purchase.transferred", "purchase.assigned",
        ])
    func otherTypes(_ type: String) {
        let found = NDJSONReaderTests.read(
            Self.line(#""transaction_id":"o","items":[{"product":"a"}]"#, type: type))
        #expect(found.events.isEmpty)
        #expect(found.problems.map(\.member) == ["data.items"])
        #expect(found.problems.map(\.code) == ["forbidden"])
        #expect(found.problems.first?.reason.contains("leave items out") == true)
    }

    @Test("All events of an order together have a bound, whatever each of them has")
    func together() {
        // About 60,000 bytes, which stand in the event of every item.
        let list = Array(repeating: #""0123456""#, count: 6_000).joined(separator: ",")
        for (count, code) in [(10, nil), (20, "too_large")] as [(Int, String?)] {
            let items = (0..<count).map { #"{"product":"p\#($0)","price_milli":1}"# }
            let found = NDJSONReaderTests.read(
                Self.line(
                    Self.order + #","list":[\#(list)],"items":["#
                        + items.joined(separator: ",") + "]"))
            #expect(found.events.count == (code == nil ? count : 0))
            #expect(found.problems.map(\.code) == (code.map { [$0] } ?? []))
            #expect(found.problems.map(\.member) == (code == nil ? [] : ["data.items"]))
        }
    }

    @Test("An order's id that is a number stays one where there are no items, as it always did")
    func numericID() {
        let plain =
            #""product":"a","kind":"consumable","currency":"USD","price_milli":1,"transaction_id":"t","order_id":1001"#
        let found = NDJSONReaderTests.read(
            Self.line(plain), Self.line(plain, more: #""position":7,"#))
        #expect(found.problems.isEmpty)
        #expect(found.events.map { $0.draft.data["order_id"] } == [1_001, 1_001])
        let order = NDJSONReaderTests.read(
            Self.line(
                #""order_id":1001,"kind":"consumable","currency":"USD","items":[{"product":"a","price_milli":1}]"#
            ))
        #expect(order.problems.map(\.member) == ["data.order_id"])
        #expect(order.problems.map(\.code) == ["wrong_type"])
    }
}
