import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import Foundation
import Testing

/// The table "What a payload must say" of docs/app-store.md, row by row: each payload is signed, verified and mapped.
@Suite("App Store: what a payload must say")
struct RequirementTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var payload: String
        var member: String
        var kind: String
        var missing: String
        var unreadable: String

        var testDescription: String { "\(payload) \(member)" }

        init?(_ line: Substring) {
            let cells = line.split(separator: "|").map {
                $0.filter { $0 != "`" }.trimmingCharacters(in: .whitespaces)
            }
            guard cells.count == 5, cells[0] != "payload", !cells[0].hasPrefix("-") else {
                return nil
            }
            (payload, member, kind) = (cells[0], cells[1], cells[2])
            (missing, unreadable) = (cells[3], cells[4])
        }
    }

    static let rows: [Row] = {
        let file = Fixtures.root.appending(path: "docs/app-store.md")
        guard let text = try? String(contentsOf: file, encoding: .utf8),
            let start = text.firstRange(of: "<!-- members -->")?.upperBound,
            let stop = text.firstRange(of: "<!-- /members -->")?.lowerBound
        else { return [] }
        return text[start..<stop].split(separator: "\n").compactMap(Row.init)
    }()

    @Test("Every documented member has one row")
    func complete() {
        let documented: [(String, [AppStoreField])] = [
            ("transaction", AppStoreTransaction.fields), ("renewal", AppStoreRenewal.fields),
            ("notification", AppStoreNotification.fields),
            ("data", AppStoreNotification.Details.fields),
            ("summary", AppStoreNotification.Summary.fields),
            ("externalPurchaseToken", AppStoreNotification.ExternalPurchaseToken.fields),
            ("appData", AppStoreNotification.AppData.fields),
            ("app transaction", AppStoreAppTransaction.fields),
        ]
        let expected = documented.flatMap { name, fields in fields.map { "\(name) \($0.name)" } }
        #expect(Self.rows.map(\.testDescription).sorted() == expected.sorted())
    }

    @Test("Every row is what happens", arguments: rows)
    func row(_ row: Row) throws {
        for base in Base.all where base.name == row.payload && base.concerns(row.member) {
            #expect(try base.outcome(JSONObject()) == "taken", "\(base.note): as it is")
            let missing = base.expected(row.missing)
            #expect(
                try base.outcome(without: row.member) == missing, "\(base.note): missing")
            #expect(
                try base.outcome([row.member: .null]) == missing, "\(base.note): null")
            let unreadable = base.expected(row.unreadable)
            for value in try #require(Self.unreadable[row.kind], "\(row.kind) is no form") {
                #expect(
                    try base.outcome([row.member: value]) == unreadable,
                    "\(base.note): \(String(decoding: value.canonicalBytes, as: UTF8.self))")
            }
        }
    }

    /// Values that a member of a form may not have.
    static let unreadable: [String: [JSONValue]] = [
        "id": [true, ["a": 1], [1]], "text": [7, true, ["x"]],
        "time": ["2026-01-01", true, ["a": 1], .number("1e30"), 253_402_300_800_000, -1],
        "number": ["x", true, .number("1.5")],
        "number from 1 on": ["x", true, .number("1.5"), 0, -1],
        "number from 0 on": ["x", true, .number("1.5"), -1],
        "number from 0 to 100000": ["x", true, .number("1.5"), -1, 100_001],
        "flag": ["true", 1], "object": ["x", 1, [1]], "list of texts": ["x", [1]],
        "signed payload": [7, "x"],
    ]

    /// A payload that is whole, for changing one member of it.
    struct Base {
        /// As the table calls it.
        var name: String
        /// What is special about it.
        var note = ""
        var kind: AppStorePayloadKind
        var payload: JSONObject
        /// Where in the payload the members stand; `nil`: the payload itself.
        var place: String?
        /// Of the cells with a condition the one that holds for this payload.
        var holds: Set<String> = []
        /// The members that it is for; empty: all.
        var members: Set<String> = []

        func concerns(_ member: String) -> Bool { members.isEmpty || members.contains(member) }

        /// A cell with a condition says what happens where it holds.
        func expected(_ cell: String) -> String {
            let parts = cell.split(separator: ", ", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { return cell }
            return holds.contains(parts[1]) ? parts[0] : "taken"
        }

        func outcome(without member: String) throws -> String {
            try outcome { $0[member] = nil }
        }

        func outcome(_ changes: JSONObject) throws -> String {
            try outcome { for member in changes.members { $0[member.name] = member.value } }
        }

        private func outcome(_ change: (inout JSONObject) -> Void) throws -> String {
            var payload = payload
            if let place {
                var inner = payload[place]?.object ?? JSONObject()
                change(&inner)
                payload[place] = .object(inner)
            } else {
                change(&payload)
            }
            return try RequirementTests.outcome(of: payload, kind)
        }
    }

    /// `taken`, or the class of the refusal.
    static func outcome(of payload: JSONObject, _ kind: AppStorePayloadKind) throws -> String {
        let text = try authority.sign(payload)
        let verifier = try Sandbox.verifier(authority, in: .sandbox)
        switch verifier.verify(text, as: kind, now: Sandbox.now) {
        case .refused(let refusal): return refusal.reason.rawValue
        case .verified(let statement):
            do {
                for draft in try AppStoreMapping(environment: .sandbox).events(
                    of: statement.document)
                {
                    _ = try EventValidator.canonical(draft)
                }
                return "taken"
            } catch let refusal as PayloadRefusal {
                return refusal.reason.rawValue
            } catch {
                return "\(error)"
            }
        }
    }

    /// As an operator's own authority would be.
    static let authority: SandboxAuthority = {
        do {
            return try Sandbox.authority(.unmarkedRoot)
        } catch {
            preconditionFailure("\(error)")
        }
    }()
}

