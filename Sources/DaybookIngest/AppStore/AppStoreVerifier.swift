import Crypto
public import DaybookEvents

/// Whose payloads are expected.
public struct AppStoreIdentity: Sendable, Equatable {
    /// Bundle identifiers of the app, its extensions and its other platforms.
    public var bundleIDs: [String]
    /// The number of the app in App Store Connect; production payloads carry it.
    public var appAppleID: Int64?
    public var environment: Environment

    public init(bundleIDs: [String], appAppleID: Int64? = nil, environment: Environment) {
        self.bundleIDs = bundleIDs
        self.appAppleID = appAppleID
        self.environment = environment
    }
}

/// What kind of payload is expected; each says in its own place whose it is.
public enum AppStorePayloadKind: String, Sendable, CaseIterable {
    case notification, transaction, renewal
    case appTransaction = "app_transaction"
}

/// Verifies what Apple signed: format, chain, signature, app, environment, in this order.
///
/// Pure but for a bounded memory of chains; nothing is asked on the network.
public struct AppStoreVerifier: Sendable {
    public let identity: AppStoreIdentity
    private let chain: AppStoreChain

    public init(identity: AppStoreIdentity, roots: AppStoreRoots) {
        self.identity = identity
        chain = AppStoreChain(roots: roots)
    }

    /// The payload of a signed text.
    /// - Parameter now: Milliseconds since 1970 UTC; only used where the payload does not say when it was signed.
    /// - Throws: `AppStoreRefusal`; nothing of the payload may be used then.
    public func payload(
        of text: some Collection<UInt8>, kind: AppStorePayloadKind, now: Int64
    ) async throws(AppStoreRefusal) -> JSONObject {
        let jws = try CompactJWS(text)
        // An app transaction says when its receipt was made instead (StoreKit, AppTransaction.signedDate).
        let member = kind == .appTransaction ? "receiptCreationDate" : "signedDate"
        let instant = AppStoreNumber.milliseconds(jws.payload[member]) ?? now
        let key = try await chain.key(of: jws.certificates, at: instant)
        do {
            let signature = try P256.Signing.ECDSASignature(rawRepresentation: jws.signature)
            guard key.isValidSignature(signature, for: jws.signedBytes) else {
                throw AppStoreRefusal(.signature, "the signature is not the leaf certificate's")
            }
        } catch let refusal as AppStoreRefusal {
            throw refusal
        } catch {
            throw AppStoreRefusal(.signature, "the signature cannot be read: \(error)")
        }
        try check(jws.payload, kind)
        return jws.payload
    }

    // MARK: Whose it is

    private func check(
        _ payload: JSONObject, _ kind: AppStorePayloadKind
    ) throws(AppStoreRefusal) {
        let place = Self.place(of: payload, kind)
        // A renewal info names no app; the transaction beside it does.
        if kind != .renewal {
            let bundle = place["bundleId"]?.text
            guard let bundle, identity.bundleIDs.contains(bundle) else {
                throw AppStoreRefusal(
                    .appIdentity,
                    "bundleId is \(bundle.map { "\"\($0)\"" } ?? "missing"), expected \(identity.bundleIDs.joined(separator: " or "))"
                )
            }
        }
        if identity.environment == .production, kind == .notification || kind == .appTransaction {
            let id = AppStoreNumber.integer(place["appAppleId"])
            guard id == identity.appAppleID else {
                throw AppStoreRefusal(
                    .appIdentity,
                    "appAppleId is \(id.map(String.init) ?? "missing"), expected \(identity.appAppleID.map(String.init) ?? "none")"
                )
            }
        }
        let name = place[kind == .appTransaction ? "receiptType" : "environment"]?.text
        guard let found = AppStoreEnvironment.environment(named: name),
            found == identity.environment
        else {
            throw AppStoreRefusal(
                .environment,
                "it is of \(name.map { "\"\($0)\"" } ?? "no environment"), expected \(identity.environment.name)"
            )
        }
    }

    /// The object of a payload that names app and environment.
    private static func place(of payload: JSONObject, _ kind: AppStorePayloadKind) -> JSONObject {
        guard kind == .notification else { return payload }
        for name in ["data", "summary", "appData"] {
            if let place = payload[name]?.object { return place }
        }
        guard var token = payload["externalPurchaseToken"]?.object else { return payload }
        // Tokens name no environment; those of the sandbox begin with its name.
        let isSandbox = token["externalPurchaseId"]?.text?.hasPrefix("SANDBOX") ?? false
        token["environment"] = .string(isSandbox ? "Sandbox" : "Production")
        return token
    }
}

/// Apple's words for environments.
enum AppStoreEnvironment {
    static func environment(named name: String?) -> Environment? {
        switch name {
        case "Production": .production
        case "Sandbox": .sandbox
        case "Xcode": .xcode
        case "LocalTesting": .test
        default: nil
        }
    }
}

/// Numbers as Apple sends them: integers, milliseconds with a fraction, ids as text.
enum AppStoreNumber {
    /// - Returns: Whole milliseconds; a fraction is cut off.
    static func milliseconds(_ value: JSONValue?) -> Int64? {
        switch value {
        case .integer(let number): number
        case .number(let text): Int64(text.prefix { $0 != "." })
        default: nil
        }
    }

    static func integer(_ value: JSONValue?) -> Int64? {
        switch value {
        case .integer(let number): number
        case .string(let text): Int64(text)
        default: nil
        }
    }
}
