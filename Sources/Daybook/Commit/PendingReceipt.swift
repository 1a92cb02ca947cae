import DaybookDomain
import DaybookEvents

/// The receipt of a command, of which the numbers after a use are still to be worked out.
///
/// They follow from values that nothing changes any more, so the one writer leaves them to its callers. A reference:
/// it goes through many hands between the decision and the caller.
final class PendingReceipt: Sendable {
    let receipt: Receipt
    private let numbers: UseAnswer?

    /// - Parameter numbers: `nil`: the command is none whose answer has numbers.
    init(_ receipt: Receipt, numbers: UseAnswer? = nil) {
        self.receipt = receipt
        self.numbers = numbers
    }

    /// About how many bytes are held for the numbers.
    var heldByteCount: Int { numbers?.context.folded.heldByteCount ?? 0 }

    /// The same without its numbers: what is recorded stays so, whether they can be worked out or not.
    var bare: Receipt {
        var receipt = receipt
        receipt.decision = nil
        return receipt
    }

    /// - Complexity: That of a check.
    func finished() throws -> Receipt {
        guard let decision = try numbers?.decision() else { return receipt }
        var receipt = receipt
        receipt.decision = decision
        return receipt
    }
}

/// The numbers after a use or a reservation, from the same rules that decided it.
struct UseAnswer: Sendable {
    /// Of the meter, as the request has it.
    private let name: String
    private let amount: Int64
    private let profile: String?
    /// The customer after the command's events.
    let context: CustomerCase
    /// The customer's, where they are known; `nil`: they are gathered from the case.
    private let entitlements: EntitlementsAnswer?

    /// `nil`: the command uses nothing, and its answer has no numbers.
    init?(
        _ command: PreparedCommand, _ context: CustomerCase,
        _ entitlements: EntitlementsAnswer? = nil
    ) {
        switch command.request.command {
        case .consume(let meter, let count, _): (name, amount) = (meter, count)
        case .reserve(let meter, let count, _, _): (name, amount) = (meter, count)
        default: return nil
        }
        profile = command.request.profile
        self.context = context
        self.entitlements = entitlements
    }

    func decision() throws -> Decision? {
        let known = entitlements.map { Check(context, $0) } ?? Check(context)
        guard let check = known, let meter = check.catalog.meter(counting: name)
        else { return nil }
        var decision = try check.decide(CheckQuestion(name, amount: 0, profile: profile))
        // A question about the meter itself was answered with its usage.
        if check.catalog.meter(named: name)?.name != meter.name {
            decision.usage = check.usage.answer(meter, profile: profile)
        }
        decision.amount = amount
        return decision
    }
}
