import DaybookEvents
import DaybookIngest
import Foundation
import Testing

/// Payloads read without loss.
@Suite("Apple's models", .enabled(if: SharedVectors.areThere, "\(SharedVectors.absence)"))
struct AppleModelTests {
    @Test("Every model comes back as it was", arguments: SharedVectors.names(in: "apple/models"))
    func lossless(_ name: String) throws {
        let bytes = try SharedVectors.bytes("apple/models/\(name)")
        let value = try JSONReader.read(bytes)
        #expect(try JSONReader.read(value.canonicalBytes) == value)
        // Another reader finds in both the same.
        let before = try JSONSerialization.jsonObject(with: Foundation.Data(bytes)) as? NSObject
        let after =
            try JSONSerialization.jsonObject(with: Foundation.Data(value.canonicalBytes))
            as? NSObject
        #expect(before != nil && before == after)
    }

    @Test("There are as many as were counted") func count() {
        #expect(SharedVectors.names(in: "apple/models").count == 75)
    }

    func model(_ name: String) throws -> JSONObject {
        try SharedVectors.object("apple/models/\(name).json")
    }

    @Test("Every member of a transaction is known and readable")
    func transactions() throws {
        for name in ["signedTransaction", "signedTransactionWithRevocation"] {
            let read = AppStoreTransaction(members: try model(name))
            #expect(read.unknownMembers == [] && read.unreadableMembers == [])
        }
        let read = AppStoreTransaction(members: try model("signedTransaction"))
        #expect(read.id == "23456" && read.originalID == "12345")
        #expect(read.webOrderLineItemID == "34343" && read.appTransactionID == "71134")
        #expect(read.appAccountToken == "7e3fb20b-4cdb-47cc-936d-99d65f608138")
        #expect(read.bundleID == "com.example" && read.productID == "com.example.product")
        #expect(read.groupID == "55555" && read.quantity == 1 && read.isUpgraded == true)
        #expect(read.type == .known(.autoRenewable) && read.ownership == .known(.purchased))
        #expect(read.environment == .known(.localTesting) && read.reason == .known(.purchase))
        #expect(read.purchasedAt == 1_698_148_900_000 && read.signedAt == 1_698_148_900_000)
        #expect(read.originallyPurchasedAt == 1_698_148_800_000)
        #expect(read.expiresAt == 1_698_149_000_000 && read.revokedAt == 1_698_148_950_000)
        #expect(read.price == 10_990 && read.currency == "USD")
        #expect(read.offerType == .known(.introductory) && read.offerID == "abc.123")
        #expect(read.offerDiscount == .known(.payAsYouGo) && read.offerPeriod == "P1Y")
        #expect(read.revocationReason == .known(.appIssue) && read.billingPlan == .known(.monthly))
        #expect(read.storefront == "USA" && read.storefrontID == "143441")
        #expect(read.commitment?["commitmentPrice"] == 119_880)
        #expect(read.advancedCommerce?["taxRate"] == "0.15")
        let revoked = AppStoreTransaction(members: try model("signedTransactionWithRevocation"))
        #expect(revoked.revocationType == .known(.refundProrated))
        #expect(revoked.revocationPercentage == 50_000)
    }

    @Test("Every member of a renewal info is known and readable")
    func renewals() throws {
        let read = AppStoreRenewal(members: try model("signedRenewalInfo"))
        #expect(read.unknownMembers == [] && read.unreadableMembers == [])
        #expect(read.originalID == "12345" && read.appTransactionID == "71134")
        #expect(read.productID == "com.example.product")
        #expect(read.autoRenewProductID == "com.example.product.2")
        #expect(read.autoRenewStatus == .known(.on) && read.isInBillingRetry == true)
        #expect(read.expirationIntent == .known(.customerCanceled))
        #expect(read.priceIncreaseStatus == .known(.notAnswered))
        #expect(read.graceExpiresAt == 1_698_148_900_000 && read.renewsAt == 1_698_148_850_000)
        #expect(read.continuousSince == 1_698_148_800_000 && read.signedAt == 1_698_148_800_000)
        #expect(read.renewalPrice == 9_990 && read.currency == "USD")
        #expect(read.offerType == .known(.promotional) && read.offerID == "abc.123")
        #expect(read.offerDiscount == .known(.payAsYouGo) && read.offerPeriod == "P1Y")
        #expect(read.eligibleWinBackOfferIDs == ["eligible1", "eligible2"])
        #expect(read.billingPlan == .known(.monthly) && read.environment == .known(.localTesting))
        #expect(read.commitment?["commitmentAutoRenewStatus"] == 1)
    }

