import Foundation
import Hummingbird

/// A server of two routes that answer the same bytes, whatever is asked: what HTTP alone costs.
enum BareServer {
    static let checkPath: RouterPath = "/v1/{app}/customers/{customer}/checks/{name}"
    static let usePath: RouterPath = "/v1/{app}/customers/{customer}/consume"

    static func run(check: String, consume: String) async throws {
        let (checked, consumed) = (try answer(check), try answer(consume))
        try await run { router in
            router.get(checkPath) { _, _ in response(checked) }
            router.post(usePath) { request, _ in
                _ = try await request.body.collect(upTo: 1 << 20)
                return response(consumed)
            }
        }
    }

    /// Serves on a free port until it is ended, and says on standard error which one.
    static func run(_ addRoutes: (Router<BasicRequestContext>) -> Void) async throws {
        let router = Router()
        addRoutes(router)
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                let line = "serving http://127.0.0.1:\(channel.localAddress?.port ?? 0)\n"
                FileHandle.standardError.write(Data(line.utf8))
            })
        try await application.run()
    }

    private static func answer(_ path: String) throws -> ByteBuffer {
        ByteBuffer(data: try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    private static func response(_ bytes: ByteBuffer) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: bytes))
    }
}
