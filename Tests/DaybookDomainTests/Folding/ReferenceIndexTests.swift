import DaybookDomain
import DaybookEvents
import DaybookTesting
import Testing

/// Facts of one aggregate are found by their transaction in time that does not grow with their number.
@Suite("Finding by reference")
struct ReferenceIndexTests {
    private final class Counter { var looks = 0 }

    @Test("Every element is looked at once, however many are added and asked for")
    func linear() {
        let counter = Counter()
        var index = ReferenceIndex()
        var array: [Reference] = []
        let count = 20_000
        for number in 0..<count {
            let reference = Reference("transaction-number-\(number)")
            let found = index.index(of: reference, in: array) {
                counter.looks += 1
                return $0
            }
            #expect(found == nil)
            array.append(reference)
            // What is there already is found without another look.
            let earlier = number / 2
            let again = index.index(of: array[earlier], in: array) {
                counter.looks += 1
                return $0
            }
            #expect(again == earlier)
        }
        let scans = 2 * (ReferenceIndex.scanCountMax + 1) * (ReferenceIndex.scanCountMax + 1)
        #expect(counter.looks <= count + scans)
    }

    @Test("An aggregate that was read again finds its transactions, and is the same aggregate")
    func readAgain() throws {
        var names = NameTable()
        var once = LineageState()
        var twice = LineageState()
        for round in 0..<2 {
            for number in 0..<40 {
                let draft = EventDraft.reported(
                    .purchaseCompleted, at: Int64(round * 100 + number),
                    key: "\(round)/\(number)",
                    [
                        "product": "coins.bag", "kind": "consumable", "quantity": 1,
                        "transaction_id": .string("t\(number)"), "price_milli": 990,
                        "currency": "EUR",
                    ])
                let event = EventEncoder.row(try EventValidator.canonical(draft), names: &names)
                    .event
                once.evolve(event, names: names)
                twice.evolve(event, names: names)
            }
            // A state that was written and read knows no index.
            var copy = LineageState()
            copy.transactions = twice.transactions
            twice = copy
        }
        #expect(once.transactions.count == 40)
        #expect(once.transactions == twice.transactions)
    }
}
