import HTTPTypes
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Ends connections that take too long for a request, send far more than any route takes, or take nothing of what they
/// asked for; and writes one line about what comes to no route, because it is no request or was never sent to its end.
///
/// An idle time-out alone does not stop a sender of one byte a second; this counts from the end of the headers to the
/// end of the body, whatever comes in between. Slow headers are ended by the idle time-out, which counts whole parts.
final class RequestBounds: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private let timeMax: TimeAmount
    private let byteCountMax: Int
    private var byteCount = 0
    private var deadline: Scheduled<Void>?
    private let writeTimeMax: TimeAmount
    private var writeDeadline: Scheduled<Void>?
    private var gone: EventLoopPromise<Void>?
    private let log: Logger
    /// Whether a request has begun and not ended; what goes wrong then is in its own line.
    private var isWithinRequest = false
    /// Whether the line about what is no request was written: nothing more is read of such a connection.
    private var hasTold = false

    /// - Parameters:
    ///   - writeTimeMax: How long a client may be slower than what is written for it.
    ///   - byteCountMax: More than the largest body of any route, so that a body that is only a little too large still
    ///     gets its answer.
    init(timeMax: TimeAmount, writeTimeMax: TimeAmount, byteCountMax: Int, log: Logger) {
        self.log = log
        self.timeMax = timeMax
        self.writeTimeMax = writeTimeMax
        self.byteCountMax = byteCountMax
    }

    func handlerAdded(context: ChannelHandlerContext) {
        gone = context.eventLoop.makePromise()
    }

    /// Succeeds when the client has closed its side, or the connection is gone. Read on the channel's event loop.
    private var end: EventLoopFuture<Void>? { gone?.futureResult }

    /// Has something done as soon as the client of a connection has gone; never, where the channel has no such bounds.
    static func whenGone(
        _ channel: any Channel, _ body: @escaping @Sendable () -> Void
    ) {
        channel.eventLoop.execute {
            // A channel without this handler is one of a test.
            let bounds = try? channel.pipeline.syncOperations.handler(type: RequestBounds.self)
            bounds?.end?.whenComplete { _ in body() }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent { gone?.succeed() }
        context.fireUserInboundEventTriggered(event)
    }

    /// What the decoder cannot read as HTTP, or has more headers than are taken; it closes the connection.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The decoder may tell of one mistake twice.
        if let error = error as? HTTPParserError, !isWithinRequest, !hasTold {
            hasTold = true
            tell(
                error == .invalidEOFState
                    ? .badRequest(
                        "unfinished_headers", "the connection ended before its request did")
                    : .badRequest("bad_http", "\(error)"))
        }
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        gone?.succeed()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            isWithinRequest = true
            byteCount = 0
        case .body(let bytes):
            byteCount += bytes.readableBytes
            if byteCount > byteCountMax { return context.close(promise: nil) }
        case .end:
            isWithinRequest = false
            deadline?.cancel()
            deadline = nil
        }
        context.fireChannelRead(data)
    }

    /// Counts the time of a body that did not come with its headers; most requests are read at once.
    func channelReadComplete(context: ChannelHandlerContext) {
        if isWithinRequest, deadline == nil {
            let channel = context.channel
            deadline = context.eventLoop.scheduleTask(in: timeMax) {
                channel.close(promise: nil)
            }
        }
        context.fireChannelReadComplete()
    }

    /// A channel is not writable while more than its high-water mark (64 KiB) waits for the client.
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        writeDeadline?.cancel()
        writeDeadline = nil
        if !context.channel.isWritable {
            let channel = context.channel
            writeDeadline = context.eventLoop.scheduleTask(in: writeTimeMax) {
                channel.close(promise: nil)
            }
        }
        context.fireChannelWritabilityChanged()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        deadline = nil
        writeDeadline?.cancel()
        writeDeadline = nil
        gone?.succeed()
    }

    private func tell(_ problem: Problem) {
        RequestLine(
            route: "none", method: "none", app: nil, status: problem.status.code, duration: .zero,
            request: RequestName.make(), trace: nil, key: nil, customer: nil, failure: problem
        ).write(to: log)
    }
}
