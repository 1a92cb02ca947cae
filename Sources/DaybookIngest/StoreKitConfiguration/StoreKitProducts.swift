import DaybookDomain
import DaybookEvents

/// What a configuration file sells.
struct StoreKitProducts {
    private(set) var groups: [String] = []
    private(set) var products: [StoreKitProduct] = []
    private var ids: Set<String> = []

    /// Copy keys are made of the id and have 256 bytes.
    private static let idByteCountMax = 200

    init(_ file: StoreKitNode, _ settings: StoreKitSettings) throws(EventProblem) {
        for member in ["products", "nonRenewingSubscriptions"] {
            for node in try file.nodes(member) { try add(node, group: nil) }
        }
        for group in try file.nodes("subscriptionGroups") { try add(group: group) }
    }

    private mutating func add(group node: StoreKitNode) throws(EventProblem) {
        node.ignore("id")
        node.omit("localizations", "groups have no texts in a catalog")
        let given = try node.text("name") ?? "subscriptions"
        var name = given
        var number = 2
        while groups.contains(name) {
            name = "\(given) \(number)"
            number += 1
        }
        if name != given {
            node.omit("name", "another group has this name; the catalog calls it \(name)")
        }
        let subscriptions = try node.nodes("subscriptions")
        if subscriptions.isEmpty {
            node.omit("the group is empty")
        } else {
            groups.append(name)
        }
        for subscription in subscriptions { try add(subscription, group: name) }
        node.finish()
    }

    private mutating func add(_ node: StoreKitNode, group: String?) throws(EventProblem) {
        guard let id = try node.text("productID") else {
            throw EventProblem(
                .missingField, node.place("productID"), "a product has an id in the store")
        }
        guard id.utf8.count <= Self.idByteCountMax else {
            return node.omit("its id has more than \(Self.idByteCountMax) bytes")
        }
        guard ids.insert(id).inserted else {
            return node.omit("\(id) stands in the file before; the first one is in the catalog")
        }
        let reading = StoreKitProductReading(node: node, id: id)
        if let product = try reading.product(group: group) { products.append(product) }
    }
}

/// A product as a catalog says it.
struct StoreKitProduct {
    let id: String
    let kind: Product.Kind
    var group: String?
    var level: Int64 = 1
    var period: String?
    /// A plain decimal with at most three places.
    var price: String?
    var introOffer: (kind: IntroOffer.Kind, duration: String)?
    var isFamilyShareable = false
    var referenceName: String?
    /// By locale, in the order of the file.
    var names: [(locale: String, text: String)] = []
    var descriptions: [(locale: String, text: String)] = []
    /// Why people must complete it before it can be published; it is written as a comment.
    var isIncomplete = false
}
