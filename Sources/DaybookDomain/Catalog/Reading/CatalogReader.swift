import DaybookEvents

/// Reads a catalog from the YAML that people write.
///
/// The way of a document: bytes → text (`CatalogText`) → tree with places (`CatalogDocument`) →
/// sections (`CatalogReading+….swift`) → names and copy checked as a whole → catalog and warnings.
/// The grammar stands in docs/catalog.md.
public enum CatalogReader {
    /// A larger document is refused unread.
    public static let byteCountMax = EventBounds.documentByteCountMax
    /// Levels of lists and maps within one another.
    public static let nestingMax = 12

    /// Reads a document that must be without mistakes; doubts are dropped.
    ///
    /// - Parameters:
    ///   - knownEventTypes: Event types that funnels may name. Empty: funnels are not checked.
    ///   - knownMetrics: Metrics that targets may name. Empty: targets are not checked.
    ///   - zones: The zones that exist. `nil`: only the shape of their names is checked, as for a
    ///     catalog that was published already.
    /// - Throws: Every mistake of the document, with its place; show them and change nothing.
    public static func read(
        _ yaml: [UInt8], knownEventTypes: Set<String> = [], knownMetrics: Set<String> = [],
        zones: ZoneDirectory? = nil
    ) throws(CatalogProblems) -> Catalog {
        try readWithWarnings(
            yaml, knownEventTypes: knownEventTypes, knownMetrics: knownMetrics, zones: zones
        ).catalog
    }

    /// Reads a document, and also tells what is allowed but probably a mistake.
    ///
    /// - Parameters:
    ///   - knownEventTypes: Event types that funnels may name. Empty: funnels are not checked.
    ///   - knownMetrics: Metrics that targets may name. Empty: targets are not checked.
    ///   - zones: The zones that exist. `nil`: only the shape of their names is checked.
    /// - Returns: The catalog, and the warnings in document order.
    /// - Throws: Every mistake of the document, with its place; show them and change nothing.
    public static func readWithWarnings(
        _ yaml: [UInt8], knownEventTypes: Set<String> = [], knownMetrics: Set<String> = [],
        zones: ZoneDirectory? = nil
    ) throws(CatalogProblems) -> (catalog: Catalog, warnings: [CatalogProblem]) {
        let text = try CatalogText.read(yaml)
        let document = try CatalogDocument.parse(text)
        let reading = CatalogReading(
            problems: document.problems, knownEventTypes: knownEventTypes,
            knownMetrics: knownMetrics, zones: zones)
        let catalog = reading.catalog(document.root)
        reading.checkReferences()
        reading.checkForbiddenWords(catalog)
        guard reading.problems.isEmpty else { throw CatalogProblems(reading.problems) }
        var warnings = CatalogWarnings(catalog: catalog, reading: reading)
        return (catalog, warnings.all())
    }
}
