import DaybookDomain
import DaybookEvents
import DaybookStore

extension CommandStep {
    /// The code that the command redeems, and who redeemed it before; `nil` where the command redeems nothing, or no
    /// promotion has ever had the code.
    ///
    /// What the promotion gives is not in it yet: that takes the catalog in force for the customer.
    func promotionCase(
        _ group: GroupDecision, _ state: LedgerState
    ) throws -> PromotionCase? {
        guard case .redeem(let code) = request.command else { return nil }
        let names = Set(state.catalogs.versions.flatMap { $0.catalog.promotions.map(\.name) })
        for name in names {
            let number = PromotionCode.number(
                in: code, of: name, in: request.environment, secret: store.header.secret)
            guard let number else { continue }
            var found = PromotionCase(name: name, number: number)
            guard let row = try redemption(found.key, group, state) else { return found }
            found.redeemedBy = state.streamName(row.event.stream).name
            found.redeemedFor = row.event.profile == 0 ? nil : state.names[row.event.profile]
            return found
        }
        return nil
    }

    /// What a code was redeemed by, whatever was done about it later: a code that was used once stays used.
    private func redemption(
        _ key: String, _ group: GroupDecision, _ state: LedgerState
    ) throws -> EventRow? {
        guard let source = state.names.id(of: EventSource.promotion),
            let position = try group.position(
                of: EventKey(request.environment, source, Reference(key)), state),
            let row = try group.row(at: position), row.event.type == .grantIssued
        else { return nil }
        return row
    }
}

extension PromotionCase {
    /// Finds what the code gives.
    /// - Parameter catalog: The one in force for the customer.
    mutating func find(in catalog: Catalog?) {
        promotion = catalog?.promotions.first {
            haveSameBytes($0.name, name) && number <= $0.codes
        }
    }
}
