extension PayloadRefusal {
    /// A renewal names no app, and the same certificates sign for every app: alone it is believed only of a known
    /// lineage.
    public init(unknownLineage lineage: String) {
        self.init(
            .retryable,
            "no transaction of this app has told of \(lineage) yet; it is taken in as soon as one has"
        )
        waitsFor = lineage
    }
}
