import DaybookDomain

/// Writes a catalog document (docs/catalog.md) of what a configuration file sells.
struct StoreKitCatalogText {
    let app: String
    let settings: StoreKitSettings
    let products: StoreKitProducts

    private typealias Texts = [(locale: String, text: String)]

    var text: String {
        var lines = [
            "# From a StoreKit configuration. Prices are in \(settings.currency), the currency of the storefront"
                + " \(Self.scalar(settings.storefront)).",
            "# Which features a product opens is not in such a file: add entitlements.",
            "app: \(Self.scalar(app))", "defaultLocale: \(Self.scalar(defaultLocale))",
        ]
        if !products.groups.isEmpty {
            lines += ["", "groups:"] + products.groups.map { "  - \(Self.scalar($0))" }
        }
        if !products.products.isEmpty {
            // A map of nothing but comments is no map.
            let isEmpty = products.products.allSatisfy(\.isIncomplete)
            lines += ["", isEmpty ? "products: {}" : "products:"]
            lines += products.products.flatMap(product)
        }
        let copy = products.products.filter { !$0.isIncomplete }.flatMap(copy)
        if !copy.isEmpty { lines += ["", "copy:"] + copy }
        return lines.joined(separator: "\n") + "\n"
    }

    /// That of the test store where some text has it, else that of the first text.
    private var defaultLocale: String {
        let locales = products.products.flatMap { ($0.names + $0.descriptions).map(\.locale) }
        return locales.contains(settings.locale) ? settings.locale : locales.first ?? "en"
    }

    private func product(_ product: StoreKitProduct) -> [String] {
        var lines = ["  \(Self.scalar(product.id)):", "    kind: \(product.kind.rawValue)"]
        func add(_ key: String, _ value: String?) {
            if let value { lines.append("    \(key): \(value)") }
        }
        add("group", product.group.map(Self.scalar))
        if product.group != nil { add("level", String(product.level)) }
        add("period", product.period)
        if product.isIncomplete { add("duration", "P?") }
        add("referenceName", product.referenceName.map(Self.scalar))
        if !product.isIncomplete {
            add("displayName", product.names.isEmpty ? nil : Self.scalar(nameKey(product)))
            add(
                "displayDescription",
                product.descriptions.isEmpty ? nil : Self.scalar(descriptionKey(product)))
        }
        if let price = product.price {
            lines += ["    prices:", "      regular: \(price) \(settings.currency)"]
        }
        add(
            "introOffer",
            product.introOffer.map { "{ kind: \($0.kind.rawValue), duration: \($0.duration) }" })
        if product.isFamilyShareable { add("familyShareable", "true") }
        return product.isIncomplete ? lines.map { "  #" + $0.dropFirst(2) } : lines
    }

    private func nameKey(_ product: StoreKitProduct) -> String { "product.\(product.id).name" }

    private func descriptionKey(_ product: StoreKitProduct) -> String {
        "product.\(product.id).description"
    }

    private func copy(_ product: StoreKitProduct) -> [String] {
        entry(nameKey(product), product.names)
            + entry(descriptionKey(product), product.descriptions)
    }

    private func entry(_ key: String, _ texts: Texts) -> [String] {
        if texts.isEmpty { return [] }
        if texts.count == 1, texts[0].locale == defaultLocale {
            return ["  \(Self.scalar(key)): \(Self.scalar(texts[0].text))"]
        }
        return ["  \(Self.scalar(key)):"]
            + texts.map { "    \(Self.scalar($0.locale)): \(Self.scalar($0.text))" }
    }

    // MARK: Scalars

    /// Words that YAML or a hasty reader takes for something else than text.
    private static let words: Set<String> = [
        "true", "false", "yes", "no", "on", "off", "null", "nan", "inf", "y", "n",
    ]

    /// Text as YAML: as it is where it cannot be mistaken, else in double quotes.
    static func scalar(_ text: String) -> String {
        let isPlain =
            text.utf8.allSatisfy { byte in
                byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26
                    || " ._-/()".utf8.contains(byte)
            }
            && text.utf8.first.map { ($0 | 0x20) &- UInt8(ascii: "a") < 26 } == true
            && text.utf8.last != UInt8(ascii: " ") && !words.contains(text.lowercased())
        return isPlain ? text : quoted(text)
    }

    /// YAML 1.2 §5.7. `&` and `*` before a letter are escaped too: catalogs know no anchors, and look for them
    /// before they know what is quoted.
    private static func quoted(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case "\t": out += "\\t"
            case "&", "*": out += scalar == "&" ? "\\x26" : "\\x2A"
            case _ where isUnprintable(scalar): out += escape(scalar)
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }

    private static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x2029, 0xFEFF, 0xFFFE...0xFFFF: true
        default: false
        }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
