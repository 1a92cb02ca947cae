import ArgumentParser
import Daybook
import DaybookEvents
import DaybookIngest
import Foundation

struct CatalogImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Make a catalog of Xcode's StoreKit configuration file.",
        discussion: """
            Needs no ledger, and writes none: a catalog that people complete before they publish it. Products, groups, \
            levels, periods, prices, introductory offers, family sharing and texts come along. What a catalog has no \
            place for, such as offer codes, is listed on the standard error with its place in the file. What a product \
            gives access to is in no such file: add entitlements.

              daybook catalog import events/nuzzle/Nuzzle.storekit
              daybook catalog import events/nuzzle/Nuzzle.storekit \\
                --app nuzzle --output nuzzle.yaml
            """)

    @Argument(help: "The .storekit file, of format 1.0 to 5.0.")
    var file: String

    @Option(help: .value("name", "The app's name in the catalog. Default: the file's name."))
    var app: String?

    @Option(name: .shortAndLong, help: .outputFile)
    var output: String?

    @OptionGroup var form: OutputOptions

    mutating func run() async throws {
        let bytes = try InputFile(file).all(byteCountMax: StoreKitConfigurationReader.byteCountMax)
        let found: StoreKitImport
        do throws(LineProblem) {
            found = try StoreKitConfigurationReader.read(bytes, app: app ?? Self.appName(of: file))
        } catch {
            var failure = Failure(
                .badInput, error.code, "\(file):\(error.line):\(error.column): \(error.reason)")
            failure.problems = [InputProblem(error)]
            throw failure
        }
        let isIntoFile = output.map { $0 != "-" } ?? false
        if let output, isIntoFile {
            try OutputFile.write(Array(found.catalog.utf8), to: output)
        } else if !form.json {
            try Terminal.output.write(bytes: Array(found.catalog.utf8))
        }
        if form.json { return try Terminal.output.write(json(found, isIntoFile: isIntoFile)) }
        try tell(found)
    }

    /// On the standard error, so that the catalog can go into a pipe.
    private func tell(_ found: StoreKitImport) throws {
        let terminal = Terminal.errors
        var text: HumanText = ""
        for omission in found.notCarried {
            let word = terminal.paint("not carried over:", .warning)
            text += "\(file): \(word) \(omission.path): \(omission.reason)\n"
        }
        let products = Words.count(found.productCount, "product")
        let rest = Words.grouped(found.notCarried.count)
        text +=
            "\(terminal.tick) \(file) is of format \(found.format), \(products), \(rest) not carried over\n"
        try terminal.write(text)
    }

    private func json(_ found: StoreKitImport, isIntoFile: Bool) -> JSONObject {
        [
            "format": .string(found.format), "products": .count(found.productCount),
            "catalog": isIntoFile ? .null : .string(found.catalog),
            "output": .orNull(isIntoFile ? output : nil),
            "not_carried": .array(
                found.notCarried.map {
                    ["path": .string($0.path), "reason": .string($0.reason)]
                }),
        ]
    }

    /// `Products (Test).storekit` is `products-test`.
    static func appName(of file: String) -> String {
        let stem = URL(filePath: file).deletingPathExtension().lastPathComponent.lowercased()
        let words = stem.split { character in
            !character.isASCII || !(character.isLetter || character.isNumber)
        }
        let name = words.joined(separator: "-").prefix(64)
        return name.isEmpty ? "app" : String(name)
    }
}