    @Test("Every member of each form of a notification is known and readable")
    func notifications() throws {
        for name in [
            "signedNotification", "signedConsumptionRequestNotification",
            "signedSummaryNotification", "signedRescindConsentNotification",
            "signedExternalPurchaseTokenNotification",
            "signedExternalPurchaseTokenSandboxNotification",
        ] {
            let read = AppStoreNotification(members: try model(name))
            #expect(read.unknownMembers == [] && read.unreadableMembers == [], "\(name)")
            #expect(read.type?.known != nil && read.version == "2.0")
            #expect(read.uuid == "002e14d5-51f5-4503-b5a8-c3a1af68eb20")
            #expect(read.signedAt == 1_698_148_900_000)
            let inner: [(any AppStorePayload)?] = [
                read.data, read.summary, read.externalPurchaseToken, read.appData,
            ]
            #expect(inner.compactMap(\.self).count == 1, "\(name)")
            for payload in inner.compactMap(\.self) {
                #expect(payload.unknownMembers == [] && payload.unreadableMembers == [], "\(name)")
            }
        }
        let data = AppStoreNotification(members: try model("signedConsumptionRequestNotification"))
            .data
        #expect(data?.status == .known(.active) && data?.appAppleID == 41_234)
        #expect(data?.consumptionRequestReason == .known(.unintendedPurchase))
        #expect(
            data?.bundleVersion == "1.2.3" && data?.signedRenewal == "signed_renewal_info_value")
        let summary = AppStoreNotification(members: try model("signedSummaryNotification")).summary
        #expect(summary?.storefronts == ["CAN", "USA", "MEX"])
        #expect(summary?.succeededCount == 5 && summary?.failedCount == 2)
        let consent = AppStoreNotification(members: try model("signedRescindConsentNotification"))
        #expect(consent.appData?.signedAppTransaction == "signed_app_transaction_info_value")
    }

    @Test("Every member of an app transaction is known and readable")
    func appTransactions() throws {
        let read = AppStoreAppTransaction(members: try model("appTransaction"))
        #expect(read.unknownMembers == [] && read.unreadableMembers == [])
        #expect(read.id == "71134" && read.appAppleID == 531_412 && read.versionExternalID == 512)
        #expect(read.environment == .known(.localTesting) && read.originalPlatform == "iOS")
        #expect(read.signedAt == 1_698_148_900_000 && read.preorderedAt == 1_698_148_700_000)
    }

    @Test("Mock and Xcode payloads lose nothing either")
    func signed() throws {
        let mocks = SharedVectors.names(in: "apple/mock_signed_data").map {
            "mock_signed_data/\($0)"
        }
        let local = SharedVectors.names(in: "apple/xcode").map { "xcode/\($0)" }
        var count = 0
        for path in mocks + local {
            let text = String(decoding: try SharedVectors.bytes("apple/\(path)"), as: UTF8.self)
            let parts = Sandbox.parts(text)
            guard parts.count == 3 else { continue }
            count += 1
            let bytes = try #require(Base64.decode(parts[1], .url))
            let members = try #require(try JSONReader.read(bytes).object)
            #expect(try JSONReader.read(members.canonicalBytes) == .object(members))
            if path.hasSuffix("app-transaction") {
                let read = AppStoreAppTransaction(members: members)
                #expect(read.unknownMembers == [] && read.unreadableMembers == [])
                // The year 1, and milliseconds with a fraction.
                #expect(read.originallyPurchasedAt == -62_135_769_600_000)
                #expect(read.signedAt == 1_697_680_122_257)
            } else if path.hasSuffix("signed-transaction") || path.hasSuffix("transactionInfo") {
                let read = AppStoreTransaction(members: members)
                #expect(read.unknownMembers == [] && read.unreadableMembers == [])
            } else if path.lowercased().contains("renewal") {
                let read = AppStoreRenewal(members: members)
                #expect(read.unknownMembers == [] && read.unreadableMembers == [])
            }
        }
        #expect(count == 8)
    }
}

