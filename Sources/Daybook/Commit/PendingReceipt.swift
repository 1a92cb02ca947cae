import DaybookDomain
import DaybookEvents

/// The receipt of a command, of which the numbers after a use are still to be worked out.
///
/// They follow from values that nothing changes any more, so the one writer leaves them to its callers.
struct PendingReceipt: Sendable {
    private var receipt: Receipt
    /// `nil`: the command is none whose answer has numbers.
    var numbers: UseAnswer?

    init(_ receipt: Receipt) { self.receipt = receipt }

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
    let request: CommandRequest
    /// The customer after the command's events.
    let context: CustomerCase
    /// The customer's, where they are known; `nil`: they are gathered from the case.
    let entitlements: EntitlementsAnswer?

    /// - Returns: `nil` for a command that uses nothing.
    func decision() throws -> Decision? {
        let name: String
        let amount: Int64
        switch request.command {
        case .consume(let meter, let count, _): (name, amount) = (meter, count)
        case .reserve(let meter, let count, _, _): (name, amount) = (meter, count)
        default: return nil
        }
        let known = entitlements.map { Check(context, $0) } ?? Check(context)
        guard let check = known, let meter = check.catalog.meter(counting: name)
        else { return nil }
        var decision = try check.decide(CheckQuestion(name, amount: 0, profile: request.profile))
        // A question about the meter itself was answered with its usage.
        if check.catalog.meter(named: name)?.name != meter.name {
            decision.usage = check.usage.answer(meter, profile: request.profile)
        }
        decision.amount = amount
        return decision
    }
}
