import Daybook
import DaybookDomain

/// A customer's status as a person reads it.
struct StatusText {
    let status: Status
    let asOf: AsOf

    func text(_ terminal: Terminal) -> HumanText {
        var text: HumanText = "\(terminal.paint(status.subject, .bold))"
        if let profile = status.profile { text += " · profile \(profile)" }
        if let word = status.status {
            text += " · \(word)"
            if status.profile == nil, let other = status.statusProfile { text += " (\(other))" }
        }
        text += status.isKnown ? "\n" : " · never seen\n"
        if let display = status.display { text += "“\(display.text)”\n" }
        text += section("Entitlements", entitlements(), terminal)
        text += section("Meters", meters(), terminal)
        text += section("Profiles", profiles(), terminal)
        text += section("Ads", ads(), terminal)
        text += section("More", rest(), terminal)
        return text + "\n\(terminal.paint(asOf.sentence, .dim))\n"
    }

    private func section(_ title: String, _ table: Table, _ terminal: Terminal) -> HumanText {
        table.isEmpty ? "" : "\n\(terminal.paint(title, .heading))\n" + table.text(terminal)
    }

    private func entitlements() -> Table {
        Table(status.entitlements) { answer in
            let source = answer.shown
            var span = ""
            if answer.isActive {
                span = answer.expiresAt.map { "until \(Words.time($0))" } ?? "no end"
                if answer.willRenew {
                    span += ", renews" + (source?.autoRenewProduct.map { " as \($0)" } ?? "")
                } else if answer.state == .grace || answer.state == .trial {
                    span += ", renewal is switched off"
                }
            } else if let end = source?.expiresAt {
                span = "ended \(Words.time(end))"
            }
            if let days = source?.trialDaysRemaining { span += ", \(days) trial days left" }
            let why = answer.isActive ? nil : source?.why
            return [
                .init(answer.name), answer.isActive ? .init("✓", .good) : .init("✗", .bad),
                .init(Words.spaced(answer.state.rawValue)), .init(source?.name ?? ""), .init(span),
                .init(why.map { "[\($0.rawValue)]" } ?? ""),
            ]
        }
    }

    private func meters() -> Table {
        Table(status.meters) { [.init($0.name), .init($0.kind.rawValue), .init($0.sentence)] }
    }

    private func profiles() -> Table {
        Table(status.profiles) { answer in
            var state = answer.isEntitled ? "entitled" : "not entitled"
            if answer.profile.isDeleted { state = "deleted" }
            if answer.isFreePeriodExpired { state += ", free period over" }
            let days = answer.freeDaysRemaining.flatMap { $0 >= 0 ? "\($0) free days left" : nil }
            return [
                .init(answer.profile.profile), .init(answer.profile.kind),
                .init(answer.status ?? ""), .init("since \(Words.time(answer.profile.startedAt))"),
                .init(state), .init(days ?? ""), .init(answer.display.map { "“\($0.text)”" } ?? ""),
            ]
        }
    }

    private func ads() -> Table {
        Table(status.ads) { answer in
            [
                .init(answer.placement.name), .init(answer.placement.format),
                .init(answer.isShown ? "shown" : "hidden"),
            ]
        }
    }

    private func rest() -> Table {
        var table = Table()
        for warning in status.warnings { table.add(.init("warning", .warning), .init(warning)) }
        for intro in status.introEligible {
            table.add(
                .init("introductory offer"), .init(intro.group),
                .init(intro.isEligible ? "eligible" : "used"))
        }
        if status.overLimit {
            table.add(.init("over limit", .warning), .init("more than the limit exists"))
        }
        if let url = status.managementURL { table.add(.init("manage"), .init(url)) }
        return table
    }
}
