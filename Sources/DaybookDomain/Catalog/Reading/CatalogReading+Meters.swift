import DaybookEvents

extension CatalogReading {
    func meters(_ fields: CatalogFields) -> [Meter] {
        let meters = named("meters", of: fields, as: .meter) { name, fields -> Meter? in
            if name.hasPrefix("preview.") {
                report(
                    "Meters that begin with `preview.` are made from `previewUses`.",
                    "Choose another name.", at: fields.place)
            }
            fields.require("kind", "Write `kind: counter`, `gauge`, `window` or `reading`.")
            guard let kind: Meter.Kind = fields.choice("kind") else {
                _ = meter(name, .counter, fields)
                return nil
            }
            checkFields(of: kind, fields)
            return meter(name, kind, fields)
        }
        defineAliases(as: .meter)
        checkCredits(meters)
        checkGauges(meters)
        return meters
    }

    private func meter(_ name: String, _ kind: Meter.Kind, _ fields: CatalogFields) -> Meter {
        var meter = Meter(name: name, kind: kind)
        meter.aliases = aliases(of: name, fields)
        meter.period = period(fields)
        fields.require("limit", "Write the free limit, or `limit: unlimited`.")
        meter.limit = limit(fields)
        meter.limitsWith = limitsWith(fields)
        meter.requires = fields.reference("requires", .feature)
        gatePlaces[name] = fields.place(of: "requires")
        meter.withinGauge = fields.reference("withinGauge", .meter)
        if meter.withinGauge != nil { gaugePlaces[name] = fields.place(of: "withinGauge") }
        meter.windowMode = fields.choice("windowMode") ?? .rollingMilliseconds
        meter.countsProfiles = fields.text("countsProfiles")
        meter.enforcement = fields.choice("enforcement") ?? .hard
        meter.reservationTimeoutMilliseconds = fields.exactDuration("reservationTimeout") ?? 600_000
        meter.recordsDenials = fields.flag("recordsDenials") ?? false
        meter.resetsOnPlanChange = fields.flag("resetsOnPlanChange") ?? false
        meter.allowsDebt = fields.flag("allowsDebt") ?? false
        meter.eventLabel = fields.prose("eventLabel")
        unitCost(&meter, fields)
        meter.statusText = fields.reference("statusText", .copyKey)
        meter.limitReachedTitle = fields.reference("limitReachedTitle", .copyKey)
        meter.limitReachedText = fields.reference("limitReachedText", .copyKey)
        meter.unlimitedText = fields.reference("unlimitedText", .copyKey)
        meter.paywallContext = fields.reference("paywallContext", .paywall)
        return meter
    }

    private func checkFields(of kind: Meter.Kind, _ fields: CatalogFields) {
        let counting = [
            "period", "anchor", "reservationTimeout", "resetsOnPlanChange", "allowsDebt",
        ]
        switch kind {
        case .counter:
            fields.refuse(["windowMode", "countsProfiles"], because: "the meter is a counter")
        case .gauge:
            fields.refuse(
                counting + ["windowMode"], because: "a gauge says how many there are now")
        case .window:
            fields.refuse(
                counting + ["countsProfiles", "eventLabel", "unitCost"],
                because: "a window counts nothing, it says how far back one may look")
        case .reading:
            fields.refuse(
                counting + ["countsProfiles", "windowMode", "withinGauge", "unitCost"],
                because: "a reading counts nothing, it holds what was read last")
        }
    }

    /// `period: P3M` with `anchor`, or one of three words that say both.
    private func period(_ fields: CatalogFields) -> Meter.Period {
        let text = fields.text("period") ?? "lifetime"
        let words: [String: Meter.Period] = [
            "lifetime": .lifetime, "calendarMonth": .calendarMonth, "anniversary": .anniversary,
        ]
        if let period = words[text] {
            // Asked for, so that it is known as a key.
            if fields.node("anchor") != nil {
                let reason =
                    period == .lifetime
                    ? "the counter never begins anew" : "`\(text)` says what it is counted from"
                fields.refuse(["anchor"], because: reason)
            }
            return period
        }
        guard let length = CivilDuration(iso8601: text).flatMap(PeriodLength.init) else {
            _ = anchor(fields)
            let near = nearest(to: text, among: words.keys).map { "Did you mean `\($0)`? " } ?? ""
            fields.report(
                "`\(text)` is no period.",
                "\(near)Write lifetime, calendarMonth, anniversary, or an ISO 8601 length of one unit from an hour to a hundred years: P1D, P2W, P3M, P1Y, PT720H.",
                at: "period")
            return .lifetime
        }
        let isExact = length.unit == .milliseconds
        let anchor = anchor(fields) ?? (isExact ? .firstSeen : .calendar)
        if isExact, anchor == .calendar {
            fields.report(
                "`\(text)` is exact time, which has no place in the calendar.",
                "Write `anchor: firstSeen`, `billing` or a time, or a period of days.",
                at: "anchor")
        }
        return Meter.Period(length, from: anchor)
    }

