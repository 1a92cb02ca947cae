public import DaybookEvents

/// What an export has a row of (docs/exports.md).
public enum ExportTable: String, Sendable, CaseIterable {
    /// A transaction as metrics count it.
    case transactions
    /// A time for which a subscription served by one transaction.
    case periods
    case customers

    /// One column, the same in every format.
    public struct Column: Sendable, Equatable {
        /// What the values of a column are; the raw values are types of Table Schema.
        public enum Kind: String, Sendable {
            case text = "string"
            case integer
            case flag = "boolean"
            /// RFC 3339 in UTC with milliseconds.
            case time = "datetime"
        }

        /// As files name the column.
        public var name: String
        /// What its values are.
        public var kind: Kind
        /// Whether every row has a value in it.
        public var isRequired: Bool
        /// In words, as the schema beside the file tells it; empty: the schema says nothing.
        public var meaning: String

        /// Makes a column; nothing is checked.
        public init(name: String, kind: Kind, isRequired: Bool, meaning: String) {
            self.name = name
            self.kind = kind
            self.isRequired = isRequired
            self.meaning = meaning
        }
    }

    /// How columns are called.
    public enum Names: String, Sendable, CaseIterable {
        case daybook
        /// Of transactions, as RevenueCat's scheduled data exports have them, so far as the ledger knows them.
        case revenuecat
    }

    /// - Returns: `nil` where the table has no such names.
    public func columns(_ names: Names) -> [Column]? {
        switch (self, names) {
        case (.transactions, .daybook): Self.common + Self.transactionColumns.map(\.column)
        case (.transactions, .revenuecat): Self.revenueCatColumns.map(\.column)
        case (.periods, .daybook): Self.common + Self.periodColumns.map(\.column)
        case (.customers, .daybook): Self.common + Self.customerColumns.map(\.column)
        default: nil
        }
    }

    /// A column with what a row has in it.
    struct Cell<Row> {
        let column: Column
        let value: (Row) -> JSONValue

        init(
            _ name: String, _ kind: Column.Kind, _ isRequired: Bool, _ meaning: String,
            _ value: @escaping (Row) -> JSONValue
        ) {
            column = Column(name: name, kind: kind, isRequired: isRequired, meaning: meaning)
            self.value = value
        }
    }

    /// What every row of ours begins with.
    private static let common = [
        Column(
            name: "position", kind: .integer, isRequired: true,
            meaning: "Of the newest event of the customer, or of the purchase; rows ascend by it."),
        Column(name: "environment", kind: .text, isRequired: true, meaning: ""),
        Column(
            name: "customer", kind: .text, isRequired: false,
            meaning:
                "The id under which the customer is shown; none of a purchase without an owner."),
        Column(
            name: "is_deleted", kind: .flag, isRequired: true,
            meaning: "Whether there was such a row before and is none now, as after a correction."),
    ]

    /// The columns of ours by which a row is the same one in a later export.
    public var keyColumns: [String] {
        switch self {
        case .transactions, .periods: ["lineage", "transaction"]
        case .customers: ["customer"]
        }
    }

    static func time(_ instant: Int64?) -> JSONValue {
        guard let instant, instant != Event.absent, instant < EventBounds.timeMax else {
            return .null
        }
        return .string(RFC3339.format(instant))
    }

    static func text(_ text: String) -> JSONValue { text.isEmpty ? .null : .string(text) }
}

/// What the rows of one subject are made of.
public struct ExportContext {
    /// Position of the newest event of the customer or lineage.
    public var position: Int64
    /// The environment that is exported.
    public var environment: Environment
    /// The customer's id; `nil` for a lineage without an owner.
    public var customer: String?
    /// The text of a transaction's id, by lineage.
    public var transactionText: (_ lineage: String, _ id: Reference) -> String

    /// Makes a context; the function is called for each row that names a transaction.
    public init(
        position: Int64, environment: Environment, customer: String?,
        transactionText: @escaping (_ lineage: String, _ id: Reference) -> String
    ) {
        self.position = position
        self.environment = environment
        self.customer = customer
        self.transactionText = transactionText
    }
}

