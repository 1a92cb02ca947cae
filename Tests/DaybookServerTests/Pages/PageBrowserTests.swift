import Daybook
import DaybookEvents
import DaybookFixtures
import DaybookServer
import Foundation
import Testing

/// The pages in a real browser: that each loads, runs its script and fits; the extended tier has the rest.
///
/// `make test` runs it by itself after all other tests: beside them a page takes minutes on two cores.
@Suite(
    "Pages in Chromium, a smoke",
    .enabled(
        if: WebDriver.isInstalled
            && ["DAYBOOK_TIER": "extended", "DAYBOOK_SMOKE": "1"].contains {
                ProcessInfo.processInfo.environment[$0] == $1
            },
        "run by itself at the end; needs chromium and chromedriver (Debian: chromium-driver)"))
struct PageBrowserTests {
    @Test("Every kind of page loads without an error, runs its script and fits a telephone")
    func loads() async throws {
        try await PageContentTests.serving("nuzzle") { bench, _, subjects in
            let (_, key) = try bench.keys.create(
                [.admin], app: "nuzzle", label: "browser", by: "test", now: 0)
            let base = "http://127.0.0.1:\(bench.client.port)"
            try await WebDriver.browsing { driver in
                try await driver.open(base + "/sign-in")
                _ = try await driver.run(
                    "document.querySelector('[name=key]').value = '\(key)'; document.querySelector('main form').submit()"
                )
                try await ServerBench.eventually {
                    try await driver.run("return location.pathname") == "/apps/nuzzle"
                }
                let own = "/customers/\(subjects[0])"
                for path in [
                    "", "/customers", own, own + "?at=2026-02-05&known_at=2026-02-05", "/metrics",
                    "/metrics/net_revenue", "/boards/trials", "/catalog", "/catalog/what-if",
                    "/ledger", own + "/actions/grant", own + "?what_if=open",
                ] {
                    try await driver.open("\(base)/apps/nuzzle\(path)")
                    try await ServerBench.eventually {
                        try await driver.run(
                            "return document.querySelector('[data-running]') === null")
                            == .bool(true)
                    }
                    // Its times are in the browser's words once the script ran.
                    try await ServerBench.eventually {
                        try await driver.run(
                            "return [...document.querySelectorAll('time')].every((t) => !t.textContent.includes('UTC'))"
                        ) == .bool(true)
                    }
                    let wide = try await driver.run(
                        "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
                    )
                    #expect(wide.integer ?? 1 <= 0, "\(path)")
                    #expect(try await driver.log() == [], "\(path)")
                }
                try await driver.open(base + "/apps/nuzzle" + own)
                _ = try await driver.run(
                    "document.querySelector('[data-square]').dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft'}))"
                )
                let said = try await driver.run(
                    "return document.querySelector('[data-plane-word]').textContent")
                #expect(said.text?.contains("as known on") == true, "\(said)")
            }
        }
    }
}
