import Daybook
import Synchronization

/// How much of what cannot be verified is kept from a route that is open: so many payloads, and so many bytes.
///
/// What was dismissed or taken in after all makes room again, and what waited before the server began counts too: where
/// there seems to be no room, the ledger is asked what waits, but not for every request of a flood.
final class RefusalBudget: Sendable {
    static let countMax = 1_000
    static let byteCountMax = 16 << 20
    /// Between two counts of what waits.
    private static let interval = Duration.seconds(1)

    struct Amount: Sendable {
        var count = 0
        var byteCount = 0
    }

    private struct Kept {
        var amount = Amount()
        /// Whether what waits was counted once.
        var isCounted = false
        /// When a count was begun last.
        var countedAt: ContinuousClock.Instant?
    }

    private let kept = Mutex(Kept())

    /// Takes room for one more, before it is known whether it is refused.
    /// - Parameter waiting: Counts what waits in the ledger.
    /// - Returns: Whether there was room.
    func reserve(_ byteCount: Int, counting waiting: () throws -> Amount) rethrows -> Bool {
        let now = ContinuousClock.now
        let (isTaken, isDue) = kept.withLock { kept in
            let isTaken = kept.isCounted && Self.take(byteCount, of: &kept.amount)
            let isDue = kept.countedAt.map { $0.duration(to: now) > Self.interval } ?? true
            if !isTaken, isDue { kept.countedAt = now }
            return (isTaken, isDue)
        }
        guard !isTaken, isDue else { return isTaken }
        do {
            let amount = try waiting()
            return kept.withLock { kept in
                kept.amount = amount
                kept.isCounted = true
                return Self.take(byteCount, of: &kept.amount)
            }
        } catch {
            // Nothing is known of what waits, so nothing has room before it is counted.
            kept.withLock { $0.countedAt = nil }
            throw error
        }
    }

    private static func take(_ byteCount: Int, of amount: inout Amount) -> Bool {
        guard amount.count < countMax, amount.byteCount + byteCount <= byteCountMax else {
            return false
        }
        amount.count += 1
        amount.byteCount += byteCount
        return true
    }

    /// It was taken in, and needs no room.
    func giveBack(_ byteCount: Int) {
        kept.withLock {
            $0.amount.count = max(0, $0.amount.count - 1)
            $0.amount.byteCount = max(0, $0.amount.byteCount - byteCount)
        }
    }
}

extension RefusalBudget {
    /// Takes in what may be refused and then kept. Where there is no room it is only looked at first, and what is
    /// refused is not kept.
    /// - Parameter ingest: Told whether nothing shall be written.
    func bounding(
        _ byteCount: Int, _ ledger: ServedLedger,
        _ ingest: (_ isDryRun: Bool) async throws -> IngestReceipt
    ) async throws -> IngestReceipt {
        let isReserved = try reserve(byteCount) {
            try ledger.asking { try $0.waitingRefusals() }
        }
        if !isReserved, let refused = try await ingest(true).refused.first {
            throw Problem.tooMany(
                .serviceUnavailable, "dead_letters_full",
                "payloads that could not be verified wait to be looked at; this one is refused as well (\(refused.refusal.reason.rawValue)) and not kept",
                after: 3_600)
        }
        do {
            let receipt = try await ingest(false)
            if isReserved, receipt.refused.isEmpty { giveBack(byteCount) }
            return receipt
        } catch {
            if isReserved { giveBack(byteCount) }
            throw error
        }
    }
}

extension Ledger {
    /// What waits to be looked at, each payload once.
    func waitingRefusals() throws -> RefusalBudget.Amount {
        let waiting = try deadLetters().filter(\.isWaiting)
        var amount = RefusalBudget.Amount(count: waiting.count)
        for payload in Set(waiting.map(\.payloadSHA256)) {
            amount.byteCount += try rawPayload(sha256: payload)?.count ?? 0
        }
        return amount
    }
}
