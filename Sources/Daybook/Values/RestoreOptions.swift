import DaybookDomain
import DaybookEvents
public import DaybookIngest
import DaybookStore

/// How a restore is taken in.
public struct RestoreOptions: Sendable {
    /// The kind of a signed payload that is posted by itself, without an envelope.
    public var kind: AppStorePayloadKind
    /// Say what would happen, and write nothing.
    public var isDryRun: Bool
    /// Who asks and why, for the audit of what moves.
    public var actor: String?
    /// Why; `nil`: no reason is recorded.
    public var reason: String?

    /// By default a signed transaction is restored, for no named actor.
    public init(
        kind: AppStorePayloadKind = .transaction, isDryRun: Bool = false, actor: String? = nil,
        reason: String? = nil
    ) {
        self.kind = kind
        self.isDryRun = isDryRun
        self.actor = actor
        self.reason = reason
    }
}
