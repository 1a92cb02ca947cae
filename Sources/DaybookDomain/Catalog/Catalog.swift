public import DaybookEvents

/// What an app sells, gives away and measures: every rule that answers depend on, and nothing else.
///
/// A catalog is data. It is read from YAML by `CatalogReader`, validated as a whole, published as
/// an event, and its bytes are kept in the ledger. `evolve` sees none of it; `evaluate` reads the
/// version in force (rule 8). Collections keep the document's order, because paywalls and status
/// rules are ordered.
@dynamicMemberLookup
public struct Catalog: SharedParts {
    /// The parts of a catalog, each of which is a member of the catalog itself.
    public struct Content: Sendable, Equatable {
        /// The app's name: one ledger file is one app, and this is its name.
        public var app: String
        /// What people call the app.
        public var title: String
        /// The locale whose text is used when the asked one has none.
        public var defaultLocale = "en"
        /// IANA zone of customers who have not told theirs.
        public var defaultTimeZone = "UTC"
        /// Subscription groups; a customer holds at most one product of each.
        public var groups: [SubscriptionGroup] = []
        /// What stores sell, and what each product gives.
        public var products: [Product] = []
        /// What products and grants give, with the features that each opens.
        public var entitlements: [Entitlement] = []
        /// What the app opens or locks.
        public var features: [Feature] = []
        /// What is counted or measured, with the limits; without the preview counters of features.
        public var meters: [Meter] = []
        /// Days that new profiles get for free (rule 25).
        public var freePeriods: [FreePeriod] = []
        /// Places in the app where ads may be shown.
        public var ads: [AdPlacement] = []
        /// Upgrade screens by context.
        public var paywalls: [Paywall] = []
        /// Rules for the app's own status; the first whose condition holds counts.
        public var statuses: [StatusRule] = []
        /// What is shown beside every status.
        public var flags: [StatusFlag] = []
        /// Events of a customer by which metrics see that the app is used.
        public var activity = [EventType.appLaunched]
        /// Funnels that can be asked about; those of the newest catalog count (rule 8).
        public var funnels: [Funnel] = []
        /// Targets for metrics; those of the newest catalog count (rule 8).
        public var kpis: [KPITarget] = []
        /// The app's own names of events and milestones.
        public var eventNames: [EventName] = []
        /// Experiments, with the weights by which customers are shared out.
        public var experiments: [Experiment] = []
        /// Batches of codes, and what each code gives.
        public var promotions: [Promotion] = []
        /// Requests in the app's own form.
        public var calls: [AppCall] = []
        /// What the app decides where stores and documents leave a choice.
        public var policies = Policies()
        /// Copy: key, then locale, then text with `{placeholders}`.
        public var copy: [String: [String: String]] = [:]
        /// Free-form facts that the app asks for and that rule nothing: URLs, ad units, review notes,
        /// icon names.
        public var metadata: [String: String] = [:]
    }

    /// Where the parts lie.
    public var shared: SharedContent<Content>

    /// Makes a catalog that sells and limits nothing; its title is the name, its locale `en`, its time zone UTC.
    public init(app: String) { shared = SharedContent(Content(app: app, title: app)) }
}
