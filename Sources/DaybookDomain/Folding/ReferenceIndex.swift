package import DaybookEvents

/// Where in an array the element of a reference stands, found without looking through all of it.
///
/// It follows from the array and is no part of what a state means: it is not written, is made anew after a state was
/// read, and two states are equal whatever their indexes have seen. The array only grows, and no element changes its
/// reference.
package struct ReferenceIndex: Sendable, Equatable {
    /// Up to this many, looking through them is as quick as hashing.
    package static let scanCountMax = 16

    private var indexes: [Reference: Int] = [:]

    package init() {}

    package static func == (left: ReferenceIndex, right: ReferenceIndex) -> Bool { true }

    /// - Parameter reference: Of an element of the array.
    /// - Complexity: O(1) over all calls for one array, besides one pass over what was added since the last.
    package mutating func index<Element>(
        of wanted: Reference, in array: [Element], _ reference: (Element) -> Reference
    ) -> Int? {
        guard array.count > Self.scanCountMax else {
            return array.lastIndex { reference($0) == wanted }
        }
        for index in indexes.count..<array.count { indexes[reference(array[index])] = index }
        return indexes[wanted]
    }
}

/// References that were met.
///
/// Answers count uses by going through all of them, so this is in the middle of every check: references are bits
/// already, and one multiplication by secret numbers spreads them, so that texts cannot be chosen which meet in one
/// place.
struct ReferenceSet {
    private var few: [Reference] = []
    /// Open addressing: a power of two of places, at most half of them taken; `none` is an empty one.
    private var table: [Reference] = []
    private var count = 0
    private let expectedCount: Int

    private static let secrets = (
        UInt64.random(in: .min ... .max) | 1, UInt64.random(in: .min ... .max) | 1
    )

    /// - Parameter count: How many may come, so that the table need not grow.
    init(expecting count: Int = 0) { expectedCount = count }

    /// - Parameter reference: Not `none`.
    /// - Returns: Whether it was not met before.
    /// - Complexity: O(1).
    mutating func insert(_ reference: Reference) -> Bool {
        guard few.count < ReferenceIndex.scanCountMax else {
            if table.isEmpty { spread() }
            guard Self.add(reference, to: &table) else { return false }
            count += 1
            if count * 2 > table.count { grow() }
            return true
        }
        if few.contains(reference) { return false }
        if few.isEmpty { few.reserveCapacity(ReferenceIndex.scanCountMax) }
        few.append(reference)
        return true
    }

    private mutating func spread() {
        var size = 4 * ReferenceIndex.scanCountMax
        while size < 2 * expectedCount { size *= 2 }
        table = Array(repeating: .none, count: size)
        for reference in few { _ = Self.add(reference, to: &table) }
        count = few.count
    }

    private mutating func grow() {
        var larger = [Reference](repeating: .none, count: table.count * 2)
        for reference in table where !reference.isNone { _ = Self.add(reference, to: &larger) }
        table = larger
    }

    /// - Returns: Whether it was not there.
    private static func add(_ reference: Reference, to table: inout [Reference]) -> Bool {
        let mask = table.count - 1
        let product = (reference.high ^ secrets.0).multipliedFullWidth(
            by: reference.low ^ secrets.1)
        var place = Int(truncatingIfNeeded: product.high ^ product.low) & mask
        while true {
            if table[place].isNone {
                table[place] = reference
                return true
            }
            if table[place] == reference { return false }
            place = (place + 1) & mask
        }
    }
}