extension RequirementTests.Base {
    private static let now = Sandbox.now
    private static let hour = Sandbox.hour

    private static let transaction: JSONObject = [
        "originalTransactionId": "2000000001", "transactionId": "2000000002",
        "webOrderLineItemId": "34343", "bundleId": .string(Sandbox.bundleID),
        "productId": "premium.monthly", "subscriptionGroupIdentifier": "55555",
        "purchaseDate": .integer(now - hour), "originalPurchaseDate": .integer(now - hour),
        "expiresDate": .integer(now + 24 * hour), "quantity": 1,
        "type": "Auto-Renewable Subscription", "appAccountToken": "ada",
        "inAppOwnershipType": "PURCHASED", "signedDate": .integer(now - hour),
        "isUpgraded": false, "offerType": 1, "offerIdentifier": "abc",
        "environment": "Sandbox", "storefront": "USA", "storefrontId": "143441",
        "transactionReason": "PURCHASE", "currency": "USD", "price": 8_990,
        "offerDiscountType": "PAY_AS_YOU_GO", "appTransactionId": "71134", "offerPeriod": "P1M",
        "advancedCommerceInfo": ["taxRate": "0.15"], "billingPlanType": "MONTHLY",
        "commitmentInfo": ["totalBillingPeriods": 12], "deviceVerification": "x",
        "deviceVerificationNonce": "y",
    ]

    private static var revoked: JSONObject {
        var revoked = transaction
        revoked["revocationDate"] = .integer(now - hour)
        revoked["revocationReason"] = 0
        revoked["revocationType"] = "REFUND_PRORATED"
        revoked["revocationPercentage"] = 50_000
        return revoked
    }

    private static func changed(_ members: JSONObject) -> JSONObject {
        var changed = transaction
        for member in members.members { changed[member.name] = member.value }
        return changed
    }

    private static let renewal: JSONObject = [
        "expirationIntent": 1, "originalTransactionId": "2000000001",
        "autoRenewProductId": "premium.yearly", "productId": "premium.monthly",
        "autoRenewStatus": 1, "isInBillingRetryPeriod": false, "priceIncreaseStatus": 0,
        "gracePeriodExpiresDate": .integer(now), "offerType": 2, "offerIdentifier": "abc",
        "signedDate": .integer(now - hour), "environment": "Sandbox",
        "recentSubscriptionStartDate": .integer(now - hour), "renewalDate": .integer(now + hour),
        "currency": "USD", "renewalPrice": 8_990, "offerDiscountType": "PAY_AS_YOU_GO",
        "eligibleWinBackOfferIds": ["a"], "appAccountToken": "ada", "appTransactionId": "71134",
        "offerPeriod": "P1M", "advancedCommerceInfo": ["taxRate": "0.15"],
        "commitmentInfo": ["commitmentAutoRenewStatus": 1], "renewalBillingPlanType": "MONTHLY",
        "deviceVerification": "x", "deviceVerificationNonce": "y",
    ]

