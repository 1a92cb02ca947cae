import Daybook
import DaybookDomain
import DaybookEvents
import DaybookServer

/// What pages about all customers ask the ledger.
extension Dashboard {
    func overview(_ call: inout RouteCall) async throws -> Answer {
        var page = try pageCall(&call)
        page.isAsOfKnown = true
        try call.fields.finish()
        let clocks = page.clocks
        let state = try await board(page, "overview") { ledger, progress in
            try OverviewPage.board(ledger, clocks, progress: progress)
        }
        let shown = try call.app.ledger.asking { try OverviewPage(call: page).page(state, $0) }
        return door.frame.answer(shown, page)
    }

    /// Something about all customers: its answer, or how far it is.
    func board<Value: Sendable>(
        _ page: PageCall, _ name: String,
        _ body: @escaping @Sendable (Ledger, @Sendable (Int, Int) throws -> Void) throws -> Value
    ) async throws -> PageJobs.State<Value> {
        let ledger = try page.call.app.ledger
        let work = page.call.longWork
        let clocks = page.clocks
        let key =
            ([
                ledger.app, name, clocks.at ?? "", clocks.knownAt ?? "", clocks.environment.name,
            ] + page.kept.flatMap { [$0.0, $0.1] }).joined(separator: "\u{0}")
        return try await jobs.state(key, isPatient: page.kept("form") != nil) { progress in
            try await work.run(of: ledger.app) {
                try ledger.asking { try body($0) { progress($0, $1) } }
            }
        }
    }

    /// Answers with numbers as a file, which is waited for, where one is asked for; else with the page that shows them.
    /// - Parameters:
    ///   - name: Of the file, and of the numbers among all that a board computes.
    private func answer<Numbers: NumberRows & Sendable>(
        _ page: PageCall, _ file: NumbersFile?, _ name: (file: String, board: String),
        _ numbers:
            @escaping @Sendable (Ledger, @Sendable (Int, Int) throws -> Void) throws -> Numbers,
        shown: (PageJobs.State<Numbers>) throws -> Frame.Page
    ) async throws -> Answer {
        guard let file else {
            return door.frame.answer(try shown(try await board(page, name.board, numbers)), page)
        }
        let made = try await board(page, "file \(name.file)") {
            file.bytes(of: try numbers($0, $1))
        }
        guard case .done(let bytes) = made else {
            throw Problem.tooMany(
                .serviceUnavailable, "overloaded", "the file was not ready in time; try again",
                after: 5)
        }
        return file.answer(name.file, bytes)
    }

    /// Reads the question of a page about metrics.
    private func question(
        _ call: inout RouteCall, _ metrics: [String], _ more: [String] = []
    ) throws -> (PageCall, MetricsRequest) {
        var page = try numbersCall(&call, NumbersPart.metricNames + more)
        var request = MetricsRequest(metrics)
        request.environment = page.environment
        request.moment = page.moment
        try call.fields.metricRules(&request)
        (request.from, request.until) = try span(&call.fields, &page, in: request.zone)
        return (page, request)
    }

    private func question(
        _ call: inout RouteCall, ofFunnel name: String, _ more: [String] = []
    ) throws -> (PageCall, FunnelRequest) {
        var page = try numbersCall(&call, NumbersPart.funnelNames + more)
        var request = FunnelRequest(name)
        request.environment = page.environment
        request.moment = page.moment
        try call.fields.funnelRules(&request)
        // An experiment is asked about to tell its variants apart.
        if request.experiment != nil, request.rules.breakdown == .none {
            request.rules.breakdown = .variant
            page.kept.append(("by", FunnelBreakdown.variant.rawValue))
        }
        (request.from, request.until) = try span(&call.fields, &page, in: nil)
        return (page, request)
    }

    private func numbersCall(_ call: inout RouteCall, _ names: [String]) throws -> PageCall {
        call.fields.leaveOutEmpty()
        let kept = call.fields.given(names + ["form"])
        var page = try pageCall(&call)
        page.kept = kept
        page.isAsOfKnown = true
        return page
    }

    /// Reads from when and until when; a day, month or year is the midnight that it begins with.
    /// - Parameter zone: `nil`: that of the catalog.
    private func span(
        _ fields: inout RequestFields, _ page: inout PageCall, in zone: String?
    ) throws -> (from: Int64?, until: Int64?) {
        var span: (from: Int64?, until: Int64?) = (nil, nil)
        for name in ["from", "until"] {
            guard let text = try fields.text(name) else { continue }
            let instant: Int64?
            if let period = CalendarPeriod(text) {
                let own = try zone ?? catalog(page)?.defaultTimeZone ?? "UTC"
                // Of an unknown zone the question says so itself.
                instant = zones.table(named: own).map { period.range(in: $0).lowerBound } ?? 0
            } else {
                instant = try InstantText.read(Clocks.completed(text), "\"\(name)\"")
            }
            page.instants[name] = instant.map { RFC3339.format($0) }
            if name == "from" { span.from = instant } else { span.until = instant }
        }
        return span
    }

