public import DaybookDomain
public import DaybookEvents

/// Reads subscriber documents of RevenueCat (REST API v1, `GET /subscribers/{app_user_id}`) into neutral events.
///
/// A document says how things stand, not what happened: the way of a payload is bytes → JSON → purchases that are read
/// by name → the facts that each one states (`RevenueCatSubscriberMapping+….swift`) → what was not read, less personal
/// data. It is a function of the bytes, the catalog and the customer that was asked for. Keys are made of what the
/// document states, so a statement that stands in a later document too is the same event.
public struct RevenueCatSubscriberReader: Sendable {
    /// A larger payload is refused unread; most documents have a few KiB.
    public static let byteCountMax = RevenueCatDocument.byteCountMax
    /// The source kind of every event.
    public static let sourceKind = "revenuecat_subscriber"

    private let catalog: Catalog?
    private let environment: Environment
    private let subject: String?

    /// - Parameters:
    ///   - catalog: Tells what the document does not: what kind a one-time purchase is, and which entitlements a
    ///     product should give.
    ///   - environment: The environment of the purchases that are read: `production`, or `sandbox`.
    ///   - subject: The customer whom the document was asked for. `nil`: its member `app_user_id`, which a script may
    ///     have written beside `subscriber`, else `original_app_user_id`.
    public init(
        catalog: Catalog? = nil, environment: Environment = .production, subject: String? = nil
    ) {
        self.catalog = catalog
        self.environment = environment
        self.subject = subject
    }

    /// Reads one document as the API answered it.
    /// - Parameter firstLine: The line of its first byte in a larger file, for messages.
    /// - Throws: The first thing that is wrong, with line, column, member and reason. The bytes belong to the dead
    ///   letters.
    public func read(
        _ bytes: [UInt8], firstLine: Int = 1
    ) throws(LineProblem) -> RevenueCatSubscriberReading {
        try RevenueCatDocument.read(bytes, firstLine: firstLine, noun: "document", reading(of:)) {
            let names = Self.names(in: $0.member)
            return LineProblem(
                payload: bytes, firstLine: firstLine, $0,
                offset: MemberPlace.column(ofNested: names, in: bytes) - 1)
        }
    }

    private func reading(of json: JSONValue) throws(EventProblem) -> RevenueCatSubscriberReading {
        guard let payload = json.object, let subscriber = payload["subscriber"]?.object else {
            throw EventProblem(
                .missingField, "subscriber",
                "a document is an object with the member subscriber, as GET /subscribers answers it"
            )
        }
        var mapping = try RevenueCatSubscriberMapping(
            payload, subscriber, catalog: catalog, environment: environment, subject: subject)
        try mapping.readPurchases()
        try mapping.compareEntitlements()
        let aliases = try mapping.aliases()
        return try mapping.reading(aliases)
    }

    /// Whether an event says only that something which was said before holds no more: that renewal is on again, that a
    /// refund was taken back, that a promotion ended early. It is news where the ledger says otherwise.
    public static func isRestatement(_ draft: EventDraft) -> Bool {
        haveSameBytes(draft.source.kind, sourceKind)
            && draft.data["revenuecat"]?.object?["restates"] == true
    }

    /// `subscriber.subscriptions["a.b"].store` as names from the outermost object on.
    private static func names(in path: String) -> [String] {
        func plain(_ part: some StringProtocol) -> [String] {
            part.split(separator: ".").map { String($0.prefix { $0 != "[" }) }
                .filter { !$0.isEmpty }
        }
        guard let start = path.firstRange(of: "[\""), let end = path.ranges(of: "\"]").last,
            start.upperBound <= end.lowerBound
        else { return plain(path) }
        return plain(path[..<start.lowerBound])
            + [String(path[start.upperBound..<end.lowerBound])] + plain(path[end.upperBound...])
    }
}
