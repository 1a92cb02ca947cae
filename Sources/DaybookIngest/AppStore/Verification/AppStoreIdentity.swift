public import DaybookEvents

/// The app and the environment that payloads must be of.
public struct AppStoreIdentity: Sendable, Equatable {
    /// Bundle identifiers of the app, its extensions and its other platforms.
    public let bundleIDs: [String]
    /// The number of the app in App Store Connect. Where it is given, production payloads must carry it.
    public let appAppleID: Int64?
    /// The ledger's environment.
    public let environment: Environment
    /// What payloads may say of their environment.
    ///
    /// Never more than the ledger's environment allows: `production` and `sandbox` take their own, `xcode` takes
    /// Xcode's, `test` takes those of Xcode and of local testing. So nothing that was made up on a developer's machine
    /// enters an environment in which money is counted.
    public private(set) var storeEnvironments: Set<AppStoreEnvironment>

    /// An identity that takes every store environment that the ledger's own allows.
    /// - Parameter appAppleID: `nil`: the app's number is not checked.
    public init(bundleIDs: [String], appAppleID: Int64? = nil, environment: Environment) {
        self.bundleIDs = bundleIDs
        self.appAppleID = appAppleID
        self.environment = environment
        storeEnvironments = Self.allowed(in: environment)
    }

    /// The same, taking only what both this and the given set allow.
    public func only(_ environments: Set<AppStoreEnvironment>) -> AppStoreIdentity {
        var identity = self
        identity.storeEnvironments.formIntersection(environments)
        return identity
    }

    /// The same, taking nothing that no configured root vouches for: where strangers may post, a certificate that they
    /// made themselves proves nothing.
    public var vouchedAlone: AppStoreIdentity {
        var identity = self
        identity.isVouchedAlone = true
        return identity
    }

    private var isVouchedAlone = false

    /// Whether payloads are taken that no configured root vouches for, as Xcode makes them.
    var takesUnvouched: Bool {
        !isVouchedAlone && (environment == .xcode || environment == .test)
    }

    private static func allowed(in environment: Environment) -> Set<AppStoreEnvironment> {
        switch environment {
        case .production: [.production]
        case .sandbox: [.sandbox]
        case .xcode: [.xcode]
        case .test: [.xcode, .localTesting]
        }
    }
}

extension AppStoreIdentity {
    /// Whether a payload is about this app, then whether it is of this environment.
    /// - Throws: `PayloadRefusal` of class `appIdentity` or `environment`.
    func check(_ payload: JSONObject, _ kind: AppStorePayloadKind) throws(PayloadRefusal) {
        let place = Self.place(of: payload, kind)
        // A renewal info names no app; the transaction of the same lineage does.
        if kind != .renewal { try checkApp(place) }
        // Only these carry the app's number.
        if environment == .production, kind == .notification || kind == .appTransaction {
            try checkNumber(place)
        }
        let name = place[kind == .appTransaction ? "receiptType" : "environment"]
        guard let found = name?.text.flatMap(AppStoreEnvironment.init(rawValue:)),
            storeEnvironments.contains(found)
        else {
            let expected = storeEnvironments.map(\.rawValue).sorted().joined(separator: " or ")
            throw PayloadRefusal(
                .environment,
                "it is of \(name.quoted); \(environment.name) takes \(expected)")
        }
    }

    private func checkApp(_ place: JSONObject) throws(PayloadRefusal) {
        let bundle = place["bundleId"]
        guard let text = bundle?.text,
            bundleIDs.contains(where: { $0.utf8.elementsEqual(text.utf8) })
        else {
            throw PayloadRefusal(
                .appIdentity,
                "bundleId is \(bundle.quoted), expected \(bundleIDs.joined(separator: " or "))")
        }
    }

    private func checkNumber(_ place: JSONObject) throws(PayloadRefusal) {
        guard let appAppleID else { return }
        let found = place.wholeNumber("appAppleId")
        try PayloadRefusal.require(
            found == appAppleID, .appIdentity,
            "appAppleId is \(found.map(String.init) ?? place["appAppleId"].quoted), expected \(appAppleID)"
        )
    }

    /// The object of a payload that names app and environment.
    private static func place(of payload: JSONObject, _ kind: AppStorePayloadKind) -> JSONObject {
        guard kind == .notification else { return payload }
        for name in ["data", "summary", "appData"] {
            if let place = payload[name]?.object { return place }
        }
        guard var token = payload["externalPurchaseToken"]?.object else { return JSONObject() }
        // Tokens name no environment; those of the sandbox begin with its name.
        let isSandbox = token["externalPurchaseId"]?.text?.hasPrefix("SANDBOX") ?? false
        let environment: AppStoreEnvironment = isSandbox ? .sandbox : .production
        token["environment"] = .string(environment.rawValue)
        return token
    }
}
