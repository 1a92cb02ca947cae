import DaybookDomain
import DaybookEvents
import DaybookStore

/// Whether a correction may do to its target what it says (rule 20). The target is there; one that is not cannot be
/// asked, and what the correction says is judged when both are folded.
struct CorrectionCheck {
    let catalog: Catalog?

    /// Judges a correction that was reported.
    /// - Parameter target: As it was recorded.
    func check(_ correction: EventDraft, of target: EventDraft) throws(EventProblem) {
        if let patch = correction.data["patch"]?.object {
            _ = try amended(target, by: patch)
        } else if target.trust == .verified, correction.data["ticket"] == nil {
            throw EventProblem(
                .missingField, "data.ticket",
                "voiding a signed fact needs a ticket, so that it can be found out why")
        }
    }

    /// The target with the patch, or why it cannot be applied.
    func amended(
        _ target: EventDraft, by patch: JSONObject
    ) throws(EventProblem) -> EventDraft {
        let amended = try target.amending(by: patch)
        try StructureRules.check(amended) {
            catalog?.meter(named: $0).map(StructureRules.KnownMeter.init)
        }
        return amended
    }
}