    private static func notification(_ type: String, _ members: JSONObject) -> JSONObject {
        var payload: JSONObject = [
            "notificationType": .string(type), "version": "2.0",
            "notificationUUID": "002e14d5-51f5-4503-b5a8-c3a1af68eb20",
            "signedDate": .integer(now - hour),
        ]
        for member in members.members { payload[member.name] = member.value }
        return payload
    }

    private static func signed(_ payload: JSONObject) -> JSONValue {
        do {
            return .string(try RequirementTests.authority.sign(payload))
        } catch {
            preconditionFailure("\(error)")
        }
    }

    private static let data: JSONObject = [
        "environment": "Sandbox", "appAppleId": .integer(Sandbox.appAppleID),
        "bundleId": .string(Sandbox.bundleID), "bundleVersion": "1",
        "signedTransactionInfo": signed(transaction), "signedRenewalInfo": signed(renewal),
        "status": 1, "consumptionRequestReason": "LEGAL",
    ]
    private static let changes = notification(
        "DID_CHANGE_RENEWAL_STATUS",
        ["subtype": "AUTO_RENEW_DISABLED", "data": .object(data)])
    private static let download: JSONObject = [
        "receiptType": "Sandbox", "appAppleId": .integer(Sandbox.appAppleID),
        "bundleId": .string(Sandbox.bundleID), "applicationVersion": "2",
        "versionExternalIdentifier": 512, "receiptCreationDate": .integer(now - hour),
        "originalPurchaseDate": .integer(now - hour), "originalApplicationVersion": "1",
        "deviceVerification": "x", "deviceVerificationNonce": "y",
        "preorderDate": .integer(now - hour), "appTransactionId": "71134",
        "originalPlatform": "iOS", "requestDate": .integer(now - hour),
    ]

    static let all: [RequirementTests.Base] = [
        .init(
            name: "transaction", note: "a subscription", kind: .transaction,
            payload: transaction, holds: ["of what renews"]),
        .init(
            name: "transaction", note: "what never ends", kind: .transaction,
            payload: changed(["type": "Non-Consumable"]), members: ["expiresDate", "price"]),
        .init(
            name: "transaction", note: "a consumable", kind: .transaction,
            payload: changed(["type": "Consumable"]),
            members: ["expiresDate", "quantity", "price", "revocationDate"]),
        .init(
            name: "transaction", note: "taken back", kind: .transaction, payload: revoked,
            holds: ["of what renews", "beside a reason, type or percentage"]),
        .init(name: "renewal", kind: .renewal, payload: renewal),
        .init(name: "notification", kind: .notification, payload: changes),
        .init(name: "data", kind: .notification, payload: changes, place: "data"),
        .init(
            name: "summary", kind: .notification,
            payload: notification(
                "RENEWAL_EXTENSION",
                [
                    "subtype": "SUMMARY",
                    "summary": [
                        "requestIdentifier": "r", "environment": "Sandbox",
                        "appAppleId": .integer(Sandbox.appAppleID),
                        "bundleId": .string(Sandbox.bundleID), "productId": "premium.monthly",
                        "storefrontCountryCodes": ["USA"], "succeededCount": 5, "failedCount": 2,
                    ],
                ]), place: "summary"),
        .init(
            name: "externalPurchaseToken", kind: .notification,
            payload: notification(
                "EXTERNAL_PURCHASE_TOKEN",
                [
                    "subtype": "CREATED",
                    "externalPurchaseToken": [
                        "externalPurchaseId": "SANDBOX_1",
                        "tokenCreationDate": .integer(now),
                        "appAppleId": .integer(Sandbox.appAppleID),
                        "bundleId": .string(Sandbox.bundleID), "tokenType": "SERVICES",
                        "tokenExpirationDate": .integer(now),
                    ],
                ]), place: "externalPurchaseToken", holds: ["in the sandbox"]),
        .init(
            name: "appData", kind: .notification,
            payload: notification(
                "RESCIND_CONSENT",
                [
                    "appData": [
                        "appAppleId": .integer(Sandbox.appAppleID),
                        "bundleId": .string(Sandbox.bundleID), "environment": "Sandbox",
                        "signedAppTransactionInfo": signed(download),
                    ]
                ]), place: "appData"),
        .init(
            name: "app transaction", kind: .appTransaction, payload: download,
            members: Set(download.members.map(\.name))),
        .init(
            name: "app transaction", note: "with both dates", kind: .appTransaction,
            payload: {
                var other = download
                other["signedDate"] = other["receiptCreationDate"]
                return other
            }(), members: ["signedDate"]),
    ]
}
