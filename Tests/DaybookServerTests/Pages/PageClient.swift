import DaybookServer
import Testing

/// A browser as far as requests go: keeps its cookie, sends forms, follows nothing.
final class PageClient {
    let client: HTTPClient
    private(set) var cookie: String?

    init(_ client: HTTPClient) { self.client = client }

    /// Signs in with a key that has these scopes.
    static func signedIn(
        _ bench: ServerBench, _ scopes: Scope..., app: String = "dozzi"
    ) async throws -> PageClient {
        let page = PageClient(bench.client)
        let (_, text) = try bench.keys.create(
            Set(scopes), app: app, label: "page", by: "test", now: 0)
        let reply = try await page.post("/sign-in", ["key": text])
        try #require(reply.status == 303, "\(reply.text)")
        return page
    }

    func get(_ path: String, _ headers: [(String, String)] = []) async throws -> HTTPReply {
        try await keeping(client.send(.GET, path, headers: own + headers))
    }

    /// A page about all customers, once its answer is there: until then it says how far it is, and loads again.
    func whole(_ path: String) async throws -> String { try await ended(path).text }

    /// The same with its status.
    func ended(_ path: String) async throws -> HTTPReply {
        for _ in 0..<200 {
            let reply = try await get(path)
            if !reply.text.contains("data-running") { return reply }
            #expect(reply.text.contains("http-equiv=\"refresh\""))
            try await Task.sleep(for: .milliseconds(100))
        }
        throw CancellationError()
    }

    func post(
        _ path: String, _ fields: [String: String], _ headers: [(String, String)] = []
    ) async throws -> HTTPReply {
        let form = fields.sorted { $0.key < $1.key }.map { name, value in
            "\(name)=\(Self.encoded(value))"
        }.joined(separator: "&")
        return try await keeping(
            client.send(
                .POST, path,
                headers: own + [("content-type", "application/x-www-form-urlencoded")] + headers,
                body: Array(form.utf8)))
    }

    /// The token that the forms of a page carry.
    func formToken(_ path: String) async throws -> String {
        let text = try await get(path).text
        let match = try #require(text.firstMatch(of: /name="form_token" value="([^"]+)"/))
        return String(match.1)
    }

    func forget() { cookie = nil }

    /// Shows another cookie.
    func take(_ cookie: String?) { self.cookie = cookie }

    private var own: [(String, String)] {
        // As browsers do, which send the port that they asked.
        [("host", "127.0.0.1:\(client.port)")] + (cookie.map { [("cookie", $0)] } ?? [])
    }

    private func keeping(_ reply: HTTPReply) -> HTTPReply {
        if let set = reply.headers["set-cookie"] {
            let pair = String(set.prefix { $0 != ";" })
            cookie = pair.hasSuffix("=") ? nil : pair
        }
        return reply
    }

    /// Percent-encoded, in another way than that of the pages.
    static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain =
                byte < 0x80
                && (Character(Unicode.Scalar(byte)).isLetter
                    || Character(Unicode.Scalar(byte)).isNumber)
            let digits = String(byte, radix: 16, uppercase: true)
            return isPlain
                ? String(Unicode.Scalar(byte)) : "%" + (digits.count == 1 ? "0" : "") + digits
        }.joined()
    }
}
