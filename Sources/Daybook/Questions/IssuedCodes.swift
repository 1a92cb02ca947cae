import DaybookDomain
import DaybookEvents
import DaybookStore

/// The codes of promotions, and what became of them.
struct IssuedCodes {
    let core: LedgerCore

    /// Codes of a promotion of the newest catalog: the same at every call, and written nowhere.
    func codes(
        of promotion: String, numbers: ClosedRange<Int64>,
        in environment: Environment = .production
    ) throws -> [IssuedCode] {
        let promotions = try core.catalogs().newest?.catalog.promotions ?? []
        guard let found = promotions.first(where: { haveSameBytes($0.name, promotion) }) else {
            let hint = NearestName.hint(promotion, among: promotions.map(\.name))
            throw LedgerError.bad(
                "unknown_name", "the catalog has no promotion \"\(promotion)\"\(hint)")
        }
        let (first, last) = (max(1, numbers.lowerBound), min(numbers.upperBound, found.codes))
        guard first <= last else { return [] }
        try core.readKeys()
        return try core.translating {
            try (first...last).map { number in
                let code = PromotionCode(
                    number, of: found.name, in: environment, secret: core.store.header.secret)
                var issued = IssuedCode(code: code)
                let key = PromotionCase(name: found.name, number: number).key
                let row = try core.state.withLock { state -> EventRow? in
                    try state.position(
                        of: key, from: EventSource.promotion, in: environment, core.store
                    ).flatMap { try core.store.rows(at: [$0]).first }
                }
                if let row, row.event.type == .grantIssued {
                    issued.redeemedAt = row.recordedAt
                    issued.redeemedBy = core.state.withLock { $0.streamName(row.event.stream).name }
                }
                return issued
            }
        }
    }
}
