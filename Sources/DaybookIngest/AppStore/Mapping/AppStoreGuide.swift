/// The table of what each notification is called here, for the documents: made of the code that maps them.
public enum AppStoreGuide {
    /// Every documented pair of type and subtype (App Store Server Notifications V2).
    static let pairs: [(AppStoreNotificationType, [AppStoreNotificationSubtype?])] = [
        (.subscribed, [.initialBuy, .resubscribe]), (.didRenew, [nil, .billingRecovery]),
        (.didFailToRenew, [.gracePeriod, nil]), (.gracePeriodExpired, [nil]),
        (.expired, [.voluntary, .billingRetry, .priceIncrease, .productNotForSale, nil]),
        (.didChangeRenewalStatus, [.autoRenewDisabled, .autoRenewEnabled]),
        (.didChangeRenewalPref, [.upgrade, .downgrade, nil]),
        (.offerRedeemed, [nil, .upgrade, .downgrade]), (.priceIncrease, [.pending, .accepted]),
        (.oneTimeCharge, [nil]), (.refund, [nil]), (.refundDeclined, [nil]),
        (.refundReversed, [nil]), (.revoke, [nil]), (.consumptionRequest, [nil]),
        (.renewalExtended, [nil]), (.renewalExtension, [.summary, .failure]),
        (.rescindConsent, [nil]),
        (.externalPurchaseToken, [.created, .activeTokenReminder, .unreported]),
        (.priceChange, [nil]), (.metadataUpdate, [nil]), (.migration, [nil]), (.test, [nil]),
    ]

    /// Rows of Markdown: type, subtype, our event with what the subtype says, when it counts as having happened.
    public static var table: String {
        var lines = [
            "| notification | subtype | event | says | happened |", "|---|---|---|---|---|",
        ]
        for (type, subtypes) in pairs {
            for subtype in subtypes {
                let meaning = AppStoreMeaning.named(type, subtype)
                let says = meaning.words.members.map { member in
                    "`\(member.name)`: \(member.value.text ?? (member.value.bool == true ? "yes" : "no"))"
                }
                let happened =
                    switch meaning.moment {
                    case .charge: "when charged, or announced if earlier"
                    case .revocation: "at the revocation date"
                    case .notice: "when signed"
                    }
                lines.append(
                    "| \(type.rawValue) | \(subtype?.rawValue ?? "") | `\(meaning.type)` | \(says.joined(separator: ", ")) | \(happened) |"
                )
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
