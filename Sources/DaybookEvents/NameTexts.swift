/// Texts of names for one event after the other: neighbours mostly name the same, and a text that was read from a
/// mapped file just before is not read again.
package struct NameTexts {
    private static let countMax = 8

    private let names: NameTable
    private var ids: [NameID] = []
    private var texts: [String] = []
    /// Where the next name goes once all places are taken.
    private var next = 0

    package init(_ names: NameTable) { self.names = names }

    /// The text of a name; "" for 0 and for numbers that were never given.
    package mutating func text(of id: NameID) -> String {
        for place in ids.indices where ids[place] == id { return texts[place] }
        let text = names[id]
        if ids.count < Self.countMax {
            ids.append(id)
            texts.append(text)
        } else {
            ids[next] = id
            texts[next] = text
            next = (next + 1) % Self.countMax
        }
        return text
    }
}
