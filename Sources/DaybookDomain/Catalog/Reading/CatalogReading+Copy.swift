extension CatalogReading {
    /// Copy by key: a text in the default locale, or a map from locale to text.
    func copy(_ fields: CatalogFields, defaultLocale: String) -> [String: [String: String]] {
        var copy: [String: [String: String]] = [:]
        for entry in fields.map("copy") {
            let path = "copy/\(entry.key)"
            define(
                entry.key, as: .copyKey,
                at: CatalogPlace(line: entry.line, column: entry.column, path: path))
            if case .scalar(let text, _) = entry.value.content {
                add(text, locale: defaultLocale, of: entry.key, at: entry.value, path: path)
                copy[entry.key] = [defaultLocale: text]
                continue
            }
            if entry.value.isNull {
                report(
                    "The copy key `\(entry.key)` has no text.",
                    "Write the text, or one text for each locale.",
                    at: CatalogPlace(line: entry.line, column: entry.column, path: path))
            }
            var texts: [String: String] = [:]
            for localized in entry.value.entries(path: path, reading: self) {
                let textPath = "\(path)/\(localized.key)"
                checkLocale(
                    localized.key,
                    at: CatalogPlace(
                        line: localized.line, column: localized.column, path: textPath))
                guard let text = localized.value.text(path: textPath, reading: self) else {
                    continue
                }
                add(
                    text, locale: localized.key, of: entry.key, at: localized.value,
                    path: textPath)
                texts[localized.key] = text
            }
            copy[entry.key] = texts
        }
        return copy
    }

    private func add(
        _ text: String, locale: String, of key: String, at node: CatalogNode, path: String
    ) {
        copyPlaces[key, default: [:]][locale] = CatalogPlace(
            line: node.line, column: node.column, path: path)
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
