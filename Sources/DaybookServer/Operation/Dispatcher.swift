import DaybookEvents
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// The way of every request, from its head to its answer: who asks, may they, what do they send, what is answered; and
/// one line in the log.
struct Dispatcher: Sendable {
    /// All routes of the server.
    let routes: [Route]
    let ledgers: ServedLedgers
    let gate: Gate
    let rate: RateLimit
    let origins: CrossOrigin
    let streams: StreamCount
    let longWork = LongWork()
    let metrics: PrometheusRegistry
    let meters: RequestMeters
    let log: Logger

    func respond(
        to request: Request, _ context: ServerContext, by route: Route
    ) async -> Response {
        let start = ContinuousClock.now
        let id = RequestName.make()
        var answer: Answer
        var admitted: Admitted?
        var failure: (any Error)?
        var limits: RateLimit.State?
        var asked: String?
        do {
            let found = try await admit(request, context, route)
            admitted = found
            limits = try rate.take(found.caller)
            (answer, asked) = try await self.answer(request, context, route, found, id)
        } catch {
            failure = error
            answer = route.door.answer(
                to: (error as? BodyProblem)?.problem ?? Problem(error), request.head,
                admitted?.parts ?? Self.parts(context), id: id, by: gate)
        }
        answer.headers.append(HTTPField(name: .requestID, value: id))
        for field in route.door.headers { answer.headers.append(field) }
        for field in limits?.headers ?? [:] { answer.headers.append(field) }
        for field in origins.headers(for: request.headers) { answer.headers.append(field) }
        let duration = start.duration(to: .now)
        let line = RequestLine(
            route: route.name, method: request.method.rawValue, app: context.parameters.get("app"),
            status: answer.status.code, duration: duration, request: id,
            trace: TraceParent.trace(request.headers), key: admitted?.caller.key?.id,
            customer: Self.customer(admitted, asked, request),
            failure: failure)
        line.write(to: log)
        meters.count(
            app: admitted?.app?.name, route: route.name, status: answer.status.code, duration)
        return response(answer, in: context, isLast: failure is BodyProblem)
    }

    /// What no route takes.
    /// - Parameter methods: Those that the path has.
    func respondToUnknown(
        _ request: Request, _ context: ServerContext, methods: [HTTPRequest.Method]
    ) -> Response {
        let id = RequestName.make()
        if request.method == .options, !methods.isEmpty,
            let answer = origins.preflight(request.headers, methods: methods)
        {
            return response(answer, in: context)
        }
        var problem = Problem.notFound(
            "unknown_route", "there is no such route; /openapi.json describes those that are")
        if !methods.isEmpty {
            let names = methods.map(\.rawValue).sorted().joined(separator: ", ")
            problem = Problem(.methodNotAllowed, "wrong_method", "this route takes \(names)")
            problem.headers[.allow] = names
        }
        RequestLine(
            route: "none", method: request.method.rawValue, app: nil, status: problem.status.code,
            duration: .zero, request: id, trace: TraceParent.trace(request.headers), key: nil,
            customer: nil, failure: problem
        ).write(to: log)
        let door = door(of: request)
        var answer = door.answer(to: problem, request.head, [:], id: id, by: gate)
        answer.headers.append(HTTPField(name: .requestID, value: id))
        for field in door.headers { answer.headers.append(field) }
        for field in origins.headers(for: request.headers) { answer.headers.append(field) }
        return response(answer, in: context)
    }

    /// A browser that lost its way is told so by a page, where there are pages.
    private func door(of request: Request) -> any Door {
        let isProgram = request.uri.path.hasPrefix("/v1/")
        let wantsPage = request.headers[.accept]?.contains("text/html") == true
        guard wantsPage, !isProgram else { return KeyDoor() }
        return routes.first { !($0.door is KeyDoor) }?.door ?? KeyDoor()
    }

    private typealias Admitted = (caller: Caller, app: ServedApp?, parts: [String: String])

