import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookServer
import HTTPTypes

/// What each page asks the ledger.
extension Dashboard {
    func overview(_ call: RouteCall) async throws -> Answer {
        var call = call
        let page = try pageCall(&call)
        try call.fields.finish()
        let clocks = page.clocks
        let state = try await board(page, "overview") { ledger, progress in
            try OverviewPage.board(ledger, clocks, progress: progress)
        }
        let shown = try call.app.ledger.asking { try OverviewPage(call: page).page(state, $0) }
        return door.frame.answer(shown, page)
    }

    /// Something about all customers: its answer, or how far it is.
    private func board<Value: Sendable>(
        _ page: PageCall, _ name: String,
        _ body: @escaping @Sendable (Ledger, @Sendable (Int, Int) throws -> Void) throws -> Value
    ) async throws -> PageJobs.State<Value> {
        let ledger = try page.call.app.ledger
        let work = page.call.longWork
        let clocks = page.clocks
        let key = [
            ledger.app, name, clocks.at ?? "", clocks.knownAt ?? "", clocks.environment.name,
        ].joined(separator: "\u{0}")
        return try await jobs.state(key) { progress in
            try await work.run(of: ledger.app) {
                try ledger.asking { try body($0) { progress($0, $1) } }
            }
        }
    }

    func customers(_ call: inout RouteCall) async throws -> Answer {
        let text = try call.fields.text("q") ?? ""
        let after = try call.fields.text("after")
        let page = try pageCall(&call)
        try call.fields.finish()
        let ledger = try call.app.ledger
        let frame = door.frame
        let asked = CustomersPage(call: page, text: text, after: after)
        return try await call.longWork.run(of: ledger.app, in: .customers) {
            try ledger.asking { ledger in
                if let only = try asked.only(ledger) {
                    var answer = Answer(status: .seeOther)
                    answer.headers[.location] = page.link(
                        Paths.customer(page.app ?? "", only))
                    return answer
                }
                return frame.answer(try asked.page(ledger), page)
            }
        }
    }

    private static let customerNames = ["name", "profile", "scale"]

    func customer(_ call: inout RouteCall) async throws -> Answer {
        let subject = try call.customer()
        let done = try call.fields.text("done")
        return try await answer(&call, kept: Self.customerNames) { page in
            let asked = CustomerPage(
                call: page, subject: subject, name: page.kept("name"),
                profile: page.kept("profile"),
                scale: page.kept("scale").flatMap(PlaneScale.Kind.init), done: done)
            return { try asked.page($0) }
        }
    }

    func timeline(_ call: inout RouteCall) async throws -> Answer {
        let subject = try call.customer()
        let after = try call.fields.place("after")
        return try await answer(&call) { page in
            {
                var shown = Frame.Page(
                    title: "\(subject): timeline", template: "timeline", section: .customers)
                shown.model["subject"] = subject
                shown.model["back"] = page.link(Paths.customer(page.app ?? "", subject))
                shown.model["timeline"] = try TimelinePart(call: page, subject: subject).model(
                    $0, after: after)
                return shown
            }
        }
    }

    func explain(_ call: inout RouteCall) async throws -> Answer {
        let subject = try call.customer()
        let name = call.part("name")
        return try await answer(&call, kept: ["profile"]) { page in
            let asked = ExplainPage(
                call: page, subject: subject, name: name, profile: page.kept("profile"))
            return { try asked.page($0) }
        }
    }

    func metric(_ call: inout RouteCall) async throws -> Answer {
        let name = call.part("metric")
        guard let metric = Metric.named(name) else {
            throw Problem.notFound(
                "unknown_metric", "there is no metric \(ShownText.escaped(name)); the list has all")
        }
        let clocks = try Clocks(&call.fields)
        let request = try MetricPage.request(metric, &call.fields, clocks)
        let page = try pageCall(&call, true, ["by", "currency"])
        try call.fields.finish()
        let by = request.chosenResolution.rawValue
        let state = try await board(page, "metric \(name) \(by) \(request.rules.currency ?? "")") {
            try $0.metrics(request, workers: 1, progress: $1)
        }
        return door.frame.answer(
            MetricPage(call: page, metric: metric, request: request).page(state), page)
    }

    func funnel(_ call: inout RouteCall) async throws -> Answer {
        let name = call.part("funnel")
        let page = try pageCall(&call)
        try call.fields.finish()
        var request = FunnelRequest(name)
        request.environment = page.clocks.environment
        request.moment = page.clocks.moment
        let asked = request
        let state = try await board(page, "funnel \(name)") { ledger, _ in
            try ledger.funnel(asked, workers: 1)
        }
        return door.frame.answer(FunnelPage(call: page, name: name).page(state), page)
    }

    static func asset(_ call: RouteCall) throws -> Answer {
        let name = call.part("name")
        guard let mediaType = PageFiles.mediaType(of: name), let bytes = PageFiles.all[name] else {
            throw Problem.notFound("unknown_asset", "there is no such file")
        }
        var answer = Answer()
        answer.headers[.contentType] = mediaType
        answer.headers[.cacheControl] = "public, max-age=31536000, immutable"
        answer.body = .bytes(bytes)
        return answer
    }

    func compare(_ call: inout RouteCall) async throws -> Answer {
        let subject = try call.customer()
        let other = try Clocks(&call.fields, at: "to", knownAt: "to_known_at")
        return try await answer(&call) { page in
            { try ComparePage(call: page, subject: subject, other: other).page($0) }
        }
    }

    func experiment(_ call: inout RouteCall) async throws -> Answer {
        let name = call.part("experiment")
        let page = try pageCall(&call)
        try call.fields.finish()
        var request = MetricsRequest()
        request.environment = page.clocks.environment
        request.moment = page.clocks.moment
        let asked = request
        let state = try await board(page, "experiment \(name)") { ledger, _ in
            try ledger.experiment(name, metric: ExperimentPage.metric, asked, workers: 1)
        }
        return door.frame.answer(ExperimentPage(call: page, name: name).page(state), page)
    }

    /// A bundle with what the customer may do at the page's moment, to be replayed elsewhere (`daybook replay`).
    func bundle(_ call: inout RouteCall) async throws -> Answer {
        let subject = try call.customer()
        let name = try call.fields.text("name")
        let profile = try call.fields.text("profile")
        let isRedacted = try call.fields.flag("redact") ?? false
        let clocks = try Clocks(&call.fields)
        try call.fields.finish()
        let request = CaptureRequest(
            [subject], environment: clocks.environment, moment: clocks.moment,
            questions: name.map { [.init($0, amount: 1, profile: profile)] } ?? [],
            isRedacted: isRedacted, version: DaybookVersion.current)
        let bundle: ReproBundle
        do {
            bundle = try await call.app.ledger.writing { try await $0.capture(request) }
        } catch let problem as BundleProblem {
            throw Problem(.unprocessableContent, "no_bundle", "\(problem)")
        }
        var answer = Answer()
        answer.headers[.contentType] = "application/x-ndjson"
        answer.headers[.contentDisposition] =
            "attachment; filename=\"customer-\(bundle.digest.prefix(8)).daybundle\""
        answer.headers[.cacheControl] = "no-store"
        answer.body = .bytes(bundle.bytes)
        return answer
    }
}
