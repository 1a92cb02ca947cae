package import Daybook

/// What is true of all customers together.
extension RouteTable {
    static let listRoutes: [Route] = [
        .atLength(
            "/v1/{app}/customers", "customers",
            "List customers by prefix, page by page, or find all whom an id leads to (id).",
            for: readers, customers),
        .atLength(
            "/v1/{app}/grants", "grants", "List grants, the newest first.", for: readers,
            grants),
        .atLength(
            "/v1/{app}/reservations", "reservations",
            "List open reservations, the newest first.", for: readers, reservations),
        .atLength(
            "/v1/{app}/refunds", "refunds",
            "List transactions that a store took back, the newest first.", for: readers, refunds),
        .atLength(
            "/v1/{app}/expiring", "expiring",
            "List what ends within a time, the soonest first.", for: readers, expiring),
        Route(
            .get, "/v1/{app}/funnels", "funnels", "List the funnels of the catalog.", for: readers,
            funnels),
        .atLength(
            "/v1/{app}/funnels/{name}", "funnel", "Count a funnel over all customers.",
            for: readers, funnel),
    ]

    /// The part of a list that is asked for, and as of when.
    private static func request(
        _ call: inout RouteCall, hasMoment: Bool = true
    ) throws -> OverviewRequest {
        OverviewRequest(
            environment: try call.fields.environment(),
            limit: try call.fields.limit(50, most: OverviewRequest.limitMax),
            after: try call.fields.text("after"),
            moment: hasMoment ? try call.fields.moment() : .now)
    }

    private static func customers(_ call: inout RouteCall) throws -> Route.LongQuestion {
        let id = try call.fields.text("id")
        let prefix = try call.fields.text("prefix")
        let request = try request(&call, hasMoment: false)
        guard let id else {
            return { .json(try $0.customers(prefix: prefix ?? "", request).json) }
        }
        try Problem.require(
            prefix == nil && request.after == nil, "id_alone",
            "\"id\" finds everything at once; leave out \"prefix\" and \"after\"")
        return { ledger in
            let (matches, isCut, asOf) = try ledger.customers(
                withID: id, environment: request.environment)
            let shown = Array(matches.prefix(request.limit))
            return .json(shown.json(of: id, isMore: isCut || shown.count < matches.count, asOf))
        }
    }

    private static func grants(_ call: inout RouteCall) throws -> Route.LongQuestion {
        let isAll = try call.fields.flag("all") ?? false
        let request = try request(&call)
        return { .json(try $0.grants(request, isAll: isAll).json) }
    }

    private static func reservations(_ call: inout RouteCall) throws -> Route.LongQuestion {
        let request = try request(&call)
        return { .json(try $0.openReservations(request).json) }
    }

    private static func refunds(_ call: inout RouteCall) throws -> Route.LongQuestion {
        let request = try request(&call)
        return { .json(try $0.refunds(request).json) }
    }

    private static func expiring(_ call: inout RouteCall) throws -> Route.LongQuestion {
        let request = try request(&call)
        let span = try call.fields.duration("within") ?? 7 * 86_400_000
        let isEnding = try call.fields.flag("ending") ?? false
        return { ledger in
            .json(try ledger.expiring(request, within: span, isEndingAlone: isEnding).json)
        }
    }

    private static func funnels(_ call: inout RouteCall) throws -> Answer {
        let knownAt = try call.fields.knowledge("known_at")
        return .json(
            try call.asking { try $0.catalogs(knownAt: knownAt).newest?.catalog.funnels ?? [] }
                .json)
    }

    private static func funnel(_ call: inout RouteCall) throws -> Route.LongQuestion {
        let request = try call.fields.funnel(call.part("name"))
        return { .json(try $0.funnel(request, workers: 1).json) }
    }
}

extension RequestFields {
    mutating func funnel(_ name: String) throws -> FunnelRequest {
        var request = FunnelRequest(name)
        request.environment = try environment()
        (request.from, request.until) = try span()
        request.moment = try moment()
        try funnelRules(&request)
        return request
    }

    /// Names of the fields that `funnelRules` reads.
    package static let funnelRuleNames = [
        "window", "order", "per", "session_gap", "entry", "by", "touch", "experiment", "countries",
        "cohort", "catalog_version",
    ]

    /// The same without its range of time, moment and environment.
    package mutating func funnelRules(_ request: inout FunnelRequest) throws {
        request.windowMilliseconds = try duration("window")
        request.order = try choice("order")
        try choose(&request.rules.unit, "per")
        if let gap = try duration("session_gap") { request.rules.sessionGapMilliseconds = gap }
        try choose(&request.rules.entry, "entry")
        try choose(&request.rules.breakdown, "by")
        try choose(&request.rules.touch, "touch")
        request.experiment = try text("experiment")
        request.filter = try customers()
    }
}
