import Daybook
import DaybookDomain
import DaybookEvents

/// Reads a catalog's file so that its mistakes name the file.
enum CatalogFile {
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
