import HTTPTypes

/// What a caller is told of its rate limit (draft-ietf-httpapi-ratelimit-headers-10).
extension RateLimit.State {
    /// As of a request that was refused.
    var refused: Self {
        var state = self
        state.remaining = 0
        return state
    }

    var headers: HTTPFields {
        var headers = HTTPFields()
        headers[.rateLimitPolicy] = "\"requests\";q=\(quota.requests);w=\(quota.seconds)"
        headers[.rateLimit] = "\"requests\";r=\(remaining);t=\(seconds)"
        return headers
    }
}
