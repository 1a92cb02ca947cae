import DaybookDomain
import DaybookEvents
import DaybookStore

extension CommandStep {
    /// The promotion whose code the command redeems, and who redeemed it; `nil` where the command redeems nothing, or
    /// no promotion of the newest catalog has the code.
    func promotionCase(
        _ group: GroupDecision, _ state: LedgerState
    ) throws -> PromotionCase? {
        guard case .redeem(let code) = request.command else { return nil }
        for promotion in state.catalogs.newest?.catalog.promotions ?? [] {
            let number = PromotionCode.number(
                in: code, of: promotion, in: request.environment, secret: store.header.secret)
            guard let number else { continue }
            var found = PromotionCase(promotion: promotion, number: number)
            found.redeemedBy = try redeemer(of: found.key, group, state)
            return found
        }
        return nil
    }

    /// Who redeemed a code, whatever was done about it later: a code that was used once stays used.
    private func redeemer(
        of key: String, _ group: GroupDecision, _ state: LedgerState
    ) throws -> String? {
        guard let source = state.names.id(of: PromotionCase.source),
            let position = try group.position(
                of: EventKey(request.environment, source, Reference(key)), state),
            let row = try group.row(at: position)
        else { return nil }
        return state.streamName(row.event.stream).name
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
        let last = min(numbers.upperBound, found.codes)
        guard numbers.lowerBound <= last else { return [] }
        try readKeys()
        return try translating {
            try (max(1, numbers.lowerBound)...last).map { number in
                let code = PromotionCode(
                    number, of: found.name, in: environment, secret: store.header.secret)
                var issued = IssuedCode(code: code)
                let key = PromotionCase(promotion: found, number: number).key
                let row = try state.withLock { state -> EventRow? in
                    guard let source = state.names.id(of: PromotionCase.source),
                        let position = try state.position(
                            of: EventKey(environment, source, Reference(key)), in: store)
                    else { return nil }
                    return try store.rows(at: [position]).first
                }
                if let row {
                    issued.redeemedAt = row.recordedAt
                    issued.redeemedBy = state.withLock { $0.streamName(row.event.stream).name }
                }
                return issued
            }
        }
    }
}
