public import DaybookEvents

/// How the rows of a delimited text file become events (docs/import-maps.md).
public struct ImportMap: Sendable, Equatable {
    /// What stands between two fields.
    public enum Separator: String, Sendable, CaseIterable {
        case comma, semicolon, tab, pipe
        /// One or more spaces or tabs; such fields are never quoted.
        case spaces

        /// `nil` for spaces, of which there may be several.
        public var byte: UInt8? {
            switch self {
            case .comma: UInt8(ascii: ",")
            case .semicolon: UInt8(ascii: ";")
            case .tab: 0x09
            case .pipe: UInt8(ascii: "|")
            case .spaces: nil
            }
        }
    }

    /// What becomes of a row that no event of the map fits.
    public enum OtherRows: String, Sendable, CaseIterable { case refuse, skip }

    /// The kind of the events' source: with the key it tells the same event again.
    public var source: String
    /// What stands between two fields; `comma` where the map says nothing.
    public var separator: Separator
    /// Whether the first row names the columns.
    public var hasHeader: Bool
    /// The names of the columns in their order; empty where the first row names them.
    public var columns: [String]
    /// In which zone times without an offset are.
    public var zone: String
    /// What becomes of a row that no event fits; `refuse` where the map says nothing.
    public var otherRows: OtherRows
    /// A row becomes an event for each of these that it fits.
    public var events: [MappedEvent]
}

/// An event that a row becomes.
public struct MappedEvent: Sendable, Equatable {
    /// A column that must have one of some values.
    public struct Condition: Sendable, Equatable {
        /// Name of the column; a file without it is refused.
        public var column: String
        /// Texts that it may have, compared by their bytes; without any no row fits.
        public var values: [String]
    }

    /// Type of the event, of the vocabulary.
    public var type: EventTypeName
    /// All of them hold for a row that becomes this event.
    public var conditions: [Condition]
    /// The members of the envelope first, then those of its data.
    public var members: [MappedMember]
}

/// A member of an event, and of what columns it is made.
public struct MappedMember: Sendable, Equatable {
    /// A part of a text.
    public enum Piece: Sendable, Equatable {
        case text(String)
        case column(String)
        /// The row's number in the file, from 1 on, without the row that names the columns.
        case row
    }

    /// How a time is written.
    public enum TimeFormat: Sendable, Equatable {
        /// RFC 3339, with its offset.
        case rfc3339
        /// Seconds since 1970 UTC, perhaps with decimals.
        case unix
        /// Milliseconds since 1970 UTC.
        case unixMilliseconds
        /// `yyyy`, `MM`, `dd`, `HH`, `mm`, `ss` and `SSS` in a text; whatever else stands there must stand there.
        case pattern(String)

        /// What stands for digits in a pattern, each once.
        package static let parts = ["yyyy", "MM", "dd", "HH", "mm", "ss", "SSS"]

        /// A pattern's parts, and what stands between them.
        package static func pieces(of pattern: String) -> [String] {
            var pieces: [String] = []
            var rest = pattern[...]
            while let first = rest.first {
                let next = parts.first { rest.hasPrefix($0) && !pieces.contains($0) }
                if let next {
                    pieces.append(next)
                    rest = rest.dropFirst(next.count)
                } else {
                    pieces.append(String(first))
                    rest = rest.dropFirst()
                }
            }
            return pieces
        }
    }

    /// From the event down, such as `data`, `price_milli`.
    public var path: [String]
    /// What the text is converted to.
    public var kind: EventFieldKind
    /// Parts that are joined to one text; an empty column leaves the member out unless `values` has `""`.
    public var pieces: [Piece]
    /// What each text stands for; `nil`: the text is the value.
    public var values: [String: String]?
    /// What any other text stands for; `nil`: there is no other.
    public var otherwise: String?
    /// A number is multiplied by ten this many times, 0 to 9.
    public var decimalPlaces: Int
    /// How a time is written; `nil`: RFC 3339, or the member is no time.
    public var format: TimeFormat?

    /// As problems name it.
    public var name: String { path.joined(separator: ".") }
    /// The first column that it is made of.
    public var column: String? {
        for case .column(let name) in pieces { return name }
        return nil
    }
}