    /// In which form the answer is wanted; `nil`: as a page.
    private static func file(_ call: inout RouteCall) throws -> NumbersFile? {
        try call.fields.choice("form")
    }

    private func metric(_ call: RouteCall) throws -> Metric {
        let name = call.part("metric")
        guard let metric = Metric.named(name) else {
            throw Problem.notFound(
                "unknown_metric", "there is no metric \(ShownText.escaped(name)); the list has all")
        }
        return metric
    }

    /// What the page's forms offer.
    private func catalog(_ page: PageCall) throws -> Catalog? {
        try page.call.app.ledger.asking {
            try $0.catalogs(knownAt: page.moment.knownAt).newest?.catalog
        }
    }

    func metric(_ call: inout RouteCall) async throws -> Answer {
        let metric = try metric(call)
        let (page, request) = try question(&call, [metric.name])
        let file = try Self.file(&call)
        try call.fields.finish()
        let shown = MetricPage(call: page, metric: metric, request: request)
        return try await answer(page, file, (metric.name, "metric \(metric.name)")) {
            try $0.metrics(request, workers: 1, progress: $1)
        } shown: {
            shown.page($0, try catalog(page))
        }
    }

    func metricCustomers(_ call: inout RouteCall) async throws -> Answer {
        let metric = try metric(call)
        let (page, request) = try question(&call, [metric.name], ["of", "group", "age"])
        let file = try Self.file(&call)
        var asked = try call.fields.contributions(to: request)
        asked.limit = file == nil ? BehindPage.rowsMax : nil
        try call.fields.finish()
        let shown = BehindPage(call: page, back: page.address("/metrics/\(metric.name)"))
        let name = ("\(metric.name)-customers", "customers of \(metric.name)")
        return try await answer(page, file, name) { [asked] in
            try Self.contributions($0, asked, progress: $1)
        } shown: {
            shown.page(metric, $0)
        }
    }

    /// A link that was kept leads to a period that is none of the last twelve any more.
    private static func contributions(
        _ ledger: Ledger, _ request: ContributionsRequest,
        progress: @Sendable (Int, Int) throws -> Void
    ) throws -> Contributions {
        do {
            return try ledger.contributions(request, workers: 1, progress: progress)
        } catch let error as LedgerError
            where error.problems.first?.code == "bad_period" && request.aboutPeriod != request
        {
            return try ledger.contributions(request.aboutPeriod, workers: 1, progress: progress)
        }
    }

    func numbers(_ call: inout RouteCall) async throws -> Answer {
        let slug = call.part("board")
        guard let part = BoardPage.part(slug) else {
            throw Problem.notFound(
                "unknown_board", "there is no board \(ShownText.escaped(slug)); the list has all")
        }
        let names = part.metrics.filter { !$0.hasAges }.map(\.name)
        let (page, request) = try question(&call, names)
        let file = try Self.file(&call)
        try call.fields.finish()
        let shown = BoardPage(call: page, part: part, request: request)
        // Without names all would be meant.
        guard !names.isEmpty else {
            return door.frame.answer(shown.page(nil, try catalog(page)), page)
        }
        return try await answer(page, file, (slug, "board \(slug)")) {
            try $0.metrics(request, workers: 1, progress: $1)
        } shown: {
            shown.page($0, try catalog(page))
        }
    }

    func funnel(_ call: inout RouteCall) async throws -> Answer {
        let name = call.part("funnel")
        let (page, request) = try question(&call, ofFunnel: name)
        try call.fields.finish()
        let state = try await board(page, "funnel \(name)") {
            try $0.funnel(request, workers: 1, progress: $1)
        }
        return door.frame.answer(FunnelPage(call: page, name: name).page(state), page)
    }

    func funnelCustomers(_ call: inout RouteCall) async throws -> Answer {
        let name = call.part("funnel")
        let (page, funnel) = try question(&call, ofFunnel: name, ["step", "stopped"])
        let file = try Self.file(&call)
        guard let step = try call.fields.text("step") else {
            throw Problem.unprocessable("missing_member", "the address names no step of the funnel")
        }
        var asked = FunnelStepRequest(funnel, step: step)
        asked.isStopped = try call.fields.flag("stopped") ?? false
        asked.limit = file == nil ? BehindPage.rowsMax : nil
        try call.fields.finish()
        let shown = BehindPage(call: page, back: page.address("/funnels/\(Link.encoded(name))"))
        return try await answer(
            page, file, ("funnel-customers", "customers of funnel \(name)")
        ) { [asked] in
            try $0.customers(at: asked, workers: 1, progress: $1)
        } shown: {
            shown.page(name, asked, $0)
        }
    }

    func experiment(_ call: inout RouteCall) async throws -> Answer {
        let name = call.part("experiment")
        var page = try pageCall(&call)
        page.isAsOfKnown = true
        try call.fields.finish()
        var request = MetricsRequest()
        request.environment = page.environment
        request.moment = page.moment
        let state = try await board(page, "experiment \(name)") { [request] ledger, _ in
            try ledger.experiment(name, metric: ExperimentPage.metric, request, workers: 1)
        }
        return door.frame.answer(ExperimentPage(call: page, name: name).page(state), page)
    }
}
