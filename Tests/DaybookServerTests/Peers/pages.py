"""Chromium looks at every page of every app.

    pages.py ADDRESS [FOLDER]    what `daybook dashboard --demo` prints; where screenshots go

Fails, with a line for each thing that is wrong, where a page logs an error, asks another host, is wider than
its window, breaks a rule of axe-core, or does not do by keys, by pointer and without script what it says.
"""

import json
import os
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from urllib.parse import parse_qs, urlsplit

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

WIDTHS = (320, 768, 1440)
THEMES = ("light", "dark")
PROBLEMS = []


def wrong(page, what):
    PROBLEMS.append(f"{page}: {what}")
    print(f"{page}: {what}", flush=True)


class Browser:
    def __init__(self, script=True):
        options = Options()
        for argument in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage"):
            options.add_argument("--" + argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        if not script:
            options.add_experimental_option(
                "prefs", {"profile.managed_default_content_settings.javascript": 2})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.axe = (resources.files("axe_playwright_python") / "axe.min.js").read_text()
        self.size(1440)

    def size(self, width, height=1000):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def theme(self, name):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": name}]})

    def sign_in(self, base, cookies):
        # The address opens once; the cookies that it gave open in other browsers as well.
        self.driver.get(base + "/sign-in")
        for cookie in cookies:
            self.driver.add_cookie({"name": cookie["name"], "value": cookie["value"]})

    def open(self, base, path):
        self.driver.get(base + path)
        self.settle()

    def settle(self):
        # A page about all customers loads again until its answer is there.
        for _ in range(100):
            if not self.driver.find_elements(By.CSS_SELECTOR, "[data-running]"):
                return
            time.sleep(0.2)

    def logs(self, base, page, allowed=()):
        for entry in self.driver.get_log("browser"):
            if entry["level"] == "SEVERE" and not any(part in entry["message"] for part in allowed):
                wrong(page, entry["message"])
        host = urlsplit(base).netloc
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = urlsplit(message["params"]["request"]["url"])
                if url.scheme in ("http", "https", "ws", "wss") and url.netloc != host:
                    wrong(page, f"asks {url.netloc}")

    def rules(self, page):
        self.driver.execute_script(self.axe)
        found = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            "axe.run().then((r) => done(r.violations.map((v) =>"
            " [v.id, v.help, v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160))])))")
        for name, text, nodes in found:
            wrong(page, f"axe {name}: {text}: {nodes}")

    def fits(self, page):
        wide = self.driver.execute_script(
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if wide > 0:
            wrong(page, f"is {wide} px wider than its window")


def links(driver, selector):
    return [urlsplit(link.get_attribute("href"))._replace(scheme="", netloc="").geturl()
            for link in driver.find_elements(By.CSS_SELECTOR, selector)]


def pages_of(browser, base, app):
    """Every kind of page of an app, and several customers."""
    driver = browser.driver
    paths = {"overview": f"/apps/{app}", "catalog": f"/apps/{app}/catalog", "ledger": f"/apps/{app}/ledger"}
    browser.open(base, f"/apps/{app}/customers")
    paths["customers"] = f"/apps/{app}/customers"
    customers = list(dict.fromkeys(links(driver, "tbody a")))[:4]
    paths["nobody"] = f"/apps/{app}/customers?q=nothing-has-this-id"
    paths["unknown"] = f"/apps/{app}/customers/nothing-has-this-id"
    for number, path in enumerate(customers):
        paths[f"customer-{number}"] = path
        browser.open(base, path)
        if number == 0:
            paths["timeline"] = path + "/timeline"
            paths["past"] = path + "?at=2026-02-05&known_at=2026-02-05"
            for name, selector in (("explain", "td a[href*='/explain/']"), ("event", "td a[href*='/events/']")):
                found = links(driver, selector)
                if found:
                    paths[name] = found[0]
    browser.open(base, f"/apps/{app}/metrics")
    paths["metrics"] = f"/apps/{app}/metrics"
    for name in ("net_revenue", "active_customers", "retention", "mrr", "refund_rate", "limit_reached"):
        paths["metric-" + name] = f"/apps/{app}/metrics/{name}"
    for kind in ("funnels", "experiments", "boards"):
        browser.open(base, f"/apps/{app}/metrics")
        for number, path in enumerate(dict.fromkeys(links(driver, f"main a[href*='/{kind}/']"))):
            paths[f"{kind}-{number}"] = path
            # One of a kind leads to who is behind its numbers.
            if number == 0:
                browser.open(base, path)
                behind = links(driver, "a[href*='/customers?']")
                if behind:
                    paths[f"{kind}-behind"] = behind[0]
    browser.open(base, f"/apps/{app}/metrics/new_customers")
    paths["behind"] = links(driver, "a[href*='/customers?']")[0]
    paths["what-if"] = f"/apps/{app}/catalog/what-if?version=1"
    paths["changes"] = f"/apps/{app}/catalog/1/changes"
    paths["verify"] = f"/apps/{app}/ledger/verify"
    paths["doctor"] = f"/apps/{app}/ledger/doctor"
    if "event" in paths:
        browser.open(base, paths["event"])
        paths["without"] = links(driver, "a[href*='without=']")[0]
    paths["filtered"] = f"/apps/{app}/metrics/new_customers?cohort=2026-02&by=week"
    return paths


def look(browser, base, app, folder):
    paths = pages_of(browser, base, app)
    for name, path in paths.items():
        page = f"{app} {name}"
        allowed = ("404 (Not Found)",) if name == "unknown" else ()
        for theme in THEMES:
            browser.theme(theme)
            for width in WIDTHS:
                # Customers after the first are like it, and seen once.
                if name.startswith("customer-") and name != "customer-0" and (theme, width) != ("light", 1440):
                    continue
                browser.size(width)
                browser.open(base, path)
                where = f"{page} {theme} {width}"
                browser.fits(where)
                browser.rules(where)
                browser.logs(base, where, allowed)
                if folder and width != 768:
                    height = browser.driver.execute_script("return document.documentElement.scrollHeight")
                    browser.size(width, min(height, 3000))
                    browser.driver.save_screenshot(f"{folder}/{app}-{name}-{theme}-{width}.png")
        print(f"{page}: seen", flush=True)
    browser.theme("light")
    browser.size(1440)
    return paths


def move(browser, base, path):
    """The square of the plane, by keys and by pointer: what it says is what the page then shows."""
    driver = browser.driver
    browser.open(base, path)
    control = driver.find_element(By.CSS_SELECTOR, "[data-square]")
    # By keys alone: Tab until the plane has the focus.
    for _ in range(200):
        ActionChains(driver).send_keys(Keys.TAB).perform()
        if driver.switch_to.active_element == control:
            break
    else:
        wrong(path, "the plane cannot be reached by Tab")
    steps = [(Keys.ARROW_LEFT, 40), (Keys.ARROW_DOWN, 30), (Keys.ARROW_LEFT, 60), (Keys.ARROW_UP, 10)]
    for key, count in steps:
        ActionChains(driver).send_keys(key * count).perform()
        agree(browser, path, lambda: ActionChains(driver).send_keys(Keys.ENTER).perform())
        focused = driver.switch_to.active_element
        if focused.get_attribute("data-square") is None:
            wrong(path, f"after Enter {focused.tag_name} has the focus, not the square")
    for x, y in ((0.3, 0.3), (0.5, 0.7), (0.75, 0.5), (0.2, 0.85)):
        svg = driver.find_element(By.CSS_SELECTOR, "[data-plane] svg")
        driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", svg)
        size = svg.size
        drag = ActionChains(driver).move_to_element(svg).click_and_hold().move_by_offset(
            int((x - 0.5) * size["width"]), int((y - 0.5) * size["height"]))
        drag.perform()
        agree(browser, path, lambda: ActionChains(driver).release().perform())
    driver.back()
    browser.logs(base, path, ("404 (Not Found)",))


def agree(browser, path, show):
    driver = browser.driver
    said = driver.find_element(By.CSS_SELECTOR, "[data-plane-word]").text
    before = driver.current_url
    show()
    for _ in range(100):
        if driver.current_url != before and driver.find_elements(By.CSS_SELECTOR, ".past"):
            break
        time.sleep(0.05)
    else:
        wrong(path, "the page does not follow the square")
        return
    time.sleep(0.3)
    fields = parse_qs(urlsplit(driver.current_url).query)
    if "at" not in fields or "known_at" not in fields:
        wrong(path, f"the moment is not in {driver.current_url}")
    verdict = driver.find_elements(By.CSS_SELECTOR, ".verdict")
    if not verdict or said.startswith(("no rule", "not drawn")):
        return
    shown = "yes" if "yes" in verdict[0].get_attribute("class").split() else "no"
    if not said.startswith(shown):
        wrong(path, f"the square said {said!r}, the page says {shown} at {fields}")


WALK = """
const [count, seed, done] = arguments
let state = seed
const random = (most) => { state = (state * 1103515245 + 12345) % 2147483648; return Math.floor(state / 65536) % most }
const control = document.querySelector("[data-square]")
const part = control.closest("[data-plane]")
const names = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]
const walk = async () => {
  const found = {compared: 0, unruled: 0, wrong: []}
  for (let point = 0; point < count; point += 1) {
    for (let step = 0; step < 12; step += 1) {
      control.dispatchEvent(new KeyboardEvent("keydown", {key: names[random(4)], shiftKey: random(3) > 0}))
    }
    const said = part.querySelector("[data-plane-word]").textContent
    const address = new URL(location.pathname, location.href)
    address.searchParams.set("name", part.dataset.name)
    address.searchParams.set("at", new Date(Number(control.dataset.at)).toISOString())
    address.searchParams.set("known_at", new Date(Number(control.dataset.known)).toISOString())
    const page = new DOMParser().parseFromString(await (await fetch(address)).text(), "text/html")
    const verdict = page.querySelector(".verdict")
    if (!verdict || !/^(yes|no)\\b(?! rule)/.test(said)) { found.unruled += 1; continue }
    found.compared += 1
    const shown = verdict.classList.contains("yes") ? "yes" : "no"
    if (!said.startsWith(shown)) found.wrong.push(`${address.search}: the square said ${said}, the page ${shown}`)
  }
  return found
}
walk().then(done, (error) => done({compared: 0, unruled: 0, wrong: [String(error)]}))
"""


def points(browser, base, paths):
    """The square at 40 random places of each plane says what the page of that moment answers."""
    compared = 0
    for seed, path in enumerate(paths):
        browser.open(base, path)
        if not browser.driver.find_elements(By.CSS_SELECTOR, "[data-square]"):
            wrong(path, "has no plane")
            continue
        found = browser.driver.execute_async_script(WALK, 40, seed + 1)
        compared += found["compared"]
        for text in found["wrong"]:
            wrong(path, text)
    print(f"{compared} random points of {len(paths)} planes compared")
    if compared < len(paths) * 10:
        wrong("planes", f"only {compared} points had a rule")


def keys(browser, base, app):
    driver = browser.driver
    browser.open(base, f"/apps/{app}")
    body = driver.find_element(By.TAG_NAME, "body")
    body.send_keys("?")
    if not driver.find_elements(By.CSS_SELECTOR, "dialog[open]"):
        wrong(app, "? shows no sheet of keys")
    ActionChains(driver).send_keys(Keys.ESCAPE).perform()
    time.sleep(0.2)
    if driver.find_elements(By.CSS_SELECTOR, "dialog[open]"):
        wrong(app, "Escape does not close the sheet")
    body.send_keys("/")
    if driver.switch_to.active_element.get_attribute("name") != "q":
        wrong(app, "/ does not go to the search")
    browser.open(base, f"/apps/{app}")
    driver.find_element(By.TAG_NAME, "body").send_keys("gm")
    time.sleep(0.5)
    if not driver.current_url.endswith("/metrics"):
        wrong(app, f"g m leads to {driver.current_url}")
    # The first stop is the way past the head of the page.
    browser.open(base, f"/apps/{app}")
    ActionChains(driver).send_keys(Keys.TAB).perform()
    if driver.switch_to.active_element.get_attribute("href") != driver.current_url + "#main":
        wrong(app, "the first stop of Tab does not skip to the content")


def what_if(browser, base, path):
    """The panel beside a customer: an event is left out, another is put in, both are taken back."""
    driver = browser.driver
    browser.open(base, path)
    driver.find_element(By.CSS_SELECTOR, "a[href$='#what-if']").click()
    driver.find_element(By.CSS_SELECTOR, "tr a[href*='without=']").click()
    browser.settle()
    if not driver.find_elements(By.CSS_SELECTOR, ".panel [role=status]"):
        wrong(path, "does not say what would be different without an event")
    rows = driver.find_elements(By.CSS_SELECTOR, "tr a[href*='like=']")
    if not rows:
        wrong(path, "has no event to put in another like it")
        return
    rows[-1].click()
    text = driver.find_element(By.CSS_SELECTOR, ".panel textarea").get_attribute("value")
    if '"what-if/' not in text:
        wrong(path, f"the form begins with {text!r}")
    driver.find_element(By.CSS_SELECTOR, ".panel button.primary").click()
    browser.settle()
    if not driver.find_elements(By.CSS_SELECTOR, ".panel [role=status]"):
        wrong(path, "does not say what would be different with another event: "
              + driver.find_element(By.CSS_SELECTOR, ".panel").text[:300])
    driver.find_element(By.CSS_SELECTOR, ".panel textarea").send_keys("{")
    driver.find_element(By.CSS_SELECTOR, ".panel button.primary").click()
    browser.settle()
    if not driver.find_elements(By.CSS_SELECTOR, ".panel [role=alert]"):
        wrong(path, "does not refuse what is no event")
    browser.rules(path + " with a panel")
    driver.find_element(By.LINK_TEXT, "Close").click()
    if driver.find_elements(By.CSS_SELECTOR, ".panel"):
        wrong(path, "the panel does not close")
    browser.logs(base, path, ("422 (Unprocessable",))


def marks(browser, base, path):
    """Numbers have the marks of the viewer's language, and are the same numbers."""
    read = "return [...document.querySelectorAll('main .n, main .kpi')].map((part) => part.textContent)"
    texts = {}
    for name in ("en-US", "de-DE"):
        browser.driver.execute_cdp_cmd("Emulation.setLocaleOverride", {"locale": name})
        browser.open(base, path)
        # Times are told in words of the language.
        texts[name] = [text for text in browser.driver.execute_script(read) if not re.search("[0-9]:[0-9]", text)]
    browser.driver.execute_cdp_cmd("Emulation.setLocaleOverride", {})
    swapped = [text.translate(str.maketrans(",.", ".,")) for text in texts["en-US"]]
    if texts["de-DE"] != swapped:
        wrong(path, f"in German {texts['de-DE'][:20]} of {texts['en-US'][:20]}")
    if texts["de-DE"] == texts["en-US"]:
        wrong(path, f"has no number with a mark: {texts['en-US'][:20]}")


def without_script(base, cookies, paths, app):
    browser = Browser(script=False)
    driver = browser.driver
    browser.sign_in(base, cookies)
    for name, path in paths.items():
        driver.get(base + path)
        page = f"{app} {name}"
        if len(driver.find_element(By.TAG_NAME, "main").text) < 20:
            wrong(page, "is empty without script")
        if name == "customer-0":
            if not driver.find_elements(By.CSS_SELECTOR, "svg.plane .square"):
                wrong(page, "has no plane without script")
            if "UTC" not in driver.find_element(By.TAG_NAME, "time").text:
                wrong(page, "does not say that times are in UTC")
    driver.quit()


def walk(base, cookies, app, folder):
    """Everything about the pages and the planes of an app, in a browser of its own."""
    browser = Browser()
    try:
        browser.sign_in(base, cookies)
        paths = look(browser, base, app, folder)
        customers = [path for name, path in paths.items() if name.startswith("customer-")]
        for path in customers[:2]:
            move(browser, base, path)
        browser.driver.set_script_timeout(120)
        points(browser, base, customers[:2])
        return paths
    finally:
        browser.driver.quit()


def main():
    address = sys.argv[1]
    folder = sys.argv[2] if len(sys.argv) > 2 else None
    if folder:
        os.makedirs(folder, exist_ok=True)
    base = "{0.scheme}://{0.netloc}".format(urlsplit(address))
    browser = Browser()
    browser.open(address, "")
    apps = [path.split("/")[2] for path in links(browser.driver, ".app a")]
    if len(apps) != 5:
        wrong("session", f"shows {apps}")
    cookies = browser.driver.get_cookies()
    # Two browsers share the apps: rules are checked in a page's own process, most of the time.
    with ThreadPoolExecutor(max_workers=2) as workers:
        seen = dict(zip(apps, workers.map(lambda app: walk(base, cookies, app, folder), apps)))
    keys(browser, base, apps[0])
    what_if(browser, base, seen[apps[0]]["customer-0"])
    for name in ("overview", "metric-net_revenue"):
        marks(browser, base, seen[apps[0]][name])
    browser.driver.quit()
    without_script(base, cookies, seen[apps[0]], apps[0])
    print(f"{sum(map(len, seen.values()))} pages, {len(PROBLEMS)} problems")
    sys.exit(1 if PROBLEMS else 0)


if __name__ == "__main__":
    main()
