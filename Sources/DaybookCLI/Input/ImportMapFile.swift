import Daybook
import DaybookDomain

/// Reads the map of an import so that its mistakes name the file.
enum ImportMapFile {
    static func read(_ path: String) throws -> ImportMap {
        let document = try InputFile(path).all(byteCountMax: ImportMapReader.byteCountMax)
        do throws(CatalogProblems) {
            return try ImportMapReader.read(document, zones: ZoneTables().directory)
        } catch {
            throw Failure(catalog: error, file: path, code: "bad_map")
        }
    }
}
