import DaybookDomain
import DaybookEvents
public import DaybookIngest
import DaybookStore

/// How a restore is taken in.
public struct RestoreOptions: Sendable {
    /// What a body is that is nothing but a signed text.
    public var kind: AppStorePayloadKind
    /// Say what would happen, and write nothing.
    public var isPreview: Bool
    /// Who asks and why, for the audit of what moves.
    public var actor: String?
    public var reason: String?

    public init(
        kind: AppStorePayloadKind = .transaction, isPreview: Bool = false, actor: String? = nil,
        reason: String? = nil
    ) {
        self.kind = kind
        self.isPreview = isPreview
        self.actor = actor
        self.reason = reason
    }
}
