import Daybook
import DaybookDomain
import DaybookEvents

/// Reads a catalog's file so that its mistakes name the file.
enum CatalogFile {
    /// - Returns: The bytes of the file, too.
    static func read(
        _ file: String
    ) throws -> (document: [UInt8], catalog: Catalog, warnings: [CatalogProblem]) {
        let document = try InputFile(file).all(byteCountMax: CatalogReader.byteCountMax)
        let (catalog, warnings) = try read(document, named: file)
        return (document, catalog, warnings)
    }

    static func read(
        _ document: [UInt8], named file: String
    ) throws -> (catalog: Catalog, warnings: [CatalogProblem]) {
        do throws(CatalogProblems) {
            return try CatalogReader.readWithWarnings(
                document, knownEventTypes: Vocabulary.names, knownMetrics: Metric.targetNames,
                zones: ZoneTables().directory)
        } catch {
            throw Failure(catalog: error, file: file)
        }
    }
}
