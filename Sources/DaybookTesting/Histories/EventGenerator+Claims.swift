import DaybookEvents

/// Customers who claim a purchase.
extension EventGenerator {
    /// Whether purchases of the catalog are claimed by several: where there are credits it matters most.
    var sellsCredits: Bool { catalog.products.contains { $0.kind == .consumable } }

    /// The same credits are posted for another customer, or claimed, sooner or later; or they were recorded for the
    /// store's own id, as long as that had to be.
    mutating func post(_ index: Int, _ purchase: JSONObject, _ time: Int64) {
        for _ in 0..<number(0...2) where chance(60) {
            let other = pick(
                customers.indices.filter {
                    customers[$0].environment == customers[index].environment
                })
            let instant = chance(30) ? time : moment(index)
            if chance(40) {
                claim(other ?? index, purchase, at: instant)
            } else {
                add(
                    .purchaseCompleted, other ?? index, at: instant, purchase,
                    source: "apple_jws", trust: chance(80) ? .verified : .clientAsserted,
                    signedAt: time + number(0...2) * Self.day)
            }
        }
        guard chance(20), var draft = drafts.last(where: { $0.type == .purchaseCompleted })
        else { return }
        draft.subject = "apple:\(next())"
        draft.trust = .verified
        draft.source = EventSource(kind: "apple_asn_v2", key: "k\(next())")
        drafts.append(draft)
    }

    /// A customer hands over what a store signed.
    mutating func claim(_ index: Int, _ purchase: JSONObject, at time: Int64) {
        var fields = JSONObject()
        for name in ["transaction_id", "original_transaction_id", "product"] {
            fields[name] = purchase[name]
        }
        add(.purchaseClaimed, index, at: time, fields, source: "apple_jws")
    }

    /// A claim to something with any owner or none: long before it was bought, or after it was given away.
    mutating func claimOddly(_ index: Int) {
        let others = neighbours(of: index).flatMap(\.transactions)
        guard let transaction = pick(others) else { return buy(index) }
        claim(index, Self.reference(to: transaction), at: moment(index))
    }
}
