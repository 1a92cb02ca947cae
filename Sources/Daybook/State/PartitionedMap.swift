package import DaybookDomain
import DaybookEvents

/// A key that says which part of a map it belongs to.
package protocol Partitioned: Hashable, Sendable {
    /// Spread over all bits, or over the lower ones at least.
    var partition: UInt32 { get }
}

extension UInt32: Partitioned {
    package var partition: UInt32 { self }
}

extension CustomerKey: Partitioned {
    package var partition: UInt32 { name }
}

/// The parts of a table, of which copies share all but what was changed since.
///
/// They lie in groups of 16, and these in blocks of 16 groups, so that the first change after a copy copies the
/// references of one group and one block, and those to the blocks.
private struct PartList<Part: AnyObject & Sendable>: Sendable {
    /// Changed only while one list alone refers to it, so that there is nothing to find out at every access.
    private final class Group: @unchecked Sendable {
        @exclusivity(unchecked) var parts: [Part]
        init(_ parts: [Part]) { self.parts = parts }
    }

    /// As a group.
    private final class Block: @unchecked Sendable {
        @exclusivity(unchecked) var groups: [Group]
        init(_ groups: [Group]) { self.groups = groups }
    }

    private static var groupSize: Int { 16 }
    /// How many parts a block has.
    static var blockSize: Int { groupSize * groupSize }

    private var blocks: [Block] = []

    var isEmpty: Bool { blocks.isEmpty }

    subscript(index: Int) -> Part {
        blocks[index / Self.blockSize].groups[index / Self.groupSize % Self.groupSize]
            .parts[index % Self.groupSize]
    }

    func forEach(_ body: (Part) -> Void) {
        for block in blocks {
            for group in block.groups { for part in group.parts { body(part) } }
        }
    }

    /// Puts the same part into every place, which the first change of a place copies.
    mutating func fill(with part: Part, blocks count: Int) {
        let group = Group(Array(repeating: part, count: Self.groupSize))
        let block = Block(Array(repeating: group, count: Self.groupSize))
        blocks = Array(repeating: block, count: count)
    }

    mutating func append(_ part: Part) {
        guard let last = blocks.indices.last else { return blocks.append(Block([Group([part])])) }
        // Counted without taking the group out: a second reference would cost a copy of it.
        let groupCount = blocks[last].groups.count
        if blocks[last].groups[groupCount - 1].parts.count < Self.groupSize {
            ownGroup(last, groupCount - 1).parts.append(part)
        } else if groupCount < Self.groupSize {
            ownBlock(last).groups.append(Group([part]))
        } else {
            blocks.append(Block([Group([part])]))
        }
    }

    mutating func removeLast() {
        let last = blocks.count - 1
        let group = ownGroup(last, blocks[last].groups.count - 1)
        group.parts.removeLast()
        guard group.parts.isEmpty else { return }
        ownBlock(last).groups.removeLast()
        if blocks[last].groups.isEmpty { blocks.removeLast() }
    }

    /// A part that nothing else refers to.
    /// - Parameter copy: Makes one with the same content.
    mutating func own(_ index: Int, copy: (Part) -> Part) -> Part {
        let group = ownGroup(index / Self.blockSize, index / Self.groupSize % Self.groupSize)
        let place = index % Self.groupSize
        if !isKnownUniquelyReferenced(&group.parts[place]) {
            group.parts[place] = copy(group.parts[place])
        }
        return group.parts[place]
    }

    private mutating func ownGroup(_ block: Int, _ index: Int) -> Group {
        let block = ownBlock(block)
        if !isKnownUniquelyReferenced(&block.groups[index]) {
            block.groups[index] = Group(block.groups[index].parts)
        }
        return block.groups[index]
    }

    private mutating func ownBlock(_ index: Int) -> Block {
        if !isKnownUniquelyReferenced(&blocks[index]) {
            blocks[index] = Block(blocks[index].groups)
        }
        return blocks[index]
    }
}

