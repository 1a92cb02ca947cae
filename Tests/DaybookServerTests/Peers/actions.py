"""A person in support does everything that pages offer for a customer, and takes it back.

    actions.py ADDRESS    that of `daybook serve`; DAYBOOK_KEY is a key of admin

Each act goes the whole way in Chromium: the form, what it would change, the act, and the way back where there is one.
"""

import os
import sys

from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.select import Select
from selenium.webdriver.support.ui import WebDriverWait

from pages import PROBLEMS, Browser, wrong

APP = "dozzi"


def text(driver, selector="main"):
    return driver.find_element(By.CSS_SELECTOR, selector).text


def fill(driver, values):
    for name, value in values.items():
        field = driver.find_element(By.NAME, name)
        if field.tag_name == "select":
            Select(field).select_by_value(value)
        else:
            field.clear()
            field.send_keys(value)


def press(driver, words, leads=True):
    """Presses a button; `leads`: to another page, which is waited for."""
    buttons = [b for b in driver.find_elements(By.TAG_NAME, "button") if b.text == words]
    if not buttons:
        wrong(driver.current_url, f"has no button {words!r}: {text(driver)[:300]}")
        sys.exit(1)
    follow(driver, buttons[0], leads)


def is_gone(element):
    """Whether another page is there. In the moment of the change the driver has an error of its own for it."""
    try:
        element.is_enabled()
    except WebDriverException as error:
        if isinstance(error, StaleElementReferenceException) or "does not belong to the document" in str(error):
            return True
        raise
    return False


def follow(driver, element, leads=True):
    body = driver.find_element(By.TAG_NAME, "body")
    element.click()
    if leads:
        wait = WebDriverWait(driver, 20)
        wait.until(lambda _: is_gone(body))
        wait.until(lambda d: d.execute_script("return document.readyState") == "complete")


def act(browser, base, what, path, values):
    """The form at a path, tried and done; the page that it leads to."""
    driver = browser.driver
    browser.open(base, path)
    # Without a reason nothing is tried: the browser itself keeps the form.
    press(driver, "Show what it would change", leads=False)
    if "What it would change" in text(driver):
        wrong(what, "is tried without a reason")
    fill(driver, {**values, "reason": "a customer asked", "ticket": "SUP-1"})
    press(driver, "Show what it would change")
    if "What it would change" not in text(driver) or "Nothing was recorded so far" not in text(driver):
        wrong(what, f"shows no dry run: {text(driver)[:300]}")
    browser.fits(what)
    browser.rules(what)
    press(driver, "Do it")
    if "Recorded as" not in text(driver):
        wrong(what, f"was not recorded: {text(driver)[:300]}")
    browser.logs(base, what)


def undo(browser, base, what, gone):
    """Takes back what was just done, by the link beside it."""
    driver = browser.driver
    links = driver.find_elements(By.LINK_TEXT, "Take it back")
    if not links:
        wrong(what, "cannot be taken back")
        return
    follow(driver, links[0])
    fill(driver, {"reason": "by mistake", "ticket": "SUP-1"})
    press(driver, "Show what it would change")
    press(driver, "Do it")
    if "Recorded as" not in text(driver):
        wrong(what, f"was not taken back: {text(driver)[:300]}")
    if gone(driver):
        wrong(what, "is still there after it was taken back")
    browser.logs(base, what)


def counter(browser, base, customer):
    browser.open(base, f"/apps/{APP}/customers/{customer}")
    for section in browser.driver.find_elements(By.TAG_NAME, "section"):
        if section.text.startswith("Counters"):
            return section.find_element(By.TAG_NAME, "tbody").text
    return ""


def active(browser, base, customer, query=""):
    """The entitlements that a customer has."""
    browser.open(base, f"/apps/{APP}/customers/{customer}{query}")
    for section in browser.driver.find_elements(By.TAG_NAME, "section"):
        if section.text.startswith("Entitlements"):
            return [row.text for row in section.find_elements(By.CSS_SELECTOR, "tbody tr") if "✓" in row.text]
    return []


def main():
    base = sys.argv[1]
    browser = Browser()
    driver = browser.driver
    browser.open(base, "/sign-in")
    fill(driver, {"key": os.environ["DAYBOOK_KEY"]})
    press(driver, "Sign in")
    own = f"/apps/{APP}/customers/ada/actions"

    before = counter(browser, base, "ada")
    act(browser, base, "grant", f"{own}/grant", {"target": "meter stories", "amount": "7"})
    if counter(browser, base, "ada") == before:
        wrong("grant", "changes no counter")
    driver.back()
    undo(browser, base, "grant", lambda _: counter(browser, base, "ada") != before)

    act(browser, base, "grant of an entitlement", f"{own}/grant",
        {"target": "entitlement unlimited", "expires": "2030-01-01"})
    undo(browser, base, "grant of an entitlement",
         lambda d: "until 1 Jan 2030" in text(d))

    # A purchase of the recorded streams changes hands, and comes back.
    browser.open(base, f"/apps/{APP}/metrics/gross_revenue/customers?by=whole")
    owner = driver.find_element(By.CSS_SELECTOR, "tbody a").text
    browser.open(base, f"/apps/{APP}/customers/{owner}")
    event = next(link.get_attribute("href") for link in driver.find_elements(By.CSS_SELECTOR, "td a[href*='/events/']")
                 if "purchase" in link.find_element(By.XPATH, "./ancestor::tr").text)
    driver.get(event)
    rows = {row.find_element(By.TAG_NAME, "th").text: row.find_element(By.TAG_NAME, "td").text
            for row in driver.find_elements(By.CSS_SELECTOR, "tbody tr")}
    lineage = rows["stream"].split("/line/", 1)[-1]
    if not active(browser, base, owner):
        wrong("transfer", f"{owner} has nothing to hand over")
    act(browser, base, "transfer", f"/apps/{APP}/customers/{owner}/actions/transfer",
        {"lineage": lineage, "to": "zoe"})
    undo(browser, base, "transfer", lambda _: not active(browser, base, owner) or active(browser, base, "zoe"))

    # An event that never held: it stays in the history, struck through, and no page takes that back.
    act(browser, base, "grant to be voided", f"{own}/grant", {"target": "meter stories", "amount": "3"})
    follow(driver, driver.find_element(By.CSS_SELECTOR, ".done a"))
    follow(driver, driver.find_element(By.LINK_TEXT, "Void this event"))
    fill(driver, {"reason": "never promised", "ticket": "SUP-1"})
    press(driver, "Show what it would change")
    press(driver, "Do it")
    if not driver.find_elements(By.CSS_SELECTOR, "tr.void"):
        wrong("void", "strikes nothing through")
    if counter(browser, base, "ada") != before:
        wrong("void", "leaves the counter as it was")

    # Outside production: a state is pretended and ended.
    press_sandbox(browser, base)
    driver.quit()
    print(f"{len(PROBLEMS)} problems")
    sys.exit(1 if PROBLEMS else 0)


def press_sandbox(browser, base):
    path = f"/apps/{APP}/customers/ada/actions/pretend?environment=sandbox"
    act(browser, base, "pretence", path, {"kind": "force_entitlement"})
    undo(browser, base, "pretence", lambda _: active(browser, base, "ada", "?environment=sandbox"))


if __name__ == "__main__":
    main()
