extension CatalogReading {
    /// Copy by key: a text in the default locale, or a map from locale to text.
    func copy(_ fields: CatalogFields, defaultLocale: String) -> [String: [String: String]] {
        var copy: [String: [String: String]] = [:]
        for entry in fields.map("copy") {
            define(entry.key, as: .copyKey, at: entry.place)
            if case .scalar(let text, _) = entry.value.content {
                copyPlaces[entry.key, default: [:]][defaultLocale] = entry.value.place
                copy[entry.key] = [defaultLocale: text]
                continue
            }
            if entry.value.isNull {
                report(
                    "The copy key `\(entry.key)` has no text.",
                    "Write the text, or one text for each locale.",
                    at: entry.place)
            }
            var texts: [String: String] = [:]
            for localized in entry.value.entries(self) {
                checkLocale(localized.key, at: localized.place)
                guard let text = localized.value.text(self) else { continue }
                copyPlaces[entry.key, default: [:]][localized.key] = localized.value.place
                texts[localized.key] = text
            }
            copy[entry.key] = texts
        }
        return copy
    }

    /// Reports every text for people that contains a forbidden word, in whatever case and wherever
    /// in a word.
    func checkForbiddenWords(_ catalog: Catalog) {
        let words = forbiddenWords.filter { !$0.isEmpty }
        guard !words.isEmpty else { return }
        var texts = otherTexts
        for (key, places) in copyPlaces {
            for (locale, place) in places {
                texts.append((catalog.copy[key]?[locale] ?? "", place))
            }
        }
        for (text, place) in texts {
            let folded = text.lowercased()
            for word in words where folded.contains(word.lowercased()) {
                report(
                    "The text contains the forbidden word `\(word)`.",
                    "Say it in other words; `forbiddenWords` lists what this app never says.",
                    at: place)
            }
        }
    }
}
