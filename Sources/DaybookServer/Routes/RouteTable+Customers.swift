import Daybook
import DaybookEvents

/// What is true of one customer, what was, and why.
extension RouteTable {
    /// How many events one page of a history has at most.
    static let historyLimitMax = 1_000

    static let customerRoutes: [Route] = [
        Route(
            .get, customer + "/status", "status",
            "Show what a customer has: entitlements, usage, and the app's own words. With ETag.",
            for: askers, status),
        Route(
            .get, customer + "/usage", "usage", "Show a customer's counters alone. With ETag.",
            for: askers, usage),
        Route(
            .get, customer + "/meters/{meter}/resets", "resets",
            "Show when a counter began anew, and when it will.", for: askers, resets),
        Route(
            .get, customer + "/history", "history",
            "Show a customer's timeline, in the order in which it happened.", for: supporters,
            history),
    ]

    private static func status(_ call: inout RouteCall) throws -> Answer {
        let status = try statusJSON(&call)
        return call.tagged(status)
    }

    private static func usage(_ call: inout RouteCall) throws -> Answer {
        let status = try statusJSON(&call)
        let shown = ["subject", "known", "profile", "meters", "over_limit", "as_of"]
        return call.tagged(JSONObject(status.members.filter { shown.contains($0.name) }))
    }

    private static func statusJSON(_ call: inout RouteCall) throws -> JSONObject {
        let subject = try call.customer()
        let profile = try call.fields.text("profile")
        let locale = try call.fields.text("locale")
        let (environment, moment) = try call.fields.environmentAndMoment()
        let (status, asOf) = try call.asking { ledger in
            try ledger.status(
                of: subject, profile: profile, environment: environment, moment: moment,
                locale: locale)
        }
        return status.json(asOf)
    }

    private static func resets(_ call: inout RouteCall) throws -> Answer {
        let subject = try call.customer()
        let meter = call.part("meter")
        let (environment, moment) = try call.fields.environmentAndMoment()
        let span = try call.fields.span()
        let limit = try call.fields.limit(20, most: Ledger.resetsMax)
        let (resets, isMore, asOf) = try call.asking { ledger in
            try ledger.resets(
                of: subject, meter: meter, environment: environment, from: span.from,
                until: span.until, limit: limit, moment: moment)
        }
        return .json(resets.json(of: subject, meter: meter, isMore: isMore, asOf))
    }

    private static func history(_ call: inout RouteCall) throws -> Answer {
        let subject = try call.customer()
        let (environment, moment) = try call.fields.environmentAndMoment()
        let span = try call.fields.span()
        let happened = (span.from ?? Int64.min)..<(span.until ?? Int64.max)
        let limit = try call.fields.limit(100, most: historyLimitMax)
        let isNewestFirst = try call.fields.flag("newest_first") ?? false
        let after = try call.fields.place("after")
        let page = try call.asking { ledger in
            try ledger.history(
                of: subject, environment: environment, moment: moment, happened: happened,
                after: after, order: PageOrder(limit: limit, isNewestFirst: isNewestFirst))
        }
        return .json(page.json(of: subject))
    }
}
