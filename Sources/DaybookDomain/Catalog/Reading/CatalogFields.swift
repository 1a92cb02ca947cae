import DaybookEvents

/// Reads one map of the document key by key, and remembers which keys were asked for.
///
/// Every reading function reports what is wrong and goes on with a neutral value; the caller need
/// not look back. `finish()` reports the keys that were not asked for.
final class CatalogFields {
    let reading: CatalogReading
    let place: CatalogPlace
    private let entries: [CatalogNode.Entry]
    private var asked: [String] = []

    init(_ node: CatalogNode, _ reading: CatalogReading) {
        self.reading = reading
        place = node.place
        entries = node.entries(reading)
    }

    /// The value of a key; `nil` when the key is absent or has no value.
    func node(_ key: String) -> CatalogNode? {
        asked.append(key)
        guard let entry = entries.first(where: { $0.key == key }), !entry.value.isNull else {
            return nil
        }
        return entry.value
    }

    /// Where the value of a key stands, or the map itself.
    func place(of key: String) -> CatalogPlace {
        entries.first { $0.key == key }?.value.place ?? place
    }

    func has(_ key: String) -> Bool {
        entries.contains { $0.key == key && !$0.value.isNull }
    }

    func require(_ key: String, _ remedy: String) {
        guard !has(key) else { return }
        asked.append(key)
        reading.report("`\(key)` is missing.", remedy, at: place)
    }

    /// Reports keys that mean nothing for this kind of thing.
    func refuse(_ keys: [String], because reason: String) {
        for key in keys where has(key) {
            reading.report(
                "`\(key)` has no meaning here: \(reason).", "Remove it.", at: place(of: key))
        }
    }

    /// Reports a problem at the value of a key; at the map itself where it is missing.
    func report(_ sentence: String, _ remedy: String, at key: String) {
        reading.report(sentence, remedy, at: place(of: key))
    }

    private func wrong<Value>(_ key: String, _ sentence: String, _ remedy: String) -> Value? {
        report(sentence, remedy, at: key)
        return nil
    }

    func text(_ key: String) -> String? {
        node(key)?.text(reading)
    }

    /// Text in the language of customers or reviewers, which the forbidden words apply to.
    func prose(_ key: String) -> String? {
        guard let text = text(key) else { return nil }
        reading.otherTexts.append((text, place(of: key)))
        return text
    }

    func flag(_ key: String) -> Bool? {
        guard let node = node(key) else { return nil }
        if case .scalar("true", isQuoted: false) = node.content { return true }
        if case .scalar("false", isQuoted: false) = node.content { return false }
        return wrong(key, "`\(key)` is no flag.", "Write true or false.")
    }

    func whole(_ key: String, _ range: ClosedRange<Int64> = 0...1_000_000_000) -> Int64? {
        guard let node = node(key) else { return nil }
        if case .scalar(let text, isQuoted: false) = node.content,
            let value = CatalogDecimal.digits(text), range.contains(value)
        {
            return value
        }
        return wrong(
            key, "`\(key)` is no whole number in the allowed range.",
            "Write a number from \(range.lowerBound) to \(range.upperBound).")
    }

    func choice<Value>(_ key: String) -> Value?
    where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
        guard let text = text(key) else { return nil }
        if let value = Value(rawValue: text) { return value }
        let words = Value.allCases.map(\.rawValue)
        let near = reading.nearest(to: text, among: words).map { "Did you mean `\($0)`? " } ?? ""
        return wrong(
            key, "`\(text)` is no \(key).", "\(near)Write one of \(words.joined(separator: ", ")).")
    }

    func duration(_ key: String) -> CivilDuration? {
        guard let text = text(key) else { return nil }
        if let value = CivilDuration(iso8601: text), !value.isZero { return value }
        return wrong(
            key, "`\(text)` is no duration.",
            "Write an ISO 8601 duration above zero, such as P7D, P1M, P1Y or PT10M.")
    }

    /// A duration whose length never varies, in milliseconds; a day is 24 hours.
    func exactDuration(_ key: String) -> Int64? {
        guard let value = duration(key) else { return nil }
        if let exact = value.exactMilliseconds { return exact }
        return wrong(
            key, "`\(key)` has months or years, whose length varies.",
            "Write it in weeks, days, hours, minutes or seconds: P30D, PT10M.")
    }

    /// A time, in milliseconds since 1970 UTC.
    func instant(_ key: String) -> Int64? {
        guard let text = text(key) else { return nil }
        if let instant = RFC3339.parse(text), EventBounds.times.contains(instant) { return instant }
        return wrong(
            key, "`\(text)` is no time.",
            "Write it in RFC 3339 with its offset: `2027-01-01T00:00:00Z`.")
    }

    func list(_ key: String) -> [CatalogNode] {
        node(key)?.items(reading) ?? []
    }

    func map(_ key: String) -> [CatalogNode.Entry] {
        node(key)?.entries(reading) ?? []
    }

    func texts(_ key: String) -> [(text: String, place: CatalogPlace)] {
        node(key)?.texts(reading) ?? []
    }

    func reference(_ key: String, _ kind: CatalogNameKind) -> String? {
        guard let name = text(key) else { return nil }
        reading.use(name, as: kind, at: place(of: key))
        return name
    }

    func references(_ key: String, _ kind: CatalogNameKind) -> [String] {
        var seen: Set<String> = []
        return texts(key).map { name, place in
            reading.use(name, as: kind, at: place)
            if !seen.insert(name).inserted {
                reading.report("`\(name)` stands twice in this list.", "Remove one.", at: place)
            }
            return name
        }
    }

    /// Reports every key that was not asked for.
    func finish() {
        for entry in entries where !asked.contains(entry.key) {
            let known = Set(asked).sorted().joined(separator: ", ")
            reading.report(
                "The key `\(entry.key)` is unknown here.", nearest: entry.key, among: asked,
                otherwise: "Known keys: \(known).", at: entry.place)
        }
    }
}

extension CatalogNode {
    func text(_ reading: CatalogReading) -> String? {
        if case .scalar(let text, _) = content { return text }
        report("a single value", reading)
        return nil
    }

    func items(_ reading: CatalogReading) -> [CatalogNode] {
        guard case .list(var items) = content else {
            report("a list", reading)
            return []
        }
        for index in items.indices { items[index].place.path = "\(place.path)/\(index)" }
        return items
    }

    func texts(_ reading: CatalogReading) -> [(text: String, place: CatalogPlace)] {
        items(reading).compactMap { item in item.text(reading).map { ($0, item.place) } }
    }

    /// An empty value counts as an empty map: `premium:` with nothing behind it takes all defaults.
    func entries(_ reading: CatalogReading) -> [Entry] {
        switch content {
        case .map(var entries):
            let prefix = place.path.isEmpty ? "" : "\(place.path)/"
            for index in entries.indices {
                entries[index].place.path = prefix + entries[index].key
                entries[index].value.place.path = entries[index].place.path
            }
            return entries
        case .null: return []
        default:
            report("a map", reading)
            return []
        }
    }

    private func report(_ expected: String, _ reading: CatalogReading) {
        reading.report(
            "Expected \(expected), found \(kindName).",
            "See \(reading.grammar) for the grammar.", at: place)
    }
}
