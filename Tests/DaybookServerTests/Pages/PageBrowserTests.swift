import DaybookFixtures
import Foundation
import Testing

/// A first look by a real browser; `PeerTests` looks at every page.
@Suite(
    "Pages in Chromium",
    .enabled(if: Chromium.path != nil, "needs Chromium (Debian: chromium)"))
struct PageBrowserTests {
    @Test(
        "The address that is printed opens the board, and the page's script has run",
        .timeLimit(.minutes(3)))
    func opens() async throws {
        let chromium = try #require(Chromium.path)
        try await DashboardProcess.showingDemo { address in
            let folder = FileManager.default.temporaryDirectory.appending(path: "daybook-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            // A browser may still write there when it was told to end.
            defer { try? FileManager.default.removeItem(at: folder) }
            let page = folder.appending(path: "page.html")
            try Data().write(to: page)
            var command = ChildCommand(
                chromium,
                [
                    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                    "--user-data-dir=\(folder.path)/profile", "--virtual-time-budget=5000",
                    "--dump-dom", address,
                ])
            command.output = .file(page.path)
            let status = try await command.start().end()
            let text = try String(contentsOf: page, encoding: .utf8)
            #expect(status == 0)
            #expect(text.contains("<h1>Overview</h1>"), "\(text.prefix(2_000))")
            // Without script the page says UTC in each time.
            let times = text.matches(of: /<time [^>]*>([^<]*)<\/time>/)
            #expect(times.count > 5)
            #expect(times.allSatisfy { !$0.1.contains("UTC") && !$0.1.isEmpty })
        }
    }
}

/// The browser of the machine.
private enum Chromium {
    static let path = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }
}
