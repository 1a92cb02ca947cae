public import DaybookEvents

/// A view for analysts: the events of one type and version, with a column for each member (docs/sql.md).
public struct EventView: Sendable, Equatable {
    /// One column of a view; what is absent is NULL in it.
    public struct Column: Sendable, Equatable {
        /// How the values of a column are to be read.
        public enum Kind: String, Sendable {
            case text, integer
            /// Milliseconds since 1970 UTC.
            case time
            /// Thousandths of a currency.
            case money
            /// 0 or 1.
            case flag
        }

        /// As SQL names it: `offer_type` for the member `offer.type`.
        public var name: String
        /// How its values are to be read.
        public var kind: Kind
        /// Whether every event of the type has it.
        public var isRequired: Bool
        /// One sentence; empty where the name says it.
        public var meaning: String
    }

    /// `event_usage_recorded_v1`
    public var name: String
    /// Empty for the view of unknown types.
    public var type: EventTypeName
    /// The version of the type's schema; 0 for the view of unknown types.
    public var version: Int
    /// All columns in the order of the view: those of the envelope, then those of the data.
    public var columns: [Column]

    /// All, in the order of the vocabulary; the last one is of events whose type was unknown when they came.
    public static let all: [EventView] = known + [unknown]

    private static let unknown = EventView(
        name: EventViews.unknown, type: EventTypeName(rawValue: ""), version: 0,
        columns: envelope + [
            Column(name: "type", kind: .text, isRequired: true, meaning: "As it came."),
            Column(name: "v", kind: .integer, isRequired: true, meaning: ""),
            Column(name: "data", kind: .text, isRequired: false, meaning: "JSON."),
        ])

    private static let known: [EventView] = Vocabulary.schemas.map { schema in
        EventView(
            name: EventViews.name(of: schema), type: EventTypeName(rawValue: schema.name),
            version: schema.version,
            columns: envelope
                + EventViews.columns(of: schema).map { name, field in
                    Column(
                        name: name, kind: Column.Kind(field.kind), isRequired: field.isRequired,
                        meaning: field.meaning)
                })
    }

    /// The columns that every view begins with.
    static let envelope: [Column] = envelopeRows.map {
        Column(name: $0, kind: $1, isRequired: $2, meaning: $3)
    }

    private static let envelopeRows: [(String, Column.Kind, Bool, String)] = [
        ("position", .integer, true, "In the ledger, from 1 on."),
        ("recorded_at", .time, true, "When the ledger heard of it."),
        ("occurred_at", .time, true, "When it happened."),
        ("environment", .text, true, ""),
        ("stream", .text, true, "The customer, or the purchase such as apple:2000000123."),
        ("subject", .text, false, "The customer that the event names."),
        ("profile", .text, false, "The profile that the event is about."),
        ("source", .text, true, "The kind of the source."),
        ("key", .text, true, "What tells the same event of the source again."),
        ("trust", .text, true, "How far the source is believed."),
    ]
}

extension EventView.Column.Kind {
    fileprivate init(_ kind: EventFieldKind) {
        self =
            switch kind {
            case .text, .currency, .document, .word, .any: .text
            case .integer, .amount: .integer
            case .money: .money
            case .time: .time
            case .bool: .flag
            }
    }
}
