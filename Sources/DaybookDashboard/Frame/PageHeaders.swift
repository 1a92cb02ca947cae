import DaybookServer
import HTTPTypes

/// What every answer to a browser says of itself (Content Security Policy Level 3, Fetch, Referrer Policy).
enum PageHeaders {
    static let all: HTTPFields = [
        .named("Content-Security-Policy"):
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
        .named("X-Frame-Options"): "DENY",
        .named("Referrer-Policy"): "no-referrer",
        .named("Cross-Origin-Opener-Policy"): "same-origin",
        .named("Cross-Origin-Resource-Policy"): "same-origin",
        .named("Permissions-Policy"): "camera=(), geolocation=(), microphone=()",
    ]
}
