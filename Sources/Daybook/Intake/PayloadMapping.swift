public import DaybookDomain
public import DaybookEvents
import DaybookIngest

/// A payload from outside that the ledger keeps, with what was known when it was taken in.
public struct KeptPayload: Sendable {
    /// The source of its events: `apple_asn_v2`, `apple_jws`, `revenuecat`, `revenuecat_subscriber`.
    public var source: String
    /// The payload exactly as it came.
    public var bytes: [UInt8]
    /// Lower-case hexadecimal SHA-256 of the bytes.
    public var sha256: String
    /// The environment in which its events were recorded.
    public var environment: Environment
    /// The customer under whose name it was posted; `nil` where none was named.
    public var claimant: String?
    /// The newest one of the ledger; `nil` before the first.
    public var catalog: Catalog?
}

/// What turns a kept payload into events: the code that is compared with what was recorded.
///
/// It must be a function of the payload alone, or reading again would find differences for ever.
public struct PayloadMapping: Sendable {
    private let read: @Sendable (KeptPayload) throws -> [EventDraft]

    /// - Parameter read: Gives the events in the order of one commit; they need not be canonical. What it throws is
    ///   told of the payload, whose events stay as they are.
    public init(_ read: @escaping @Sendable (KeptPayload) throws -> [EventDraft]) {
        self.read = read
    }

    /// What a payload says.
    public func events(of payload: KeptPayload) throws -> [EventDraft] { try read(payload) }

    /// The code of this build.
    public static let present = PayloadMapping { payload in
        do {
            switch payload.source {
            case RevenueCatReader.sourceKind:
                let reader = RevenueCatReader(
                    catalog: payload.catalog, environment: payload.environment)
                return try reader.read(payload.bytes).drafts
            case RevenueCatSubscriberReader.sourceKind:
                let reader = RevenueCatSubscriberReader(
                    catalog: payload.catalog, environment: payload.environment,
                    subject: payload.claimant)
                return try reader.read(payload.bytes).drafts
            case AppStoreMapping.notificationSource, AppStoreMapping.postedSource:
                let isPosted = payload.source == AppStoreMapping.postedSource
                let document = try AppStoreDocument(
                    kept: payload.bytes, as: isPosted ? nil : .notification)
                let mapping = AppStoreMapping(
                    environment: payload.environment, subject: payload.claimant)
                return try mapping.events(of: document)
            default:
                throw PayloadRefusal(.format, "this build reads no payloads of \(payload.source)")
            }
        } catch let problem as LineProblem {
            throw PayloadRefusal(.format, "column \(problem.column): \(problem.reason)")
        }
    }
}
