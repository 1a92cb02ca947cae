import Daybook

/// What the App Store signs, with an authority of our own in its place: a subscription's whole life, taken in twice.
struct DemoAppStore {
    let stage: Stage
    let folder: String
    let catalog: String

    private static let product = "com.magicalstories.premium.monthly"
    private static let bundleID = "com.example.stories"

    /// - Returns: What happened, for `--json`.
    func play() async throws -> JSONObject {
        try stage.chapter(
            "What the App Store signs",
            "Mia's subscription, month by month in minutes, signed as Apple signs and verified to the root."
        )
        let (ledger, key, root) = (path("stories.sqlite"), path("own.key"), path("own.pem"))
        try await run("init", ledger, "--catalog", catalog)
        try await run("sandbox", "create", key, "--root", root)
        let life = path("life.ndjson")
        try await run(
            "sandbox", "life", "--authority", key, "--bundle-id", Self.bundleID, "--product",
            Self.product, "--token", "mia", "--transaction", "2000000042", "--output", life)
        let taken = try await ingest(life, ledger, root)
        let again = try await ingest(life, ledger, root)
        let status = try await run("status", "mia", "--env", "test", "--ledger", ledger)
        return [
            "taken_in": .orNull(taken.json["appended"]?.integer),
            "appended_again": .orNull(again.json["appended"]?.integer),
            "status": .orNull(status.json["status"]?.text),
        ]
    }

    private func ingest(_ file: String, _ ledger: String, _ root: String) async throws
        -> Stage.Outcome
    {
        try await run(
            "ingest", file, "--bundle-id", Self.bundleID, "--root", root, "--env", "test",
            "--ledger", ledger)
    }

    private func path(_ name: String) -> String { "\(folder)/\(name)" }

    @discardableResult
    private func run(_ words: String...) async throws -> Stage.Outcome {
        try await stage.runWell(words)
    }
}