@Suite("Reading payloads")
struct PayloadTests {
    @Test("The documented members are all there: 33 of a transaction, 24 of a renewal")
    func fields() {
        // Two more stand in what the device gets.
        #expect(AppStoreTransaction.fields.count == 33 + 2)
        #expect(AppStoreRenewal.fields.count == 24 + 2)
        for fields in [
            AppStoreTransaction.fields, AppStoreRenewal.fields, AppStoreNotification.fields,
            AppStoreAppTransaction.fields,
        ] { #expect(Set(fields.map(\.name)).count == fields.count) }
    }

    @Test(
        "Milliseconds lose their fraction, towards zero, and never their exactness",
        arguments: [
            ("1697679936056.485", 1_697_679_936_056),
            ("1697679936056.999999999", 1_697_679_936_056),
            ("0", 0), ("-0", 0), ("-0.9", 0), ("-62135769600000", -62_135_769_600_000),
            ("-62135769600000.9", -62_135_769_600_000),
            ("9007199254740993.5", 9_007_199_254_740_993),
            ("1.697679936056485e12", 1_697_679_936_056), ("1.5E+3", 1_500), ("1500e-3", 1),
            ("15e-4", 0), ("0.0000001e9", 100), ("9223372036854775807.9", .max),
            ("-9223372036854775808.9", .min), ("9223372036854775808", nil), ("1e19", nil),
            ("1e400", nil), ("0e400", 0), ("1e401", nil), ("\"1697679936056\"", nil),
            ("true", nil), ("null", nil), ("[1]", nil),
        ] as [(String, Int64?)])
    func milliseconds(_ text: String, _ expected: Int64?) throws {
        let read = AppStoreTransaction(members: [
            "purchaseDate": try JSONReader.read(Array(text.utf8))
        ])
        #expect(read.purchasedAt == expected)
        #expect(
            read.unreadableMembers == (expected == nil && text != "null" ? ["purchaseDate"] : []))
    }

    @Test("Money is whole thousandths in any currency; a fraction is not guessed at")
    func money() throws {
        for (text, expected) in [
            ("8990", 8_990), ("0", 0), ("8990.0", 8_990), ("8.99e3", 8_990), ("\"8990\"", 8_990),
            ("9223372036854775807", .max), ("8990.5", nil), ("\"8,990\"", nil), ("\"+1\"", nil),
            ("\" 1\"", nil), ("\"01\"", nil), ("1e30", nil), ("true", nil),
        ] as [(String, Int64?)] {
            for currency in ["USD", "JPY", "KWD", "XXX"] {
                let read = AppStoreTransaction(members: [
                    "price": try JSONReader.read(Array(text.utf8)), "currency": .string(currency),
                ])
                #expect(read.price == expected, "\(text)")
                #expect(read.currency == currency)
                #expect(read.unreadableMembers == (expected == nil ? ["price"] : []))
            }
        }
    }

    @Test("Ids are text, also where they were sent as numbers")
    func ids() throws {
        for (text, expected) in [
            ("\"2000000001\"", "2000000001"), ("2000000001", "2000000001"), ("\"007\"", "007"),
            ("123456789012345678901234567890", "123456789012345678901234567890"), ("\"\"", ""),
            ("1.5", nil), ("-1.5", nil), ("1e3", nil), ("true", nil), ("{}", nil),
        ] as [(String, String?)] {
            let value = try JSONReader.read(Array(text.utf8))
            let read = AppStoreTransaction(members: ["transactionId": value])
            #expect(read.id == expected, "\(text)")
            #expect(read.members["transactionId"] == value)
        }
        let notification = AppStoreNotification(members: ["data": ["appAppleId": "41234"]])
        #expect(notification.data?.appAppleID == 41_234)
    }

    @Test("What is not known is kept raw and listed")
    func unknown() {
        let read = AppStoreTransaction(members: [
            "type": "Lease", "offerType": 9, "inAppOwnershipType": "LENT", "revocationReason": 7,
            "environment": "Moon", "shipping": ["speed": 3], "zebra": nil, "quantity": "many",
        ])
        #expect(read.type == .unknown("Lease") && read.type?.raw == "Lease")
        #expect(read.type?.known == nil && read.offerType == .unknown(9))
        #expect(read.ownership == .unknown("LENT") && read.revocationReason == .unknown(7))
        #expect(read.environment == .unknown("Moon"))
        #expect(read.unknownMembers == ["shipping", "zebra"])
        #expect(read.unreadableMembers == ["quantity"] && read.quantity == nil)
        #expect(read.members["shipping"] == ["speed": 3] && read.members["quantity"] == "many")
        let notification = AppStoreNotification(members: [
            "notificationType": "COMES_LATER", "subtype": "SOMEHOW",
        ])
        #expect(notification.type == .unknown("COMES_LATER"))
        #expect(notification.subtype == .unknown("SOMEHOW"))
    }
}
