extension CatalogReading {
    /// The whole document, section by section, in the order of the model.
    func catalog(_ root: CatalogNode) -> Catalog {
        let fields = CatalogFields(root, self)
        guard case .map = root.content else { return Catalog(app: "") }
        fields.require("app", "Write the app's name: `app: my-app`.")
        var catalog = Catalog(app: fields.text("app") ?? "")
        checkAppName(catalog.app, at: fields.place(of: "app"))
        catalog.title = fields.prose("title") ?? catalog.app
        if let locale = fields.text("defaultLocale") {
            checkLocale(locale, at: fields.place(of: "defaultLocale"))
            catalog.defaultLocale = locale
        }
        if let zone = fields.text("defaultTimeZone") {
            checkTimeZone(zone, at: fields.place(of: "defaultTimeZone"))
            catalog.defaultTimeZone = zone
        }
        forbiddenWords = fields.texts("forbiddenWords").map(\.text)
        catalog.groups = groups(fields)
        catalog.products = products(fields)
        catalog.entitlements = entitlements(fields)
        catalog.features = features(fields)
        catalog.meters = meters(fields)
        checkGates(catalog)
        catalog.freePeriods = freePeriods(fields)
        catalog.ads = ads(fields)
        catalog.copy = copy(fields, defaultLocale: catalog.defaultLocale)
        catalog.paywalls = paywalls(fields)
        catalog.statuses = statuses(fields)
        catalog.flags = flags(fields)
        if fields.has("activity") { catalog.activity = activity(fields) }
        catalog.funnels = funnels(fields)
        catalog.kpis = kpis(fields)
        catalog.eventNames = eventNames(fields)
        catalog.experiments = experiments(fields)
        catalog.promotions = promotions(fields)
        catalog.calls = calls(fields)
        catalog.policies = policies(fields)
        catalog.metadata = metadata(fields)
        fields.finish()
        return catalog
    }

    /// Reads a map of named things, each with its own fields, in document order.
    func named<Value>(
        _ section: String, of fields: CatalogFields, as kind: CatalogNameKind? = nil,
        _ read: (_ name: String, _ fields: CatalogFields) -> Value?
    ) -> [Value] {
        fields.map(section).compactMap { entry in
            if let kind { define(entry.key, as: kind, at: entry.place) }
            var node = entry.value
            if node.isNull { node.place = entry.place }
            let inner = CatalogFields(node, self)
            let value = read(entry.key, inner)
            inner.finish()
            return value
        }
    }

    private func groups(_ fields: CatalogFields) -> [SubscriptionGroup] {
        fields.texts("groups").map { name, place in
            if definitions[.group]?[name] != nil {
                report("The group `\(name)` stands twice.", "Remove one.", at: place)
            }
            define(name, as: .group, at: place)
            return SubscriptionGroup(name: name)
        }
    }

    private func metadata(_ fields: CatalogFields) -> [String: String] {
        var metadata: [String: String] = [:]
        for entry in fields.map("metadata") {
            guard let text = entry.value.text(self) else { continue }
            otherTexts.append((text, entry.value.place))
            metadata[entry.key] = text
        }
        return metadata
    }

    private func checkAppName(_ name: String, at place: CatalogPlace) {
        let isName = name.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "-")
        }
        // An absent name has been reported already.
        guard !isName || name.utf8.count > 64 else { return }
        report(
            "`\(name)` is no app name.",
            "Use up to 64 lower-case letters, digits and hyphens; it names a folder and a file.",
            at: place)
    }

    /// Checks a name that is a part of paths or keys.
    func checkPathName(_ name: String, _ what: String, at place: CatalogPlace) {
        guard name.isEmpty || name.utf8.count > 64 || name.utf8.contains(UInt8(ascii: "/")) else {
            return
        }
        report(
            "`\(name)` is no name of a \(what).", "Write 1 to 64 bytes without a slash.", at: place)
    }

    /// Checks the shape of a language tag such as `nl`, `en-GB` or `zh-Hans`.
    func checkLocale(_ locale: String, at place: CatalogPlace) {
        let parts = locale.split(separator: "-", omittingEmptySubsequences: false)
        let isASCII = parts.allSatisfy { part in
            (2...8).contains(part.utf8.count)
                && part.utf8.allSatisfy {
                    $0 < 0x80 && Character(Unicode.Scalar($0)).isLetterOrDigit
                }
        }
        guard !isASCII || (parts.first?.utf8.count ?? 0) > 3 else { return }
        report(
            "`\(locale)` is no locale.", "Write a language tag such as en, nl or pt-BR.",
            at: place)
    }

    /// Checks the shape, and whether the zone exists where that is known: a name without a table would silently mean
    /// UTC.
    private func checkTimeZone(_ zone: String, at place: CatalogPlace) {
        let parts = zone.split(separator: "/", omittingEmptySubsequences: false)
        let isZone =
            zone == "UTC"
            || parts.count > 1
                && parts.allSatisfy { part in
                    !part.isEmpty
                        && part.utf8.allSatisfy { byte in
                            byte < 0x80
                                && (Character(Unicode.Scalar(byte)).isLetterOrDigit
                                    || "_-+".utf8.contains(byte))
                        }
                }
        if isZone {
            guard let zones, !zones.exists(zone) else { return }
            return report(
                "There is no time zone `\(zone)`.", nearest: zone, among: zones.names(),
                otherwise: "Write UTC or an IANA name such as Europe/Amsterdam.", at: place)
        }
        report(
            "`\(zone)` is no time zone.", "Write UTC or an IANA name such as Europe/Amsterdam.",
            at: place)
    }
}

extension Character {
    fileprivate var isLetterOrDigit: Bool { isLetter || isNumber }
}
