import HTTPTypes
import Hummingbird

/// Answers in our form what no route takes: paths that there are not, methods that a path does not have, and what
/// browsers ask before they send.
struct UnknownRoutes: RouterMiddleware {
    typealias Context = ServerContext

    private let dispatcher: Dispatcher
    /// The routes by how many parts their paths have: a stranger's path costs a server less than a question does.
    private let routes: [Int: [(parts: [Substring], method: HTTPRequest.Method)]]

    init(dispatcher: Dispatcher) {
        self.dispatcher = dispatcher
        let split = dispatcher.routes.map { ($0.path.split(separator: "/"), $0.method) }
        routes = Dictionary(grouping: split) { parts, _ in parts.count }
    }

    func handle(
        _ request: Request, context: ServerContext,
        next: (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound {
            return dispatcher.respondToUnknown(
                request, context, methods: methods(of: request.uri.path))
        }
    }

    /// The methods that a path has; empty for one that is no route's.
    private func methods(of path: String) -> [HTTPRequest.Method] {
        let parts = path.split(separator: "/")
        return (routes[parts.count] ?? []).filter { route in
            zip(route.parts, parts).allSatisfy { $0.first == "{" || $0 == $1 }
        }.map(\.method)
    }
}
