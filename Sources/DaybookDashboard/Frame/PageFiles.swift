import CDaybookDashboard
import DaybookEvents
import Mustache

/// The files that are in the program: templates, style and script.
package enum PageFiles {
    /// By name.
    package static let all: [String: [UInt8]] = {
        var count = 0
        guard let files = daybook_dashboard_files(&count) else { return [:] }
        return Dictionary(
            uniqueKeysWithValues: UnsafeBufferPointer(start: files, count: count).map { file in
                (
                    String(cString: file.name),
                    Array(UnsafeBufferPointer(start: file.bytes, count: file.byteCount))
                )
            })
    }()

    /// Told in the address of each asset, so that a browser keeps it until another version is there.
    static let version: String = {
        let assets = all.filter { !$0.key.hasSuffix(suffix) }
        let names = assets.keys.sorted(by: precedesInBytes)
        let digest = Digest.sha256(names.flatMap { assets[$0] ?? [] })
        return Digest.hexadecimal(digest.prefix(6))
    }()

    /// The template of each page, by its name without extension.
    static let templates: MustacheLibrary = {
        MustacheContentTypes.register(MarkupContent(), named: MarkupContent.name)
        var library = MustacheLibrary()
        for (name, bytes) in all where name.hasSuffix(suffix) {
            let text = String(decoding: bytes, as: UTF8.self)
            do {
                try library.register(
                    "{{% CONTENT_TYPE:\(MarkupContent.name)}}" + text,
                    named: String(name.dropLast(suffix.count)))
            } catch {
                preconditionFailure("\(name): \(error)")
            }
        }
        return library
    }()

    static let suffix = ".mustache"

    static func mediaType(of name: String) -> String? {
        switch name.split(separator: ".").last {
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        default: nil
        }
    }
}
