import Daybook
package import DaybookServer

/// The pages that people look at in a browser, as routes of a server.
package struct Dashboard: Sendable {
    let sessions: Sessions
    let door: PageDoor
    let jobs = PageJobs()
    let zones = ZoneTables()
    let captures = CaptureLine()
    let drafts = Drafts()
    /// Opens a session of the operator's once; `nil`: pages are opened by keys.
    let ticket: OneTimeTicket?

    /// Pages of a server with keys: a browser signs in with one.
    /// - Parameter isEncrypted: Whether the server itself speaks TLS, and nothing else.
    package static func ofKeys(isEncrypted: Bool) -> Dashboard {
        Dashboard(isLocal: false, isEncrypted: isEncrypted)
    }

    /// Pages for the operator of this machine, who is let in by an address that is told once; they change nothing.
    package static func local() -> Dashboard { Dashboard(isLocal: true, isEncrypted: false) }

    private init(isLocal: Bool, isEncrypted: Bool) {
        sessions = Sessions()
        door = PageDoor(
            sessions: sessions, isLocal: isLocal, isEncrypted: isEncrypted,
            frame: Frame(isLocal: isLocal))
        ticket = isLocal ? OneTimeTicket() : nil
    }

    /// The path, with its secret, that opens the pages once.
    package var openingPath: String? {
        ticket.map { Link(Paths.open, [("ticket", $0.text)]).text }
    }

    static let people: Set<Scope> = [.support, .analyst, .admin]
    static let supporters: Set<Scope> = [.support, .admin]

    package var routes: [Route] {
        sessionRoutes + (ticket == nil ? actionRoutes : []) + whatIfRoutes + ledgerRoutes + [
            open(
                "/assets/{name}", "pageAsset", "The style, the script and the icon of the pages.",
                Self.asset),
            app("", "overviewPage", "The board of an app.", Self.people, overview),
            app("/customers", "customersPage", "Find a customer.", Self.supporters, customers),
            app(
                "/customers/{customer}", "customerPage", "One customer.", Self.supporters, customer),
            app(
                "/customers/{customer}/timeline", "timelinePage", "A customer's older events.",
                Self.supporters, timeline),
            app(
                "/customers/{customer}/explain/{name}", "explainPage",
                "Why a customer may do something, or may not.", Self.supporters, explain),
            app(
                "/customers/{customer}/compare", "comparePage",
                "What is different about a customer between two moments.", Self.supporters,
                compare),
            app(
                "/customers/{customer}/bundle", "customerBundle",
                "Everything that the answers about a customer rest on, as a file.",
                Self.supporters, bundle),
            app(
                "/experiments/{experiment}", "experimentPage", "One experiment.", Self.people,
                experiment),
            app("/news", "newsStream", "Tells a page that something is new.", Self.people) {
                try await $0.newsStream(of: nil)
            },
            app(
                "/customers/{customer}/news", "customerNewsStream",
                "Tells a customer's page that something is new.", Self.supporters
            ) { call in
                let subject = try call.customer()
                return try await call.newsStream(of: subject)
            },
            app("/events/{position}", "eventPage", "One event.", Self.supporters, event),
            app("/metrics", "metricsPage", "What can be counted.", Self.people) { call in
                try await self.answer(&call) { page in { try MetricsPage(call: page).page($0) } }
            },
            app("/metrics/{metric}", "metricPage", "One metric.", Self.people, metric),
            app(
                "/metrics/{metric}/customers", "metricCustomersPage", "Who is behind a number.",
                Self.people, metricCustomers),
            app(
                "/boards/{board}", "boardPage", "All metrics about one thing.", Self.people,
                numbers),
            app("/funnels/{funnel}", "funnelPage", "One funnel.", Self.people, funnel),
            app(
                "/funnels/{funnel}/customers", "funnelCustomersPage",
                "Who took a step of a funnel, or went no further.", Self.people, funnelCustomers),
            app("/catalog", "catalogPage", "What is sold and what it opens.", Self.people) { call in
                try await self.answer(&call) { page in { try CatalogPage(call: page).page($0) } }
            },
        ]
    }

    // MARK: Routes

    typealias Respond = @Sendable (inout RouteCall) async throws -> Answer

    func open(
        _ path: String, _ name: String, _ summary: String, _ respond: @escaping Respond
    ) -> Route {
        Route(.get, path, name, summary, for: [], door: door, respond)
    }

    func app(
        _ path: String, _ name: String, _ summary: String, _ scopes: Set<Scope>,
        _ respond: @escaping Respond
    ) -> Route {
        Route(.get, "/apps/{app}" + path, name, summary, for: scopes, door: door, respond)
    }

    /// Answers with a page about one customer or one event, which takes milliseconds.
    /// - Parameters:
    ///   - kept: Parameters of the page beside its moment.
    ///   - prepare: Reads what is asked, and makes what asks the ledger.
    func answer(
        _ call: inout RouteCall, choosing choice: MomentChoice = .all, kept names: [String] = [],
        _ prepare: (PageCall) throws -> @Sendable (Ledger) throws -> Frame.Page
    ) async throws -> Answer {
        let page = try pageCall(&call, choice, names)
        try call.fields.finish()
        return try await answer(page, try prepare(page))
    }

    func answer(
        _ page: PageCall, _ question: @escaping @Sendable (Ledger) throws -> Frame.Page
    ) async throws -> Answer {
        let ledger = try page.call.app.ledger
        let frame = door.frame
        return try await page.call.longWork.run(of: ledger.app, in: .customers) {
            frame.answer(try ledger.asking(question), page)
        }
    }

    func pageCall(
        _ call: inout RouteCall, _ choice: MomentChoice = .all, _ names: [String] = []
    ) throws -> PageCall {
        let clocks = try Clocks(&call.fields)
        var kept: [(String, String)] = []
        for name in names {
            if let text = try call.fields.text(name), !text.isEmpty { kept.append((name, text)) }
        }
        var page = PageCall(call, clocks: clocks)
        page.choice = choice
        page.kept = kept
        return page
    }
}
