import ArgumentParser
import DaybookEvents
import DaybookIngest
import Foundation

/// Which root certificates are trusted, and for which app.
struct VerifierOptions: ParsableArguments {
    @Option(
        name: .customLong("bundle-id"),
        help: .value(
            "id",
            "The app's bundle identifier; repeat it for extensions. Default: $DAYBOOK_BUNDLE_ID."))
    var bundleIDs: [String] = []

    @Option(
        name: .customLong("app-apple-id"),
        help: .value(
            "number",
            "The app's number in App Store Connect; production payloads must carry it then."))
    var appAppleID: Int64?

    @Option(
        name: .customLong("root"),
        help: .value(
            "file",
            "A root certificate to trust instead of Apple Root CA - G3: DER or PEM; may be repeated."
        ))
    var roots: [String] = []

    @Flag(
        name: .customLong("offline"),
        help: "Ask no server whether certificates were withdrawn: the default.")
    var isOffline = false

    @Flag(
        name: .customLong("online"),
        help:
            "Ask the certificates' responders (OCSP); where they do not answer, a payload is refused until a retry."
    )
    var isOnline = false

    func validate() throws {
        try require(
            !(isOffline && isOnline), "--online and --offline are opposites; say one of them")
    }

    /// Those of the options, else that of the environment.
    private var namedIDs: [String] {
        let named = ProcessInfo.processInfo.environment["DAYBOOK_BUNDLE_ID"] ?? ""
        return bundleIDs.isEmpty && !named.isEmpty ? [named] : bundleIDs
    }

    /// Whether it is said which app payloads are for.
    var namesApp: Bool { !namedIDs.isEmpty }

    /// What the options say of the App Store.
    func identity() throws -> StoreIdentity {
        let ids = namedIDs
        try Failure.require(
            !ids.isEmpty, .usage, "no_bundle_id",
            "which app are the payloads for? say --bundle-id, as in App Store Connect, or set $DAYBOOK_BUNDLE_ID"
        )
        return StoreIdentity(
            bundleIDs: ids, appAppleID: appAppleID, roots: roots, isOnline: isOnline)
    }

    func verifier(_ environment: Environment) throws -> AppStoreVerifier {
        try identity().verifier(environment)
    }
}

/// An app as the App Store knows it, and whose signatures are believed.
struct StoreIdentity {
    var bundleIDs: [String]
    var appAppleID: Int64?
    /// Files of root certificates; empty: Apple's.
    var roots: [String] = []
    /// Whether responders are asked about withdrawn certificates.
    var isOnline = false

    /// - Parameter isVouchedAlone: Whether nothing is taken that no root vouches for.
    func verifier(
        _ environment: Environment, isVouchedAlone: Bool = false
    ) throws -> AppStoreVerifier {
        let identity = AppStoreIdentity(
            bundleIDs: bundleIDs, appAppleID: appAppleID, environment: environment)
        return AppStoreVerifier(
            identity: isVouchedAlone ? identity.vouchedAlone : identity,
            roots: try configuredRoots(), revocation: isOnline ? Responders.revocation() : nil)
    }

    /// For a server, at whose door strangers post: what Apple signs, and in the environment `test` what an authority of
    /// the operator's own does. Payloads that Xcode makes up prove nothing there.
    func verifiers() throws -> [Environment: AppStoreVerifier] {
        let taken: [Environment] = [.production, .sandbox] + (roots.isEmpty ? [] : [.test])
        return try taken.reduce(into: [:]) { $0[$1] = try verifier($1, isVouchedAlone: true) }
    }

    private func configuredRoots() throws -> AppStoreRoots {
        do {
            guard !roots.isEmpty else { return try AppStoreRoots.apple() }
            return try AppStoreRoots(
                joining: roots.map { try AppStoreRoots(file: try InputFile($0).all()) })
        } catch let refusal as PayloadRefusal {
            throw Failure(.badInput, "bad_root", refusal.detail)
        }
    }
}
