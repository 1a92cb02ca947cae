import HTTPTypes

/// What every answer to a browser says of itself (Content Security Policy Level 3, Fetch, Referrer Policy).
enum PageHeaders {
    static let all: HTTPFields = {
        var fields = HTTPFields()
        for (name, value) in texts {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return fields
    }()

    private static let texts = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
        ),
        ("X-Frame-Options", "DENY"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
    ]
}
