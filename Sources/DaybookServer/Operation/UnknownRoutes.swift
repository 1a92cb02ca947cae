import HTTPTypes
import Hummingbird

/// Answers in our form what no route takes: paths that there are not, methods that a path does not have, and what
/// browsers ask before they send.
struct UnknownRoutes: RouterMiddleware {
    typealias Context = ServerContext

    let dispatcher: Dispatcher

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
        return dispatcher.routes.filter { route in
            let names = route.path.split(separator: "/")
            return names.count == parts.count
                && zip(names, parts).allSatisfy { $0.first == "{" || $0 == $1 }
        }.map(\.method)
    }
}
