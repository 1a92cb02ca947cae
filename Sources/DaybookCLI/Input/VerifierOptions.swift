import ArgumentParser
import Daybook
import DaybookEvents
import DaybookIngest
import Foundation

/// Whose signatures are believed, and about which app.
struct VerifierOptions: ParsableArguments {
    @Option(
        name: .customLong("bundle-id"),
        help: ArgumentHelp(
            "The app's bundle identifier; repeat it for extensions. Default: $DAYBOOK_BUNDLE_ID.",
            valueName: "id"))
    var bundleIDs: [String] = []

    @Option(
        name: .customLong("app-apple-id"),
        help: ArgumentHelp(
            "The app's number in App Store Connect; production payloads must carry it then.",
            valueName: "number"))
    var appAppleID: Int64?

    @Option(
        name: .customLong("root"),
        help: ArgumentHelp(
            "A root to believe instead of Apple Root CA - G3: DER or PEM; may be repeated.",
            valueName: "file"))
    var roots: [String] = []

    @Flag(
        name: .customLong("offline"),
        help:
            "Ask no server whether certificates were withdrawn: the default, and the only way yet.")
    var isOffline = false

    func verifier(_ environment: Environment) throws -> AppStoreVerifier {
        let named = ProcessInfo.processInfo.environment["DAYBOOK_BUNDLE_ID"] ?? ""
        let ids = bundleIDs.isEmpty && !named.isEmpty ? [named] : bundleIDs
        guard !ids.isEmpty else {
            throw Failure(
                .usage, "no_bundle_id",
                "whose payloads? say --bundle-id, as in App Store Connect, or set $DAYBOOK_BUNDLE_ID"
            )
        }
        let identity = AppStoreIdentity(
            bundleIDs: ids, appAppleID: appAppleID, environment: environment)
        return AppStoreVerifier(identity: identity, roots: try configuredRoots())
    }

    private func configuredRoots() throws -> AppStoreRoots {
        do {
            guard !roots.isEmpty else { return try AppStoreRoots.apple() }
            var found: [AppStoreRoots] = []
            for path in roots {
                found.append(try AppStoreRoots(file: try InputFile(path).all()))
            }
            return try AppStoreRoots(joining: found)
        } catch let refusal as AppStoreRefusal {
            throw Failure(.badInput, "bad_root", refusal.detail)
        }
    }
}
