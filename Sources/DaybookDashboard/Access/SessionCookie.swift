import HTTPTypes

/// The cookie that a browser shows with every request to the pages (RFC 6265).
struct SessionCookie {
    /// Behind TLS the name keeps other hosts and plain connections from setting it. Cookies do not know of ports: where
    /// several dashboards run on a machine, each has a name of its own.
    private let name: String
    private let isSecure: Bool

    init(authority: String?, isSecure: Bool) {
        self.isSecure = isSecure
        let port = authority.flatMap { $0.split(separator: ":").last }.flatMap { Int($0) }
        let own = port.map { "daybook-session-\($0)" } ?? "daybook-session"
        name = isSecure ? "__Host-\(own)" : own
    }

    /// The text of the first cookie of the name; `nil`: there is none.
    func text(in fields: HTTPFields) -> String? {
        for field in fields[values: .cookie] {
            for pair in field.split(separator: ";") {
                let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                if parts.count == 2, parts[0] == name { return String(parts[1]) }
            }
        }
        return nil
    }

    /// What sets it until the browser is closed.
    func setting(_ text: String) -> String { "\(name)=\(text); \(attributes)" }

    /// What removes it.
    var removing: String { "\(name)=; Max-Age=0; \(attributes)" }

    private var attributes: String {
        "Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    }
}
