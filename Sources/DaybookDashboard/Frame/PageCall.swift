import Daybook
import DaybookDomain
import DaybookEvents
import DaybookServer

/// What of its moment a page can be shown at.
enum MomentChoice {
    /// Both clocks and the environment.
    case all
    /// Only the environment: it is of now.
    case environment
    case nothing
}

/// One request for a page: who asks, of which app, and at which moment.
struct PageCall {
    var call: RouteCall
    let clocks: Clocks
    /// What of the page's moment can be chosen.
    var choice = MomentChoice.all
    /// Whether the page is about all customers: without a time of its own it is as of what was known.
    var isAsOfKnown = false
    /// Where the page is, without its parameters.
    let path: String
    /// Parameters of this page beside its moment, which a change of moment keeps.
    var kept: [(String, String)] = []
    /// Of those that are times or days: when.
    var instants: [String: String] = [:]

    init(_ call: RouteCall, clocks: Clocks) {
        self.call = call
        self.clocks = clocks
        path = call.request.path.map { String($0.prefix { $0 != "?" }) } ?? "/"
    }

    var caller: Caller { call.caller }
    /// The app of the path.
    var app: String? { call.served?.name }

    /// Whether this caller may use what is for a scope; an admin may all.
    func may(_ scope: Scope) -> Bool {
        let held = caller.key?.scopes ?? caller.granted
        return held.contains(scope) || held.contains(.admin)
    }

    /// Whether this caller may do something for customers, beside looking at them.
    var acts: Bool { caller.key != nil && may(.support) }

    /// The server's clock, milliseconds since 1970 UTC.
    var now: Int64 { call.now() }
    var environment: Environment { clocks.environment }
    var moment: Moment { clocks.moment }

    /// A parameter of this page beside its moment.
    func kept(_ name: String) -> String? { kept.first { $0.0 == name }?.1 }

    /// Those of the served apps that the caller's session opens.
    var apps: [String] {
        guard let own = caller.session?.apps else { return call.ledgers.names }
        return call.ledgers.names.filter { own.contains($0) }
    }

    /// The address of a page of the app, at no moment yet.
    func address(_ page: String) -> String { Paths.app(app ?? "") + page }

    /// The address of a customer's page, or of one below it.
    func address(of subject: String, _ page: String = "") -> String {
        Paths.customer(app ?? "", subject) + page
    }

    /// The address of a page at the moment at which something happened, as it was known then.
    func address(_ path: String, at instant: Int64) -> String {
        let then = Clocks(
            moment: clocks.moment, environment: clocks.environment, at: RFC3339.format(instant),
            knownAt: RFC3339.format(instant))
        return Link(path, kept.map { ($0.0, Optional($0.1)) } + then.parameters).text
    }

    /// A link to another page at the same moment.
    func link(_ path: String, _ parameters: [(String, String?)] = []) -> String {
        Link(path, parameters + clocks.parameters).text
    }

    /// The link to an event's page.
    func event(_ position: Int64) -> String {
        link("\(Paths.app(app ?? ""))/events/\(position)")
    }

    /// An event as templates link to it.
    func eventLink(_ position: Int64) -> Model {
        ["position": position, "href": event(position)]
    }

    /// A link to another page with the choices of this one, and some more.
    func link(_ path: String, keeping more: [(String, String?)]) -> String {
        link(path, kept.map { ($0.0, Optional($0.1)) } + more)
    }

    /// The choices of the page with days as the times that they begin at, as programs read them.
    var exact: [(String, String)] {
        kept.filter { $0.0 != "form" }.map { ($0.0, instants[$0.0] ?? $0.1) }
    }

    /// The request that asks the question of this page.
    /// - Parameter path: Below the app's.
    func request(_ path: String) -> String {
        "GET "
            + link(
                "/v1/\(Link.encoded(app ?? ""))\(path)", exact.map { ($0.0, Optional($0.1)) })
    }

    /// The same page at the same moment with another choice.
    func link(changing name: String, to value: String?) -> String {
        let rest = kept.filter { $0.0 != name }.map { ($0.0, Optional($0.1)) }
        return Link(path, rest + [(name, value)] + clocks.parameters).text
    }
}