    private func anchor(_ fields: CatalogFields) -> Meter.Period.Anchor? {
        guard let text = fields.text("anchor") else { return nil }
        let words: [String: Meter.Period.Anchor] = [
            "calendar": .calendar, "firstSeen": .firstSeen, "billing": .billing,
        ]
        if let anchor = words[text] { return anchor }
        if text.first?.isNumber == true { return fields.instant("anchor").map { .instant($0) } }
        let near = nearest(to: text, among: words.keys).map { "Did you mean `\($0)`? " } ?? ""
        fields.report(
            "`\(text)` is no anchor.",
            "\(near)Write calendar, firstSeen, billing, or a time such as `2027-01-15T09:00:00Z`.",
            at: "anchor")
        return nil
    }

    private func limit(_ fields: CatalogFields) -> Int64? {
        fields.node("limit").flatMap(limit)
    }

    private func limit(_ node: CatalogNode) -> Int64? {
        if case .scalar("unlimited", _) = node.content { return nil }
        if case .scalar(let text, isQuoted: false) = node.content,
            let value = CatalogDecimal.digits(text), value <= 1_000_000_000
        {
            return value
        }
        report(
            "This is no limit.", "Write a number from 0 to 1000000000, or `unlimited`.",
            at: node.place)
        return nil
    }

    private func limitsWith(_ fields: CatalogFields) -> [EntitledLimit] {
        fields.map("limitsWith").map { entry in
            use(entry.key, as: .entitlement, at: entry.place)
            return EntitledLimit(entitlement: entry.key, limit: limit(entry.value))
        }
    }

    /// Cost of one unit: `unitCost: 0.012 USD`, kept in millionths.
    private func unitCost(_ meter: inout Meter, _ fields: CatalogFields) {
        guard let text = fields.text("unitCost") else { return }
        let words = text.split(separator: " ")
        if words.count == 2,
            let micros = CatalogDecimal.scaled(words[0], fractionDigits: 6),
            CurrencyCode.isValid(words[1])
        {
            meter.unitCostMicros = micros
            meter.costCurrency = String(words[1])
        } else {
            fields.report(
                "`\(text)` is no cost.", "Write it as `0.012 USD`, with at most six decimals.",
                at: "unitCost")
        }
    }

    /// A feature that a meter requires and that opens by the same meter's quota: neither could ever be decided.
    ///
    /// Each meter requires at most one feature and each feature has at most one meter, so the way from a meter through
    /// features and meters is a single chain, and comes back or ends.
    func checkGates(_ catalog: Catalog) {
        var reported: Set<String> = []
        for meter in catalog.meters where !reported.contains(meter.name) {
            var way = [meter]
            while let name = way.last?.requires, let feature = catalog.feature(named: name),
                let opening = feature.meter, let next = catalog.meter(named: opening),
                way.count <= catalog.meters.count
            {
                guard next.name == meter.name else {
                    way.append(next)
                    continue
                }
                reported.formUnion(way.map(\.name))
                report(
                    "`\(meter.name)` requires `\(meter.requires ?? "")`, whose quota leads back to `\(meter.name)`: neither can be decided.",
                    "Remove `requires` here, or `meter` from the feature `\(feature.name)`.",
                    at: gatePlaces[meter.name] ?? .start)
                break
            }
        }
    }

    /// Only a gauge of profiles says which of them stay writable, and a gauge is not used through itself.
    private func checkGauges(_ meters: [Meter]) {
        for meter in meters {
            guard let name = meter.withinGauge, let place = gaugePlaces[meter.name],
                let gauge = meters.first(where: { $0.name == name }),
                gauge.countsProfiles == nil || meter.kind != .counter
            else { continue }
            report(
                "`\(meter.name)` cannot be used within `\(name)`.",
                "Name a gauge with `countsProfiles`, at a counter.", at: place)
        }
    }

    /// Bought credits are spent one by one, which only a counter can do.
    private func checkCredits(_ meters: [Meter]) {
        for (name, place) in creditedMeters {
            guard let meter = meters.first(where: { $0.name == name }), meter.kind != .counter
            else { continue }
            report(
                "Credits fill the meter `\(name)`, which is a \(meter.kind.rawValue).",
                "Name a counter.", at: place)
        }
    }
}
