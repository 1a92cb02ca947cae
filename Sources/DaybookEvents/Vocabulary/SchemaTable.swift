/// Schemas by name, number and version.
///
/// A version adds to a type and never changes what is there: a slot means the same in every version, so a fold reads
/// rows of all of them alike, and each row is read back by the schema of its own version (decision 0011). What a
/// fold needs of an older version in a slot that only the newer one has is put there by `Upcaster` at append.
public struct SchemaTable: Sendable {
    /// Oldest version first within a type.
    public let schemas: [EventSchema]
    /// Those of each hash of their names: a set of names that never changes needs no hash that cannot be foreseen.
    private let byName: [[EventSchema]]
    private let byCode: [[EventSchema]]

    /// Creates a table; conflicts between schemas are not looked for.
    /// - Parameter schemas: In ascending versions within a type, of at most 64 fields; the numbers of types are below
    ///   256.
    public init(_ schemas: [EventSchema]) {
        precondition(schemas.allSatisfy { $0.fields.count <= 64 }, "a type has too many fields")
        self.schemas = schemas
        var byName = [[EventSchema]](repeating: [], count: 512)
        for schema in schemas { byName[Self.place(of: schema.name)].append(schema) }
        self.byName = byName
        var byCode = [[EventSchema]](repeating: [], count: 256)
        for schema in schemas { byCode[Int(schema.type.rawValue)].append(schema) }
        self.byCode = byCode
    }

    /// The schema of one version of a named type; `nil` when this build does not know it.
    public func schema(named name: String, version: Int) -> EventSchema? {
        byName[Self.place(of: name)].first {
            $0.version == version && haveSameBytes($0.name, name)
        }
    }

    /// By FNV-1a, 64 bits.
    private static func place(of name: String) -> Int {
        var name = name
        return name.withUTF8 { bytes in
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            return Int(truncatingIfNeeded: hash >> 16) & 511
        }
    }

    /// The schema of one version of a numbered type; `nil` when this build does not know it.
    public func schema(code: UInt16, version: Int) -> EventSchema? {
        code < byCode.count ? byCode[Int(code)].first { $0.version == version } : nil
    }

    /// The newest schema of a numbered type; `nil` for 0 and for numbers that this build does not know.
    public func current(code: UInt16) -> EventSchema? {
        code < byCode.count ? byCode[Int(code)].last : nil
    }

    /// The type of a name, in whatever version; `nil` when this build does not know it.
    public func type(named name: String) -> EventType? {
        byName[Self.place(of: name)].first { haveSameBytes($0.name, name) }?.type
    }

    /// Whether some version of the name is known.
    public func isKnown(_ name: String) -> Bool { type(named: name) != nil }

    /// Where a later version of a type gives a slot, a word or a stream another meaning than an earlier one, and where
    /// two fields of one version share a slot. Empty for a table that old ledgers can be read with.
    public func conflicts() -> [String] {
        var found: [String] = []
        for (index, schema) in schemas.enumerated() {
            found += Self.conflicts(within: schema)
            for later in schemas[(index + 1)...] where later.type == schema.type {
                found += Self.conflicts(schema, later)
            }
        }
        return found
    }

    private static func conflicts(within schema: EventSchema) -> [String] {
        var found: [String] = []
        for (index, field) in schema.fields.enumerated() {
            for other in schema.fields[(index + 1)...] where overlap(field.slot, other.slot) {
                found.append("\(schema.name) v\(schema.version): \(field.name) and \(other.name)")
            }
        }
        return found
    }

    private static func conflicts(_ old: EventSchema, _ new: EventSchema) -> [String] {
        let place = "\(old.name) v\(old.version) and v\(new.version)"
        var found: [String] = []
        if old.name != new.name || old.routing != new.routing { found.append("\(place): streams") }
        for field in old.fields {
            if let same = new.field(field.name), field.slot != nil {
                let isSame = same.slot == field.slot && extends(same.kind, field.kind)
                if !isSame { found.append("\(place): \(field.name)") }
            }
            for other in new.fields
            where other.name != field.name && overlap(field.slot, other.slot) {
                found.append("\(place): \(field.name) and \(other.name)")
            }
        }
        return found
    }

    private static func extends(_ new: EventFieldKind, _ old: EventFieldKind) -> Bool {
        guard case .word(let newWords) = new, case .word(let oldWords) = old else {
            return new == old
        }
        return newWords.map(\.name).starts(with: oldWords.map(\.name))
    }

    private static func overlap(_ left: EventSlot?, _ right: EventSlot?) -> Bool {
        switch (left, right) {
        case (.flags(let shift, let width), .flags(let otherShift, let otherWidth)):
            shift < otherShift + otherWidth && otherShift < shift + width
        // The store and the lineage are two parts of one name.
        case (.stream, .stream), (nil, _): false
        default: left == right
        }
    }
}
