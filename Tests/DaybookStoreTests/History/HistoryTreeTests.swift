import DaybookEvents
import DaybookStore
import Testing

/// The tree against the vectors of Certificate Transparency's own tests (RFC 6962).
struct HistoryTreeTests {
    private static let leaves: [[UInt8]] = [
        [], [0x00], [0x10], [0x20, 0x21], [0x30, 0x31], [0x40, 0x41, 0x42, 0x43],
        Array(0x50...0x57), Array(0x60...0x6F),
    ]

    private static let roots = [
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ]

    @Test(
        "Every number of leaves has the root of the reference, also when it goes on from its bytes")
    func roots() throws {
        var tree = HistoryTree()
        #expect(tree.root.description == Self.roots[0])
        for (index, leaf) in Self.leaves.enumerated() {
            tree.append(HistoryHash(of: [0] + leaf))
            #expect(tree.root.description == Self.roots[index + 1])
            tree = try #require(HistoryTree(count: tree.count, bytes: tree.bytes))
        }
    }

    @Test("Bytes of another number of subtrees are none")
    func wrongBytes() {
        var tree = HistoryTree()
        for leaf in Self.leaves.prefix(3) { tree.append(HistoryHash(of: leaf)) }
        #expect(HistoryTree(count: 4, bytes: tree.bytes) == nil)
        #expect(HistoryTree(count: 3, bytes: Array(tree.bytes.dropLast())) == nil)
        #expect(HistoryTree(count: -1, bytes: []) == nil)
    }
}
