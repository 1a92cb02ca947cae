import DaybookIngest
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Asks responders over HTTP whether certificates were withdrawn (RFC 6960, appendix A.1).
enum Responders {
    /// All of it: connecting, asking, reading the answer.
    private static let secondsMax = 10.0

    private struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    private static let session: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = secondsMax
        configuration.timeoutIntervalForResource = secondsMax
        return URLSession(configuration: configuration)
    }()

    static func revocation() -> AppStoreRevocation {
        AppStoreRevocation { try await answer(to: $0, at: $1) }
    }

    private static func answer(to request: [UInt8], at address: String) async throws -> [UInt8] {
        guard let url = URL(string: address),
            ["http", "https"].contains(url.scheme?.lowercased())
        else { throw Problem(description: "no address that can be asked") }
        var post = URLRequest(url: url, timeoutInterval: secondsMax)
        post.httpMethod = "POST"
        post.setValue("application/ocsp-request", forHTTPHeaderField: "Content-Type")
        post.setValue("application/ocsp-response", forHTTPHeaderField: "Accept")
        post.httpBody = Data(request)
        let (body, response): (Data, URLResponse)
        do {
            (body, response) = try await session.data(for: post)
        } catch {
            throw Problem(description: error.localizedDescription)
        }
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        if status != 200 { throw Problem(description: "HTTP \(status)") }
        return Array(body)
    }
}
