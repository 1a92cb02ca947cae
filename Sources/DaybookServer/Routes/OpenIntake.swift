import Daybook
import DaybookIngest
import HTTPTypes
import Logging

/// Takes in what anyone may post: only the signature tells who sent it.
///
/// What cannot be verified is kept, so that it can be looked at and tried again, but only so much of it: no sender can
/// fill the disk. Beyond that a payload is verified first, and one that is refused is not kept.
struct OpenIntake {
    let app: ServedApp

    /// - Returns: 200 where it is on disk or need not come again.
    /// - Throws: `Problem` with 503 where the store should send it again.
    func take(_ bytes: [UInt8], by verifier: AppStoreVerifier, _ log: Logger) async throws -> Answer
    {
        // A page of Apple's other answers would be one request and ten thousand dead letters.
        let texts = (try? AppStoreEnvelope.signedPayloads(in: bytes, as: .notification)) ?? []
        try Problem.require(
            texts.count <= 1 && (texts.first.map({ $0.kind == .notification }) ?? true),
            "one_notification",
            "a notification is one \"signedPayload\"; pages are taken in by \"daybook ingest\"")
        let receipt = try await app.refusals.bounding(bytes.count, app.ledger) { isDryRun in
            try await ingest(bytes, verifier, isDryRun: isDryRun)
        }
        guard let refused = receipt.refused.first?.refusal else { return Self.answer(receipt) }
        log.warning(
            "a notification is kept as a dead letter",
            metadata: ["app": "\(app.name)", "error": "\(refused.reason.rawValue)"])
        if refused.reason == .retryable, refused.waitsFor == nil {
            throw Problem.tooMany(
                .serviceUnavailable, refused.reason.rawValue,
                "it could not be decided now; send it again", after: 60)
        }
        return Self.answer(receipt)
    }

    private func ingest(
        _ bytes: [UInt8], _ verifier: AppStoreVerifier, isDryRun: Bool
    ) async throws -> IngestReceipt {
        try await app.ledger.writing { ledger in
            try await ledger.ingest(
                bytes, by: verifier,
                options: IngestOptions(kind: .notification, isDryRun: isDryRun))
        }
    }

    /// Counts alone: a sender who posts a captured notification again learns nothing from it.
    private static func answer(_ receipt: IngestReceipt) -> Answer {
        .json([
            "appended": .count(receipt.appended), "duplicates": .count(receipt.duplicates),
            "refused": .array(receipt.refused.map { .string($0.refusal.reason.rawValue) }),
        ])
    }
}
