import ArgumentParser
import DaybookDomain

/// The customer whom a command is about.
struct CustomerArgument: ParsableArguments {
    @Argument(help: "ID of the customer.")
    var subject: String
}

/// A command about one customer.
protocol CustomerCommand: AsyncParsableCommand {
    var customer: CustomerArgument { get }
}

extension CustomerCommand {
    var subject: String { customer.subject }
}

/// A command that tells the ledger one thing about one customer, and prints the receipt or the refusal.
protocol ReceiptCommand: CustomerCommand {
    var write: WriteOptions { get }
    /// What happened, in the past tense.
    var sentence: String { get }
    /// What the ledger is told.
    func command() throws -> Command
}

extension ReceiptCommand {
    mutating func run() async throws {
        try await write.perform(try command(), for: subject, sentence: sentence)
    }
}
