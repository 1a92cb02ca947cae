import DaybookEvents

/// What an event keeps of a payload beside our own words: as much as an event may hold.
///
/// Apple may add members at any time. What an event must not hold (DZ-41) or has no space for is left out and named in
/// `left_out`; it stands in the signed payload, which is kept. Nothing here is a reason to refuse.
enum AppStoreKept {
    /// The rest of an event's bytes is for our own words.
    private static let byteCountMax = EventBounds.eventByteCountMax * 3 / 4
    /// How many levels may lie under it: `data` is at 1, this at 2.
    private static let levelCountMax = JSONReader.depthMax - 2

    static func bounded(_ payload: JSONObject) -> JSONObject {
        var leftOut: [String] = []
        let allowed = PersonalData.without(.object(payload), at: "apple", taken: &leftOut)
        var kept = allowed?.object ?? JSONObject()
        kept = JSONObject(
            kept.members.filter { member in
                let isShallow = levels(member.value) < levelCountMax
                if !isShallow { leftOut.append(path("apple", member.name)) }
                return isShallow
            })
        if byteCount(.object(kept)) > byteCountMax {
            kept = fitted(kept, to: byteCountMax, at: "apple", &leftOut)
        }
        kept.tell(leftOut: leftOut)
        if leftOut.count > JSONObject.leftOutToldMax {
            kept["left_out_count"] = .integer(Int64(leftOut.count))
        }
        return kept
    }

    /// As many members as there is space for, the smallest first; of the first one that is too large, as much as fits.
    private static func fitted(
        _ object: JSONObject, to byteCountMax: Int, at place: String, _ leftOut: inout [String]
    ) -> JSONObject {
        let sizes = object.members.map { member in
            // Quotes, colon and comma; what has to be escaped takes six bytes at most.
            byteCount(member.value) + byteCount(.string(member.name)) + 2
        }
        var space = byteCountMax - 2
        var kept: [Int: JSONValue] = [:]
        var isFull = false
        for index in sizes.indices.sorted(by: { (sizes[$0], $0) < (sizes[$1], $1) }) {
            let member = object.members[index]
            if sizes[index] <= space {
                kept[index] = member.value
                space -= sizes[index]
                continue
            }
            let place = path(place, member.name)
            if !isFull, case .object(let inner) = member.value, inner.members.count > 1 {
                let part = fitted(
                    inner, to: space - (sizes[index] - byteCount(member.value)), at: place,
                    &leftOut)
                kept[index] = .object(part)
            } else {
                leftOut.append(place)
            }
            isFull = true
        }
        return JSONObject(
            object.members.indices.compactMap { index in
                kept[index].map { .init(name: object.members[index].name, value: $0) }
            })
    }

    private static func byteCount(_ value: JSONValue) -> Int { value.canonicalBytes.count }

    private static func path(_ place: String, _ name: String) -> String {
        "\(place).\(name.prefix(64))"
    }

    /// How many levels lie in a value; 0 of what is neither object nor list.
    private static func levels(_ value: JSONValue) -> Int {
        switch value {
        case .object(let object): 1 + (object.members.map { levels($0.value) }.max() ?? 0)
        case .array(let values): 1 + (values.map(levels).max() ?? 0)
        default: 0
        }
    }
}

extension JSONObject {
    /// How many paths are named.
    static let leftOutToldMax = 16
    private static let leftOutLengthMax = 200

    /// Names in `left_out` what an event must not hold or has no space for: enough to know what to look for.
    mutating func tell(leftOut paths: [String]) {
        guard !paths.isEmpty else { return }
        self["left_out"] = .texts(
            paths.prefix(Self.leftOutToldMax).map { String($0.prefix(Self.leftOutLengthMax)) })
    }
}
