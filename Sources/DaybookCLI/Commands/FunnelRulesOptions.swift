import ArgumentParser
import Daybook
import DaybookDomain

/// How a funnel of the catalog is counted.
struct FunnelRulesOptions: ParsableArguments {
    @Option(help: .value("duration", "How long it may take, such as P7D. Default: the catalog's."))
    var window: String?

    @Option(help: "In which order the steps must come. Default: the catalog's.")
    var order: Funnel.Order?

    @Option(name: .customLong("per"), help: "What goes through the steps.")
    var unit = FunnelRules.Unit.customer

    @Option(
        help: .value(
            "duration",
            "With --per session: nothing happens for longer than this between two. Default: PT30M.")
    )
    var sessionGap: String?

    @Option(help: "With the first event of step 1, or with the one from which it gets furthest.")
    var entry = FunnelRules.Entry.first

    @Option(help: "Told apart: by the first step's, the last step's or each step's own.")
    var touch = FunnelRules.Touch.first

    mutating func validate() throws {
        try require(
            sessionGap == nil || unit == .session,
            "Only sessions have gaps; write --per session beside it.")
    }

    /// Whether anything was asked for.
    var isAsked: Bool {
        window != nil || order != nil || unit != .customer || entry != .first || touch != .first
    }

    func apply(to request: inout FunnelRequest) throws {
        request.windowMilliseconds = try DurationText.read(window, "--window")
        request.order = order
        request.rules.unit = unit
        request.rules.entry = entry
        request.rules.touch = touch
        if let gap = try DurationText.read(sessionGap, "--session-gap") {
            request.rules.sessionGapMilliseconds = gap
        }
    }
}
