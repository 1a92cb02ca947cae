import DaybookDomain

/// Milliseconds since 1970 UTC of a time in RFC 3339, for tests that write times as people do.
/// - Precondition: The text is such a time.
public func instant(_ text: String) -> Int64 {
    guard let instant = RFC3339.parse(text) else {
        preconditionFailure("\"\(text)\" is no time in RFC 3339; write 2026-01-31T23:59:59Z.")
    }
    return instant
}
