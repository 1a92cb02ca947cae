import Crypto
import DaybookDomain
import DaybookIngest
import Synchronization

/// Answers about a sandbox authority's certificates, signed as an authority does it (RFC 6960 §4.2.1); the DER is
/// written here by hand.
final class Responder: Sendable {
    enum Answer: Sendable {
        case good, revoked, unknown
        /// Not signed by the issuer.
        case foreign
        /// Its next update was a day ago.
        case outdated
        case garbage, tooLong
        /// The network fails.
        case none
    }

    struct NoNetwork: Error {}

    static let address = "http://127.0.0.1:9/ocsp"

    private let keys: SandboxKeys
    private let now: Int64
    private let state: Mutex<(leaf: Answer, intermediate: Answer, count: Int)>

    init(_ leaf: Answer, _ intermediate: Answer = .good, now: Int64 = Sandbox.now) throws {
        keys = try SandboxKeys(seed: Array("bedtime".utf8))
        self.now = now
        state = Mutex((leaf, intermediate, 0))
    }

    /// How often it was asked.
    var count: Int { state.withLock { $0.count } }

    func change(_ leaf: Answer) { state.withLock { $0.leaf = leaf } }

    var revocation: AppStoreRevocation {
        AppStoreRevocation { [self] request, address in
            guard address == Self.address else { throw NoNetwork() }
            return try answer(to: request)
        }
    }

    private func answer(to request: [UInt8]) throws -> [UInt8] {
        // OCSPRequest, tbsRequest: requestList, [2] extensions with the nonce.
        let parts = Self.parts(Self.parts(request)[0])
        // Request: CertID of algorithm, issuer's name, issuer's key, serial.
        let certificate = Self.parts(Self.parts(parts[0])[0])[0]
        let issuerHash = Self.content(Self.parts(certificate)[2])
        let isLeaf = issuerHash == Self.hash(keys.intermediate)
        let said = state.withLock { state in
            state.count += 1
            return isLeaf ? state.leaf : state.intermediate
        }
        let time = Self.time(now - Sandbox.hour)
        let status: [UInt8]
        switch said {
        case .none: throw NoNetwork()
        case .garbage: return Array("<html>".utf8)
        case .tooLong: return [UInt8](repeating: 0x30, count: 1 << 16 + 1)
        case .good, .foreign, .outdated: status = [0x80, 0x00]
        case .revoked: status = Self.node(0xA1, time)
        case .unknown: status = [0x82, 0x00]
        }
        let day = 24 * Sandbox.hour
        let (from, until) = said == .outdated ? (now - 2 * day, now - day) : (now, now + day)
        let single = Self.node(
            0x30, certificate + status + Self.time(from) + Self.node(0xA0, Self.time(until)))
        let issuer = isLeaf ? keys.intermediate : keys.root
        let data = Self.node(
            0x30,
            Self.node(0xA2, Self.node(0x04, Self.hash(issuer))) + time + Self.node(0x30, single)
                + Self.node(0xA1, Self.content(parts[1])))
        let signer = said == .foreign ? keys.leaf : issuer
        let signature = Array(try signer.signature(for: data).derRepresentation)
        // 1.2.840.10045.4.3.2, ecdsa-with-SHA256
        let algorithm = Self.node(
            0x30, Self.node(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]))
        let basic = Self.node(0x30, data + algorithm + Self.node(0x03, [0x00] + signature))
        // 1.3.6.1.5.5.7.48.1.1, id-pkix-ocsp-basic
        let kind = Self.node(0x06, [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01, 0x01])
        let bytes = Self.node(0x30, kind + Self.node(0x04, basic))
        return Self.node(0x30, [0x0A, 0x01, 0x00] + Self.node(0xA0, bytes))
    }

    private static func hash(_ key: P256.Signing.PrivateKey) -> [UInt8] {
        Array(Insecure.SHA1.hash(data: key.publicKey.x963Representation))
    }

    /// GeneralizedTime, such as 20260301000000Z.
    private static func time(_ instant: Int64) -> [UInt8] {
        let text = RFC3339.format(instant - instant % 1_000)
        return node(0x18, text.utf8.filter { (0x30...0x39).contains($0) } + [0x5A])
    }

    // MARK: DER

    private static func node(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            count < 0x80
            ? [UInt8(count)]
            : count < 0x100
                ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
        return [tag] + length + content
    }

    /// How many bytes tag and length take, and how many follow.
    private static func lengths(_ bytes: ArraySlice<UInt8>) -> (head: Int, content: Int) {
        let first = Int(bytes[bytes.startIndex + 1])
        guard first >= 0x80 else { return (2, first) }
        let count = first - 0x80
        let digits = bytes.dropFirst(2).prefix(count)
        return (2 + count, digits.reduce(0) { $0 << 8 | Int($1) })
    }

    private static func content(_ node: [UInt8]) -> [UInt8] {
        Array(node.dropFirst(lengths(node[...]).head))
    }

    /// The nodes in a node, each with its tag.
    private static func parts(_ node: [UInt8]) -> [[UInt8]] {
        var rest = content(node)[...]
        var parts: [[UInt8]] = []
        while !rest.isEmpty {
            let (head, content) = lengths(rest)
            parts.append(Array(rest.prefix(head + content)))
            rest = rest.dropFirst(head + content)
        }
        return parts
    }
}