    /// The customer whom a person asked about: of the path, of the body, or looked up by an id.
    private static func customer(
        _ admitted: Admitted?, _ asked: String?, _ request: Request
    ) -> String? {
        guard let admitted, admitted.caller.isPerson else { return nil }
        if let customer = admitted.parts["customer"] ?? asked { return customer }
        // A query that cannot be decoded asked about no one.
        let query = (try? QueryText.parameters(request.uri.query ?? "")) ?? []
        return query.first { $0.name == "subject" || $0.name == "id" }?.value
    }

    /// The named parts of a path, as far as they can be decoded.
    private static func parts(_ context: ServerContext) -> [String: String] {
        context.parameters.reduce(into: [:]) { parts, parameter in
            parts[String(parameter.key)] = try? QueryText.decoded(parameter.value)
        }
    }

    private func admit(
        _ request: Request, _ context: ServerContext, _ route: Route
    ) async throws -> Admitted {
        let parts = try context.parameters.reduce(into: [String: String]()) { parts, parameter in
            parts[String(parameter.key)] = try QueryText.decoded(parameter.value)
        }
        guard route.isOfApp else {
            let caller = try await route.door.admit(request.head, to: route, app: "", by: gate)
            return (caller, nil, parts)
        }
        let name = parts["app"] ?? ""
        let caller = try await route.door.admit(request.head, to: route, app: name, by: gate)
        guard let app = ledgers.app(name) else {
            guard ledgers.isOpen else {
                throw Problem.tooMany(
                    .serviceUnavailable, "starting",
                    "the ledgers are being opened; /ready tells how far it is", after: 1)
            }
            throw Problem.notFound("unknown_app", "this server has no such app")
        }
        return (caller, app, parts)
    }

    private func answer(
        _ request: Request, _ context: ServerContext, _ route: Route, _ admitted: Admitted,
        _ id: String
    ) async throws -> (Answer, asked: String?) {
        let bytes = try await BodyReader.read(request, atMost: route.bodyByteCountMax)
        var object: JSONObject?
        if case .object = route.input, !bytes.isEmpty {
            let value = try JSONReader.read(bytes)
            guard let found = value.object else {
                throw Problem.badRequest(
                    "bad_json", "the body is \(value.kindName), not a JSON object")
            }
            object = found
        }
        var fields = try RequestFields(query: request.uri.query, body: object)
        if case .form = route.input { try fields.insert(form: bytes) }
        var call = RouteCall(
            ledgers: ledgers, served: admitted.app, caller: admitted.caller,
            parts: admitted.parts, request: request.head, fields: fields, bytes: bytes,
            streams: streams, longWork: longWork, metrics: metrics, gate: gate, rate: rate,
            log: log, route: route)
        let answer = try await route.respond(&call)
        return (answer, call.asked)
    }

    // MARK: Answers

    /// - Parameter isLast: Whether the connection is closed after it: what the client still sends is not wanted.
    private func response(
        _ answer: Answer, in context: ServerContext, isLast: Bool = false
    ) -> Response {
        var headers = answer.headers
        headers.append(HTTPField(name: .xContentTypeOptions, value: "nosniff"))
        if isLast { headers[.connection] = "close" }
        return Response(
            status: answer.status, headers: headers, body: body(answer.body, context, isLast))
    }

    private func body(
        _ body: Answer.Body, _ context: ServerContext, _ isLast: Bool
    ) -> ResponseBody {
        switch body {
        case .none: return ResponseBody()
        case .bytes(let bytes):
            guard isLast else { return ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)) }
            return ResponseBody(contentLength: bytes.count) { writer in
                try await writer.write(ByteBuffer(bytes: bytes))
                try await writer.finish(nil)
                // What the client sees of it is read before the connection goes.
                try? await context.channel.close(mode: .output)
            }
        case .stream(let write):
            return ResponseBody { writer in
                try await ResponseStream(writer).run(on: context.channel, write)
            }
        }
    }
}
