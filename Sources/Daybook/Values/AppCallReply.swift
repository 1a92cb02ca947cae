public import DaybookDomain
public import DaybookEvents

/// What an app is answered in its own words.
public struct AppCallReply: Sendable, Equatable {
    /// Whether a rule refused it, or what was sent; the answer says so in the app's words.
    public var isRefused: Bool
    /// The members that the catalog's call names for this outcome, without the envelope.
    public var answer: JSONObject
    /// What the app expects around it.
    public var envelope: AppCall.Envelope

    /// As the app reads it.
    public var json: JSONObject {
        switch envelope {
        case .plain: answer
        case .callable: ["result": .object(answer)]
        }
    }
}

/// A request in an app's own form, and who sends it.
public struct AppCallRequest: Sendable {
    /// As the catalog names it.
    public var name: String
    /// The customer.
    public var subject: String
    /// The environment in which the call acts.
    public var environment: Environment
    /// As the app sent it, with what is around it.
    public var body: JSONObject
    /// The same key and body again return the first answer's facts (law 7); `nil`: each is another request.
    public var key: String?

    /// Creates a request; name and body are checked by `Ledger.call`.
    public init(
        _ name: String, subject: String, environment: Environment = .production,
        body: JSONObject = JSONObject(), key: String? = nil
    ) {
        self.name = name
        self.subject = subject
        self.environment = environment
        self.body = body
        self.key = key
    }
}
