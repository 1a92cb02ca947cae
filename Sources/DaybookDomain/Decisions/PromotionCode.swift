public import DaybookEvents

/// A code of a promotion: twelve symbols that cannot be made without the ledger's secret.
///
/// ```
/// 60 bits    17 bits number ‖ 43 bits of HMAC-SHA-256(secret, "promotion/<environment>/<name>/<number>")
/// text       Crockford's base32 in three groups, 0AB3-K7QZ-MX29; letters in any case, o is 0, i and l are 1
/// ```
/// So no list of a batch must be kept: the same codes can be written again at any time. The number stands in
/// the code; a guess hits the code of a chosen number once in 2^43.
public struct PromotionCode: Sendable, Equatable {
    /// Of the batch, from 1 on.
    public var number: Int64
    /// Three groups of four symbols in capitals: `0AB3-K7QZ-MX29`.
    public var text: String

    private static let symbols = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let macBits: UInt64 = 43

    /// - Parameter number: 1 to `Promotion.codesMax`.
    public init(
        _ number: Int64, of promotion: String, in environment: Environment, secret: LedgerSecret
    ) {
        self.number = number
        let mac = Self.mac(number, promotion, environment, secret)
        let bits = UInt64(number) << Self.macBits | mac
        var symbols: [UInt8] = []
        for index in 0..<12 {
            if index > 0, index % 4 == 0 { symbols.append(UInt8(ascii: "-")) }
            symbols.append(Self.symbols[Int(bits >> UInt64(55 - 5 * index) & 31)])
        }
        text = String(decoding: symbols, as: UTF8.self)
    }

    /// The number that a text states as a code of this promotion, however many codes it has; `nil`: it is none of them.
    public static func number(
        in text: String, of promotion: String, in environment: Environment, secret: LedgerSecret
    ) -> Int64? {
        guard let bits = bits(text) else { return nil }
        let number = Int64(bits >> macBits)
        guard number >= 1, number <= Promotion.codesMax,
            mac(number, promotion, environment, secret) == bits & (1 << macBits - 1)
        else { return nil }
        return number
    }

    private static func mac(
        _ number: Int64, _ promotion: String, _ environment: Environment, _ secret: LedgerSecret
    ) -> UInt64 {
        let text = "promotion/\(environment.name)/\(promotion)/\(number)"
        return Digest.hmacPrefix(Array(text.utf8), key: secret.bytes) >> (64 - macBits)
    }

    /// The 60 bits of twelve symbols; hyphens and spaces mean nothing.
    private static func bits(_ text: String) -> UInt64? {
        var bits: UInt64 = 0
        var count = 0
        for byte in text.uppercased().utf8 {
            let symbol: UInt8
            switch byte {
            case UInt8(ascii: "-"), UInt8(ascii: " "): continue
            case UInt8(ascii: "O"): symbol = UInt8(ascii: "0")
            case UInt8(ascii: "I"), UInt8(ascii: "L"): symbol = UInt8(ascii: "1")
            default: symbol = byte
            }
            guard count < 12, let value = symbols.firstIndex(of: symbol) else { return nil }
            bits = bits << 5 | UInt64(value)
            count += 1
        }
        return count == 12 ? bits : nil
    }
}

/// A code that a customer wants to redeem, and what the ledger knows of it.
public struct PromotionCase: Sendable {
    /// Of the promotion.
    public var name: String
    /// Of the code within its promotion, from 1 on.
    public var number: Int64
    /// What the catalog in force for the customer gives for it; `nil`: the promotion is gone or has fewer codes.
    public var promotion: Promotion?
    /// The customer who redeemed it; `nil`: none yet.
    public var redeemedBy: String?
    /// The profile that it serves since.
    public var redeemedFor: String?

    /// Creates a case for which neither what the code gives nor who redeemed it is known yet.
    public init(name: String, number: Int64) {
        self.name = name
        self.number = number
    }

    /// `name/number`: the key of the event that redeems the code, so that it is redeemed once.
    public var key: String { "\(name)/\(number)" }
}

/// Decides what a code gives.
struct PromotionDecider {
    let decider: Decider
    let check: Check

    func redeem() throws(Rejection) -> Verdict {
        guard let asked = decider.promotion else { throw .unknownCode }
        if let other = asked.redeemedBy { return try repeated(asked, by: other) }
        guard let promotion = asked.promotion else { throw .unknownCode }
        if let until = promotion.redeemableUntil, decider.now >= until {
            throw .promotionOver(promotion: promotion.name, until: until)
        }
        guard let entitlement = check.catalog.entitlement(promotion.entitlement) else {
            throw .unknownName(name: promotion.entitlement, nearest: nil)
        }
        let id = "promotion/\(asked.key)"
        let grants = decider.context.state.customer.grants
        if grants.contains(where: { $0.id == Reference(id) }) { throw .grantExists(id) }
        var data: JSONObject = [
            "grant_id": .string(id), "entitlement": .string(entitlement.name), "reason": "promo",
            "starts_at": .integer(decider.now), "unlimited": true,
        ]
        if let duration = promotion.duration {
            let zone = decider.context.zoneHistory(check.catalog).zone(at: decider.now)
            data["expires_at"] = .integer(zone.adding(duration, to: decider.now))
        }
        var draft = decider.event(.grantIssued, data)
        draft.profile = try profile(promotion)
        draft.source = EventSource(kind: EventSource.promotion, key: asked.key)
        return Verdict(events: [draft])
    }

    /// The same customer again changes nothing; another one, or another profile, is refused.
    private func repeated(
        _ asked: PromotionCase, by other: String
    ) throws(Rejection) -> Verdict {
        let isTheirs = (decider.person + [decider.request.subject]).contains {
            haveSameBytes($0, other)
        }
        guard isTheirs else { throw .codeRedeemed(promotion: asked.name) }
        if let profile = asked.redeemedFor, let wanted = decider.request.profile,
            !haveSameBytes(profile, wanted)
        {
            throw .codeServes(promotion: asked.name, profile: profile)
        }
        return Verdict(events: [], isRepeated: true)
    }

    private func profile(_ promotion: Promotion) throws(Rejection) -> String? {
        guard promotion.scope == .profile else { return nil }
        guard let profile = decider.request.profile else {
            throw .profileNeeded(promotion: promotion.name)
        }
        let isLiving = check.entitlements.profiles.contains {
            $0.profile == profile && !$0.isDeleted
        }
        guard isLiving else { throw .unknownProfile(profile) }
        return profile
    }
}
