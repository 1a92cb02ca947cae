import DaybookEvents
import DaybookFixtures
import DaybookIngest
import Testing

/// Apple's own mock payloads with the verdicts of Apple's own library.
@Suite("Apple's vectors", .enabled(if: SharedVectors.areThere, "\(SharedVectors.absence)"))
struct AppleVectorTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let id: String
        let kind: AppStorePayloadKind
        let bundleID: String
        let environment: AppStoreEnvironment
        let appAppleID: Int64
        let text: String
        let expected: String
        var testDescription: String { id }

        init?(_ value: JSONValue) {
            guard let object = value.object, let config = object["config"]?.object,
                let id = object["id"]?.text, let text = object["jws"]?.text,
                let kind = object["kind"]?.text.flatMap(AppStorePayloadKind.init(rawValue:)),
                let bundleID = config["bundleId"]?.text, config["root"]?.text == "testCA",
                let environment = config["environment"]?.text
                    .flatMap(AppStoreEnvironment.init(rawValue:)),
                let appAppleID = config["appAppleId"]?.integer,
                let expected = object["expected"]?.text
            else { return nil }
            self.id = id
            self.kind = kind
            self.bundleID = bundleID
            self.environment = environment
            self.appAppleID = appAppleID
            self.text = text
            self.expected = expected
        }

        /// The environments of a ledger in which payloads of this one of Apple's may be expected.
        var ledgerEnvironments: [Environment] {
            switch environment {
            case .production: [.production]
            case .sandbox: [.sandbox]
            case .xcode: [.xcode, .test]
            case .localTesting: [.test]
            }
        }

        /// Apple's verdicts in our classes; `nil` for acceptance.
        func reason() throws -> PayloadRefusal.Reason? {
            switch expected {
            case "OK": nil
            case "INVALID_APP_IDENTIFIER": .appIdentity
            case "INVALID_ENVIRONMENT": .environment
            case "INVALID_CHAIN_LENGTH": .chain
            // All of these are texts that cannot be taken apart, or have no certificates.
            case "VERIFICATION_FAILURE": .format
            default: throw SharedVectors.NotAnObject(path: expected)
            }
        }
    }

    static let vectors: [Vector] =
        ((try? SharedVectors.json("apple/jws_vectors.json"))?.array ?? [])
        .compactMap(Vector.init)

    @Test("All of them are read") func count() throws {
        let count = try SharedVectors.json("apple/jws_vectors.json").array?.count
        #expect(Self.vectors.count == count)
        #expect(Self.vectors.count == 26)
    }

    @Test("Each is accepted or refused as Apple's library does, with the class", arguments: vectors)
    func verdict(_ vector: Vector) throws {
        let roots = try AppStoreRoots(file: SharedVectors.bytes("apple/certificates/root_ca.der"))
        for environment in vector.ledgerEnvironments {
            let identity = AppStoreIdentity(
                bundleIDs: [vector.bundleID], appAppleID: vector.appAppleID,
                environment: environment
            ).only([vector.environment])
            let verifier = AppStoreVerifier(identity: identity, roots: roots)
            // Twice, so that a remembered chain gives the same verdict.
            for _ in 0..<2 {
                let outcome = verifier.verify(vector.text, as: vector.kind, now: Fixtures.now)
                #expect(outcome.reason == (try vector.reason()), "\(environment.name): \(outcome)")
            }
        }
    }

    @Test(
        "Apple's chains are followed or refused",
        arguments: [
            ("leaf_cert", "intermediate_ca", nil as String?),
            ("leaf_cert_invalid_oid", "intermediate_ca", "leaf lacks"),
            (
                "leaf_cert_for_intermediate_ca_invalid_oid", "intermediate_ca_invalid_oid",
                "intermediate lacks"
            ),
            ("intermediate_ca", "leaf_cert", "leaf lacks"),
            ("real_apple_signing_certificate", "real_apple_intermediate", "configured root"),
            ("leaf_cert", "real_apple_intermediate", "not signed"),
        ])
    func chain(leaf: String, intermediate: String, refusal: String?) throws {
        let roots = try AppStoreRoots(file: SharedVectors.bytes("apple/certificates/root_ca.der"))
        let certificates = try [leaf, intermediate].map {
            try SharedVectors.bytes("apple/certificates/\($0).der")
        }
        do throws(PayloadRefusal) {
            _ = try AppStorePath(from: certificates, to: roots, at: Fixtures.now)
            #expect(refusal == nil)
        } catch {
            #expect(error.reason == .chain)
            #expect(error.detail.contains(refusal ?? "nothing was expected"), "\(error)")
        }
    }

    @Test("The chain that signs in production leads to the root built in")
    func production() throws {
        let roots = try AppStoreRoots.apple()
        let certificates = try ["real_apple_signing_certificate", "real_apple_intermediate"].map {
            try SharedVectors.bytes("apple/certificates/\($0).der")
        }
        let path = try AppStorePath(from: certificates, to: roots, at: Fixtures.now)
        #expect(path.root == "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179")
        // The leaf is the shortest of the three: 2025-09-19T19:44:51Z to the whole of 2027-10-13T17:47:23Z.
        #expect(path.validity == 1_758_311_091_000...1_823_449_643_999)
        let root = try SharedVectors.bytes("apple/certificates/real_apple_root.der")
        #expect(try AppStoreRoots(der: [root]).fingerprints == roots.fingerprints)
    }

    @Test(
        "Receipts of the old form are no signed payloads",
        arguments: [
            "mock_signed_data/legacyTransaction", "xcode/xcode-app-receipt-empty",
            "xcode/xcode-app-receipt-with-transaction",
        ])
    func receipts(_ path: String) throws {
        let verifier = AppStoreVerifier(
            identity: AppStoreIdentity(bundleIDs: ["com.example"], environment: .xcode),
            roots: try .apple())
        let outcome = verifier.verify(
            try SharedVectors.bytes("apple/\(path)"), as: .transaction, now: Fixtures.now)
        #expect(outcome.reason == .format)
    }
}

extension AppStoreOutcome {
    /// Why it was refused; `nil` where it was verified.
    var reason: PayloadRefusal.Reason? {
        if case .refused(let refusal) = self { refusal.reason } else { nil }
    }

    var refusal: PayloadRefusal? {
        if case .refused(let refusal) = self { refusal } else { nil }
    }

    var statement: AppStoreStatement? {
        if case .verified(let statement) = self { statement } else { nil }
    }
}
