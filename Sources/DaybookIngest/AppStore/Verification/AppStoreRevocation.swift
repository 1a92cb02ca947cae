import Foundation
import SwiftASN1
import Synchronization
@_spi(FixedExpiryValidationTime) @preconcurrency import X509

/// Asks whether certificates were withdrawn since they were issued (OCSP, RFC 6960).
///
/// Rule: leaf and intermediate are asked about at the responders that they name, where they are valid now and so is
/// everything above them; a responder says nothing about what has expired. Only a signed and current answer "revoked"
/// refuses for good (`chain`). No answer, and any other one (unknown, outdated, signed by another authority, nonsense),
/// is `retryable`: a network that fails decides nothing. A certificate that names no responder, and one that Xcode made
/// for itself, is not asked about.
public final class AppStoreRevocation: Sendable {
    /// Posts a request, DER, to an address and gives the answer, DER. Whatever it throws is a network that fails.
    ///
    /// It is cancelled where all answers about a path take more than 10 seconds.
    public typealias Ask =
        @Sendable (_ request: [UInt8], _ address: String) async throws -> [UInt8]

    /// Longer answers are not looked at; Apple's have less than 2 KiB.
    public static let answerByteCountMax = 1 << 16
    /// So long an answer is good, by the clock that is given.
    public static let answerLifeMilliseconds: Int64 = 3_600_000
    /// So long a responder that did not answer is not asked again, or a page of many payloads would wait for each one.
    public static let silenceLifeMilliseconds: Int64 = 60_000
    /// So many paths are remembered.
    static let countMax = 32

    private struct Answer {
        let certificates: [Certificate]
        let at: Int64
        let refusal: PayloadRefusal?

        func isGood(at now: Int64) -> Bool {
            let life =
                refusal?.reason == .retryable
                ? AppStoreRevocation.silenceLifeMilliseconds
                : AppStoreRevocation.answerLifeMilliseconds
            // A clock that was set back asks anew.
            return now >= at && now - at < life
        }
    }

    private let ask: Ask
    private let answers = Mutex<[Answer]>([])

    /// A source of answers that has asked no responder yet.
    /// - Parameter ask: How responders are asked over the network.
    public init(asking ask: @escaping Ask) { self.ask = ask }

    /// - Parameter now: Milliseconds since 1970 UTC; answers must be current then.
    /// - Throws: `PayloadRefusal` of class `chain` for what was withdrawn, `retryable` for what could not be learnt.
    func check(_ path: AppStorePath, at now: Int64) async throws(PayloadRefusal) {
        let certificates = path.standing(at: now)
        // A root vouches for itself.
        guard certificates.count > 1 else { return }
        let known = answers.withLock { answers in
            answers.first { $0.certificates == certificates && $0.isGood(at: now) }
        }
        if let known {
            if let refusal = known.refusal { throw refusal }
            return
        }
        let refusal = await refusal(of: certificates, at: now)
        answers.withLock { answers in
            answers.removeAll { $0.certificates == certificates }
            if answers.count >= Self.countMax { answers.removeAll() }
            answers.append(Answer(certificates: certificates, at: now, refusal: refusal))
        }
        if let refusal { throw refusal }
    }

    /// Strictly everything but a good answer fails, leniently nothing but "revoked". The second request is sent anew:
    /// the first one's answers may carry its nonce.
    private func refusal(of certificates: [Certificate], at now: Int64) async -> PayloadRefusal? {
        let strict = await judge(certificates, .hard, now)
        guard let doubt = strict.failure ?? strict.silence else { return nil }
        if strict.failure != nil,
            let withdrawn = await judge(certificates, .soft, now).failure
        {
            return PayloadRefusal(.chain, "its certificates do not stand any more: \(withdrawn)")
        }
        return PayloadRefusal(
            .retryable,
            "whether its certificates were withdrawn could not be learnt: \(doubt); try again later"
        )
    }

    /// - Returns: Why the certificates do not pass; why a responder did not answer.
    private func judge(
        _ certificates: [Certificate], _ mode: OCSPFailureMode, _ now: Int64
    ) async -> (failure: String?, silence: String?) {
        let requester = Requester(ask: ask)
        let date = Date(timeIntervalSince1970: Double(now) / 1_000)
        var verifier = Verifier(rootCertificates: CertificateStore(certificates.suffix(1))) {
            FollowedPolicy()
            OCSPVerifierPolicy(
                failureMode: mode, requester: requester, fixedExpiryValidationTime: date)
        }
        let result = await verifier.validate(
            leaf: certificates[0],
            intermediates: CertificateStore(certificates.dropFirst().dropLast()))
        let silence = requester.silence.withLock { $0 }
        switch result {
        case .validCertificate: return (nil, silence)
        case .couldNotValidate(let failures):
            let reason = failures.first?.policyFailureReason.description ?? "no path"
            return (String(reason.prefix(160)), silence)
        }
    }

    /// What these say was checked when the path was followed.
    private struct FollowedPolicy: VerifierPolicy {
        let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = [
            .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage,
        ]

        func chainMeetsPolicyRequirements(
            chain: UnverifiedCertificateChain
        ) async -> PolicyEvaluationResult { .meetsPolicy }
    }

    /// Remembers why the first responder did not answer: the policy lets that pass.
    private final class Requester: OCSPRequester {
        private struct TooLong: Error, CustomStringConvertible {
            let count: Int
            var description: String { "an answer of \(count) bytes" }
        }

        let ask: Ask
        let silence = Mutex<String?>(nil)

        init(ask: @escaping Ask) { self.ask = ask }

        func query(request: [UInt8], uri: String) async -> OCSPRequesterQueryResult {
            do {
                let answer = try await ask(request, uri)
                guard answer.count <= AppStoreRevocation.answerByteCountMax else {
                    throw TooLong(count: answer.count)
                }
                return .response(answer)
            } catch {
                let told = "\(uri.prefix(64)): \("\(error)".prefix(80))"
                silence.withLock { $0 = $0 ?? told }
                return .nonTerminalError(error)
            }
        }
    }
}
