import Logging
import NIOCore
import Synchronization

/// Ends connections that do not come from one of the proxies.
final class PeerGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    /// What is shared by all connections.
    final class Rule: Sendable {
        let proxies: [AddressRange]
        let log: Logger
        private let refused = Atomic<Int64>(0)

        init(proxies: [AddressRange], log: Logger) {
            self.proxies = proxies
            self.log = log
        }

        /// The first is told, and every thousandth: a log must not grow by what strangers do.
        fileprivate func noteRefusal() {
            let count = refused.wrappingAdd(1, ordering: .relaxed).newValue
            guard count % 1_000 == 1 else { return }
            log.warning("\(count) connections were refused that came from no --proxy")
        }
    }

    private let rule: Rule

    init(_ rule: Rule) { self.rule = rule }

    func handlerAdded(context: ChannelHandlerContext) {
        let isKnown = rule.proxies.contains { $0.contains(context.remoteAddress) }
        guard !isKnown else { return }
        rule.noteRefusal()
        context.close(promise: nil)
    }
}
