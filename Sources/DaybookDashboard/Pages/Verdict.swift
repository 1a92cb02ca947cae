import Daybook
import DaybookAudit
import DaybookDomain

/// The answer first: a sentence that a person in support can say aloud, what is behind it, and what to write.
struct Verdict {
    let call: PageCall
    let subject: String
    let name: String
    let profile: String?
    let plane: BeliefPlane
    /// `nil` where the name is an entitlement's.
    let decision: Decision?
    let entitlement: EntitlementAnswer?

    var model: Model {
        let isYes = decision?.allowed ?? entitlement?.isActive ?? false
        var model: Model = [
            "yes": isYes, "verb": verb(isYes), "name": name,
            "because": because, "text": decision?.display?.text ?? "",
            "explain": call.link(
                call.address(of: subject, "/explain/\(Link.encoded(name))"),
                [("profile", profile)]),
            "explains": decision != nil,
            "command": command, "request": request,
        ]
        if let said = hindsight(isYes) { model["hindsight"] = said }
        if let reply { model["reply"] = reply }
        return model
    }

    private var isPast: Bool { call.moment.at != nil }

    /// `may use`, `could not use`, `had`.
    private func verb(_ isYes: Bool) -> String {
        if decision == nil {
            return isPast
                ? (isYes ? "had" : "did not have") : (isYes ? "has" : "does not have")
        }
        return isPast
            ? (isYes ? "could use" : "could not use") : (isYes ? "may use" : "may not use")
    }

    private var because: String {
        guard let decision else {
            guard let entitlement else { return "" }
            return entitlement.shown?.sentence ?? Words.spaced(entitlement.state.rawValue)
        }
        let parts = [
            Words.spaced(decision.reason.rawValue), decision.usage?.sentence,
            decision.source?.sentence,
        ]
        return parts.compactMap(\.self).joined(separator: "; ")
    }

    /// What is known of that time today, and what the app was told then, where that is something else.
    private func hindsight(_ isYes: Bool) -> Model? {
        guard let at = call.moment.at else { return nil }
        var model = Model()
        if let told = plane.answer(at: at, row: plane.row(knownAt: at)), told.allowed != isYes {
            model["told"] = told.allowed ? "yes" : "no"
            model["told_reason"] = Words.spaced(told.reason)
        }
        let today = plane.answer(at: at, row: plane.rows.count - 1)
        if let today, today.allowed != isYes {
            model["today"] = today.allowed ? "yes" : "no"
            model["today_reason"] = Words.spaced(today.reason)
            if let difference = plane.differences.first(where: { $0.range.contains(at) }) {
                model["cause"] = plane.cause(ofRow: difference.row)
                model["known_from"] = PageTime.text(plane.rows[difference.row].recordedAt)
                model["duration"] = Words.duration(
                    difference.range.upperBound - difference.range.lowerBound)
            }
        }
        return model.isEmpty ? nil : model
    }

    /// What support may write: of the stretch that contains the moment, else of the last one.
    private var reply: String? {
        let at = call.moment.at
        let own = plane.lasting.first { difference in
            at.map { difference.range.contains($0) } ?? false
        }
        guard let difference = own ?? plane.lasting.last else { return nil }
        let told = difference.told?.allowed == true
        let span =
            "from \(PageTime.text(difference.range.lowerBound)) to \(PageTime.text(difference.range.upperBound))"
        let time = Words.duration(difference.range.upperBound - difference.range.lowerBound)
        let learned = PageTime.text(plane.rows[difference.row].recordedAt)
        let cause = plane.cause(ofRow: difference.row)
        return told
            ? "\(span.prefix(1).uppercased())\(span.dropFirst()) (\(time)) the app let you use \(name), although it was not yours at that time: we learned of that (\(cause)) on \(learned)."
            : "\(span.prefix(1).uppercased())\(span.dropFirst()) (\(time)) the app told you that you could not use \(name). You were entitled to it: we learned of that (\(cause)) only on \(learned)."
    }

    private var command: String {
        let verb = decision == nil ? "beliefs" : "check"
        let own = profile.map { " --profile \(ShellText.quoted($0))" } ?? ""
        return
            "daybook \(verb) \(ShellText.quoted(subject)) \(ShellText.quoted(name))\(own)\(call.clocks.options)"
    }

    private var request: String {
        let kind = decision == nil ? "beliefs" : "checks"
        let path =
            "/v1/\(Link.encoded(call.app ?? ""))/customers/\(Link.encoded(subject))/\(kind)/\(Link.encoded(name))"
        return "GET " + call.link(path, [("profile", profile)])
    }
}