extension MetricSubject {
    /// The subject's rows, each with a value for every column.
    public func rows(
        of table: ExportTable, _ names: ExportTable.Names, _ context: ExportContext
    ) -> [[JSONValue]] {
        func rows<Row>(
            _ rows: [Row], _ cells: [ExportTable.Cell<Row>], isCommon: Bool = true
        ) -> [[JSONValue]] {
            let common: [JSONValue] =
                isCommon
                ? [
                    .integer(context.position), .string(context.environment.name),
                    .orNull(context.customer), .bool(false),
                ] : []
            return rows.map { row in common + cells.map { $0.value(row) } }
        }
        switch (table, names) {
        case (.transactions, .daybook):
            return rows(transactionRows(context), ExportTable.transactionColumns)
        case (.transactions, .revenuecat):
            return rows(
                transactionRows(context), ExportTable.revenueCatColumns, isCommon: false)
        case (.periods, _): return rows(periodRows(context), ExportTable.periodColumns)
        case (.customers, _): return rows(isCustomer ? [self] : [], ExportTable.customerColumns)
        }
    }

    /// A transaction of this subject.
    struct TransactionRow {
        let payment: MetricPayment
        let context: ExportContext
        let subject: MetricSubject
        /// The time for which a subscription serves by it.
        let span: SubscriptionSpan?
        /// Which of its lineage's transactions it is, from 1 on, in the order of their starts.
        let number: Int
        /// The lineage's transaction before it.
        let former: MetricPayment?

        var lineage: CustomerCase.OwnedLineage { subject.lineages[payment.lineage] }
        /// The lineage's name up to its colon.
        var store: String {
            String(lineage.name.unicodeScalars.prefix { $0 != ":" })
        }
        var original: String {
            String(lineage.name.unicodeScalars.drop { $0 != ":" }.dropFirst())
        }
        var id: String { context.transactionText(lineage.name, payment.fact.id) }
        var productID: String { subject.names[payment.fact.product] }
    }

    private func transactionRows(_ context: ExportContext) -> [TransactionRow] {
        var spans: [Int: SubscriptionSpan] = [:]
        for span in self.spans where spans[span.payment] == nil { spans[span.payment] = span }
        var found: [TransactionRow] = []
        let places = Dictionary(grouping: transactions.indices) { transactions[$0].lineage }
        for lineage in lineages.indices {
            let own = (places[lineage] ?? []).sorted {
                (transactions[$0].at, $0) < (transactions[$1].at, $1)
            }
            for (number, index) in own.enumerated() where transactions[index].isOwn {
                found.append(
                    TransactionRow(
                        payment: transactions[index], context: context, subject: self,
                        span: spans[index], number: number + 1,
                        former: number > 0 ? transactions[own[number - 1]] : nil))
            }
        }
        return found
    }

    /// A time for which a subscription of this subject serves.
    struct PeriodRow {
        let span: SubscriptionSpan
        let payment: MetricPayment
        let lineage: String
        let transaction: String
        let product: String
    }

    private func periodRows(_ context: ExportContext) -> [PeriodRow] {
        spans.filter { $0.isOwn && !$0.isVoid }.map { span in
            let payment = transactions[span.payment]
            let lineage = lineages[span.lineage].name
            return PeriodRow(
                span: span, payment: payment, lineage: lineage,
                transaction: context.transactionText(lineage, payment.fact.id),
                product: names[payment.fact.product])
        }
    }

    /// The lineages with the ids of their transactions.
    public var transactionIDs: [(lineage: String, ids: [Reference])] {
        lineages.map { ($0.name, $0.state.transactions.map(\.id)) }
    }

    /// When the customer paid first; `nil`: never.
    var firstPaidAt: Int64? { payments.filter(\.isPaid).map(\.at).min() }
    /// When the customer was last heard of in the app.
    var lastEventAt: Int64? { events.map(\.occurredAt).max() }
}