/// A dictionary of which copies share all but what was changed since.
///
/// A state is copied to be read while commits go on. The first change of a dictionary that is shared copies all of it,
/// whatever its size. Here it copies a part: there are 4,096, and one that has become large is divided into sixteen.
package struct PartitionedMap<Key: Partitioned, Value: Sendable>: Sendable {
    /// Changed only while one map alone refers to it, so that there is nothing to find out at every access.
    private final class Part: @unchecked Sendable {
        /// None once it is divided.
        @exclusivity(unchecked) var values: [Key: Value]
        /// The sixteen that it was divided into, by the next bits of their keys; none: it is whole.
        @exclusivity(unchecked) var parts: [Part]

        init(_ values: [Key: Value], _ parts: [Part] = []) {
            self.values = values
            self.parts = parts
        }

        convenience init(copying part: Part) { self.init(part.values, part.parts) }
    }

    private static var partCount: Int { 4_096 }
    /// A part that has more values after a change is divided, unless its keys have no bits left. So the first change
    /// after a copy rarely copies more.
    private static var valuesPerPart: Int { 128 }
    /// How many bits of a key say into which of a divided part's parts it belongs.
    private static var bitsPerDivision: UInt32 { 4 }
    /// How many bits are left below those that say which of the 4,096 parts it is.
    private static var bitsBelow: UInt32 { 20 }

    /// None before the first value.
    private var parts = PartList<Part>()

    package init() {}

    package subscript(key: Key) -> Value? {
        get { parts.isEmpty ? nil : part(of: key).values[key] }
        set {
            if newValue == nil, parts.isEmpty { return }
            change(key) { $0[key] = newValue }
        }
    }

    /// Changes a value in place.
    package mutating func update(
        _ key: Key, default initial: Value, _ body: (inout Value) -> Void
    ) {
        change(key) { body(&$0[key, default: initial]) }
    }

    /// In no order.
    package func forEach(_ body: (Key, Value) -> Void) {
        func visit(_ part: Part) {
            for (key, value) in part.values { body(key, value) }
            part.parts.forEach(visit)
        }
        parts.forEach(visit)
    }

    /// Spreads numbers that were given one after the other over different parts.
    private static func bits(of key: Key) -> UInt32 { key.partition &* 0x9E37_79B1 }

    /// Which of the 4,096 parts.
    private static func index(_ bits: UInt32) -> Int { Int(truncatingIfNeeded: bits >> bitsBelow) }

    /// - Parameter below: How many bits no division has used yet; the upper ones of them are used by this one.
    private static func index(_ bits: UInt32, below: UInt32) -> Int {
        Int(truncatingIfNeeded: bits >> (below - bitsPerDivision)) & (1 << bitsPerDivision - 1)
    }

    private func part(of key: Key) -> Part {
        let bits = Self.bits(of: key)
        var part = parts[Self.index(bits)]
        var below = Self.bitsBelow
        while !part.parts.isEmpty {
            part = part.parts[Self.index(bits, below: below)]
            below -= Self.bitsPerDivision
        }
        return part
    }

    private mutating func change(_ key: Key, _ body: (inout [Key: Value]) -> Void) {
        if parts.isEmpty {
            parts.fill(with: Part([:]), blocks: Self.partCount / PartList<Part>.blockSize)
        }
        let bits = Self.bits(of: key)
        var part = parts.own(Self.index(bits), copy: Part.init(copying:))
        var below = Self.bitsBelow
        while !part.parts.isEmpty {
            let index = Self.index(bits, below: below)
            if !isKnownUniquelyReferenced(&part.parts[index]) {
                part.parts[index] = Part(copying: part.parts[index])
            }
            part = part.parts[index]
            below -= Self.bitsPerDivision
        }
        body(&part.values)
        if part.values.count > Self.valuesPerPart, below > 0 { Self.divide(part, below: below) }
    }

    private static func divide(_ part: Part, below: UInt32) {
        part.parts = (0..<1 << bitsPerDivision).map { _ in Part([:]) }
        for (key, value) in part.values {
            part.parts[index(bits(of: key), below: below)].values[key] = value
        }
        part.values = [:]
    }
}

/// An array of which copies share all but the pages that were changed since.
package struct PagedArray<Element: Sendable>: Sendable {
    /// Changed only while one array alone refers to it, so that there is nothing to find out at every access.
    private final class Page: @unchecked Sendable {
        @exclusivity(unchecked) var elements: [Element]

        init(_ elements: [Element]) {
            self.elements = []
            self.elements.reserveCapacity(PagedArray.pageCount)
            self.elements += elements
        }
    }

    /// Small, for the first change after a copy copies a page.
    private static var pageCount: Int { 128 }

    private var pages = PartList<Page>()
    package private(set) var count = 0

    package init() {}

    package subscript(index: Int) -> Element {
        get { pages[index / Self.pageCount].elements[index % Self.pageCount] }
        set { update(index) { $0 = newValue } }
    }

    /// All elements, in order.
    package func forEach(_ body: (Element) -> Void) {
        pages.forEach { page in for element in page.elements { body(element) } }
    }

    /// The same as one array.
    package var all: [Element] {
        var all: [Element] = []
        all.reserveCapacity(count)
        pages.forEach { all += $0.elements }
        return all
    }

    package mutating func update(_ index: Int, _ body: (inout Element) -> Void) {
        change(index / Self.pageCount) { body(&$0[index % Self.pageCount]) }
    }

    package mutating func append(_ element: Element) {
        if count % Self.pageCount == 0 { pages.append(Page([])) }
        change(count / Self.pageCount) { $0.append(element) }
        count += 1
    }

    package mutating func popLast() -> Element? {
        guard count > 0 else { return nil }
        count -= 1
        var last: Element?
        change(count / Self.pageCount) { last = $0.popLast() }
        if count % Self.pageCount == 0 { pages.removeLast() }
        return last
    }

    private mutating func change(_ page: Int, _ body: (inout [Element]) -> Void) {
        body(&pages.own(page) { Page($0.elements) }.elements)
    }
}
