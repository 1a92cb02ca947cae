package import HTTPTypes

extension HTTPField.Name {
    /// The same key again gets the first receipt (draft-ietf-httpapi-idempotency-key-header).
    static let idempotencyKey = named("Idempotency-Key")
    static let requestID = named("Request-Id")
    /// A token of the app's own backend that says who the customer is.
    static let customerToken = named("Daybook-Customer-Token")
    /// RFC 9110 does not have it; the server-sent events of the HTML standard do.
    static let lastEventID = named("Last-Event-ID")

    /// Where an export ends.
    static let place = named("Daybook-Place")

    static let rateLimit = named("RateLimit")
    static let rateLimitPolicy = named("RateLimit-Policy")
    /// W3C Trace Context: https://www.w3.org/TR/trace-context/#traceparent-header
    static let traceParent = named("traceparent")

    /// A name that is written in the program.
    package static func named(_ text: String) -> Self {
        guard let name = Self(text) else { preconditionFailure("\(text) is no name of a field.") }
        return name
    }
}
