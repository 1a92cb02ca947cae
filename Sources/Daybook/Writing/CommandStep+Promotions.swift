import DaybookDomain
import DaybookEvents
import DaybookStore

extension CommandStep {
    /// The code that the command redeems, and who redeemed it before; `nil` where the command redeems nothing, or no
    /// promotion has ever had the code.
    /// - Parameter catalog: The one in force for the customer.
    func promotionCase(
        _ catalog: Catalog?, _ group: GroupDecision, _ state: LedgerState
    ) throws -> PromotionCase? {
        guard case .redeem(let code) = request.command else { return nil }
        let names = Set(state.catalogs.versions.flatMap(\.catalog.promotions).map(\.name))
        for name in names {
            let number = PromotionCode.number(
                in: code, of: name, in: request.environment, secret: store.header.secret)
            guard let number else { continue }
            var found = PromotionCase(name: name, number: number)
            found.promotion = catalog?.promotions.first {
                haveSameBytes($0.name, name) && number <= $0.codes
            }
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

extension Ledger {
    /// One code of a promotion, and what became of it.
    public struct IssuedCode: Sendable, Equatable {
        public var code: PromotionCode
        /// Who redeemed it; `nil`: nobody yet.
        public var redeemedBy: String?
        /// When that was recorded, in milliseconds since 1970 UTC.
        public var redeemedAt: Int64?
    }

    /// Codes of a promotion of the newest catalog: the same at every call, and written nowhere.
    /// - Parameters:
    ///   - numbers: Of the batch, from 1 on; those beyond its end are left out.
    /// - Throws: `LedgerError.badInput` for a promotion that the catalog does not have.
    /// - Complexity: O(*n*) for *n* codes, some microseconds and a look-up each.
    public func codes(
        of promotion: String, numbers: ClosedRange<Int64>,
        in environment: Environment = .production
    ) throws -> [IssuedCode] {
        let promotions = try catalogs().newest?.catalog.promotions ?? []
        guard let found = promotions.first(where: { haveSameBytes($0.name, promotion) }) else {
            let near = NearestName.of(promotion, among: promotions.map(\.name))
            throw LedgerError.badInput([
                InputProblem(
                    line: nil, column: nil, code: "unknown_name",
                    reason: "the catalog has no promotion \"\(promotion)\""
                        + (near.map { "; did you mean \"\($0)\"?" } ?? ""))
            ])
        }
        let (first, last) = (max(1, numbers.lowerBound), min(numbers.upperBound, found.codes))
        guard first <= last else { return [] }
        try readKeys()
        return try translating {
            try (first...last).map { number in
                let code = PromotionCode(
                    number, of: found.name, in: environment, secret: store.header.secret)
                var issued = IssuedCode(code: code)
                let key = PromotionCase(name: found.name, number: number).key
                let row = try state.withLock { state -> EventRow? in
                    guard let source = state.names.id(of: EventSource.promotion),
                        let position = try state.position(
                            of: EventKey(environment, source, Reference(key)), in: store)
                    else { return nil }
                    return try store.rows(at: [position]).first
                }
                if let row, row.event.type == .grantIssued {
                    issued.redeemedAt = row.recordedAt
                    issued.redeemedBy = state.withLock { $0.streamName(row.event.stream).name }
                }
                return issued
            }
        }
    }
}
