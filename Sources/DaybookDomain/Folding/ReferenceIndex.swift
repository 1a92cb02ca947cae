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
struct ReferenceSet {
    private var few: [Reference] = []
    private var many: Set<Reference> = []

    /// - Returns: Whether it was not met before.
    /// - Complexity: O(1).
    mutating func insert(_ reference: Reference) -> Bool {
        guard few.count < ReferenceIndex.scanCountMax else {
            if many.isEmpty { many = Set(few) }
            return many.insert(reference).inserted
        }
        if few.contains(reference) { return false }
        if few.isEmpty { few.reserveCapacity(ReferenceIndex.scanCountMax) }
        few.append(reference)
        return true
    }
}
