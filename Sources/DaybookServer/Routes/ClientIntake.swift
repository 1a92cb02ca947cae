import Daybook
import DaybookEvents
import DaybookIngest

/// Which of the payloads that a client posts are handed on: what cannot be verified is kept as a dead letter only as
/// far as that of strangers is (`RefusalBudget`).
struct ClientIntake {
    let app: ServedApp
    let verifier: AppStoreVerifier
    /// Milliseconds since 1970 UTC.
    let now: Int64

    /// What became of payloads before anything was written.
    struct Admitted {
        var payloads: [[UInt8]] = []
        /// Refused, and not kept: there is no room for them.
        var dropped: [IngestReceipt.RefusedText] = []
    }

    /// - Throws: `Problem` for a text that is a page of several payloads: it would be one request and thousands of dead
    ///   letters.
    func admit(_ payloads: [[UInt8]], as kind: AppStorePayloadKind) async throws -> Admitted {
        var admitted = Admitted()
        for payload in payloads {
            let texts = (try? AppStoreEnvelope.signedPayloads(in: payload, as: kind)) ?? []
            try Problem.require(
                texts.count <= 1, "one_payload",
                "a client sends one signed payload in each text; this one is a page of \(texts.count)"
            )
            guard let refusal = await refusal(of: payload, texts.first, kind) else {
                admitted.payloads.append(payload)
                continue
            }
            let hasRoom = try app.refusals.reserve(payload.count) {
                try app.ledger.asking { try $0.waitingRefusals() }
            }
            if hasRoom {
                admitted.payloads.append(payload)
            } else {
                admitted.dropped.append(
                    IngestReceipt.RefusedText(
                        place: "", refusal: refusal,
                        sha256: Digest.hexadecimal(Digest.sha256(payload))))
            }
        }
        return admitted
    }

    private func refusal(
        of payload: [UInt8], _ text: AppStoreSignedPayload?, _ kind: AppStorePayloadKind
    ) async -> PayloadRefusal? {
        let bytes = text.map { Array($0.text.utf8) } ?? payload
        switch await verifier.confirm(bytes, as: text?.kind ?? kind, now: now) {
        case .refused(let refusal): return refusal
        case .verified: return nil
        }
    }
}
