public import DaybookEvents

/// What an app sells, gives away and measures: every rule that answers depend on, and nothing else.
///
/// A catalog is data. It is read from YAML by `CatalogReader`, validated as a whole, published as
/// an event, and its bytes are kept in the ledger. `evolve` sees none of it; `evaluate` reads the
/// version in force (rule 8). Collections keep the document's order, because paywalls and status
/// rules are ordered.
///
/// A value that is one reference: every decision hands it on many times, and nothing changes it once it is read.
public struct Catalog: Sendable, Equatable {
    private struct Content: Sendable, Equatable {
        var app: String
        var title: String
        var defaultLocale: String
        var defaultTimeZone: String
        var groups: [SubscriptionGroup]
        var products: [Product]
        var entitlements: [Entitlement]
        var features: [Feature]
        var meters: [Meter]
        var freePeriods: [FreePeriod]
        var ads: [AdPlacement]
        var paywalls: [Paywall]
        var statuses: [StatusRule]
        var flags: [StatusFlag]
        var activity: [EventType]
        var funnels: [Funnel]
        var kpis: [KPITarget]
        var eventNames: [EventName]
        var experiments: [Experiment]
        var promotions: [Promotion]
        var calls: [AppCall]
        var policies: Policies
        var copy: [String: [String: String]]
        var metadata: [String: String]
    }

    private final class Shared: Sendable {
        let content: Content
        init(_ content: Content) { self.content = content }
    }

    private var shared: Shared

    /// Makes a catalog that sells and limits nothing; its title is the name, its locale `en`, its time zone UTC.
    public init(app: String) {
        shared = Shared(
            Content(
                app: app, title: app, defaultLocale: "en", defaultTimeZone: "UTC", groups: [],
                products: [], entitlements: [], features: [], meters: [], freePeriods: [], ads: [],
                paywalls: [], statuses: [], flags: [], activity: [.appLaunched],
                funnels: [], kpis: [], eventNames: [], experiments: [], promotions: [], calls: [],
                policies: Policies(),
                copy: [:], metadata: [:]))
    }

    /// Values that share the content keep what it was.
    private mutating func change(_ body: (inout Content) -> Void) {
        var content = shared.content
        body(&content)
        shared = Shared(content)
    }

    /// Equal when all parts are, the order of collections included.
    public static func == (left: Catalog, right: Catalog) -> Bool {
        left.shared === right.shared || left.shared.content == right.shared.content
    }

    /// The app's name: one ledger file is one app, and this is its name.
    public var app: String {
        get { shared.content.app }
        set { change { $0.app = newValue } }
    }

    /// What people call the app.
    public var title: String {
        get { shared.content.title }
        set { change { $0.title = newValue } }
    }

    /// The locale whose text is used when the asked one has none.
    public var defaultLocale: String {
        get { shared.content.defaultLocale }
        set { change { $0.defaultLocale = newValue } }
    }

    /// IANA zone of customers who have not told theirs.
    public var defaultTimeZone: String {
        get { shared.content.defaultTimeZone }
        set { change { $0.defaultTimeZone = newValue } }
    }

    /// Subscription groups; a customer holds at most one product of each.
    public var groups: [SubscriptionGroup] {
        get { shared.content.groups }
        set { change { $0.groups = newValue } }
    }

    /// What stores sell, and what each product gives.
    public var products: [Product] {
        get { shared.content.products }
        set { change { $0.products = newValue } }
    }

    /// What products and grants give, with the features that each opens.
    public var entitlements: [Entitlement] {
        get { shared.content.entitlements }
        set { change { $0.entitlements = newValue } }
    }

    /// What the app opens or locks.
    public var features: [Feature] {
        get { shared.content.features }
        set { change { $0.features = newValue } }
    }

    /// What is counted or measured, with the limits; without the preview counters of features.
    public var meters: [Meter] {
        get { shared.content.meters }
        set { change { $0.meters = newValue } }
    }

    /// Days that new profiles get for free (rule 25).
    public var freePeriods: [FreePeriod] {
        get { shared.content.freePeriods }
        set { change { $0.freePeriods = newValue } }
    }

    /// Places in the app where ads may be shown.
    public var ads: [AdPlacement] {
        get { shared.content.ads }
        set { change { $0.ads = newValue } }
    }

    /// Upgrade screens by context.
    public var paywalls: [Paywall] {
        get { shared.content.paywalls }
        set { change { $0.paywalls = newValue } }
    }

    /// What is shown beside every status.
    public var flags: [StatusFlag] {
        get { shared.content.flags }
        set { change { $0.flags = newValue } }
    }

    /// Rules for the app's own status; the first whose condition holds counts.
    public var statuses: [StatusRule] {
        get { shared.content.statuses }
        set { change { $0.statuses = newValue } }
    }

    /// Events of a customer by which metrics see that the app is used.
    public var activity: [EventType] {
        get { shared.content.activity }
        set { change { $0.activity = newValue } }
    }

    /// Funnels that can be asked about; those of the newest catalog count (rule 8).
    public var funnels: [Funnel] {
        get { shared.content.funnels }
        set { change { $0.funnels = newValue } }
    }

    /// Targets for metrics; those of the newest catalog count (rule 8).
    public var kpis: [KPITarget] {
        get { shared.content.kpis }
        set { change { $0.kpis = newValue } }
    }

    /// The app's own names of events and milestones.
    public var eventNames: [EventName] {
        get { shared.content.eventNames }
        set { change { $0.eventNames = newValue } }
    }

    /// Experiments, with the weights by which customers are shared out.
    public var experiments: [Experiment] {
        get { shared.content.experiments }
        set { change { $0.experiments = newValue } }
    }

    /// Batches of codes, and what each code gives.
    public var promotions: [Promotion] {
        get { shared.content.promotions }
        set { change { $0.promotions = newValue } }
    }

    /// Requests in the app's own form.
    public var calls: [AppCall] {
        get { shared.content.calls }
        set { change { $0.calls = newValue } }
    }

    /// What the app decides where stores and documents leave a choice.
    public var policies: Policies {
        get { shared.content.policies }
        set { change { $0.policies = newValue } }
    }

    /// Copy: key, then locale, then text with `{placeholders}`.
    public var copy: [String: [String: String]] {
        get { shared.content.copy }
        set { change { $0.copy = newValue } }
    }

    /// Free-form facts that the app asks for and that rule nothing: URLs, ad units, review notes,
    /// icon names.
    public var metadata: [String: String] {
        get { shared.content.metadata }
        set { change { $0.metadata = newValue } }
    }
}
