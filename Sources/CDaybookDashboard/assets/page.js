// What pages are better with: the viewer's own time zone and marks of numbers, copying, keys, and the plane of two clocks moved by hand.
// Every page works without it.

const zone = new Intl.DateTimeFormat(undefined, {
  day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit",
})
const exact = new Intl.DateTimeFormat(undefined, {
  day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit",
  fractionalSecondDigits: 3, timeZoneName: "short",
})

// The pages write numbers with commas and a point. Names, code and times are left as they are.
const writesSo = new Intl.NumberFormat(undefined, {maximumFractionDigits: 1}).format(1234567.5) === "1,234,567.5"
const number = /(?<![\p{L}\d@.,:/#])\d+(?:,\d{3})*(?:\.\d+)?(?![\p{L}\d:/]|\.\d)/gu
const rewritten = new WeakSet()

function localizeNumbers(root) {
  for (const part of root.querySelectorAll(".n, .kpi, [data-number], svg text, svg title")) {
    const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const text = texts.currentNode
      if (rewritten.has(text) || text.parentElement.closest("bdi, code, time")) continue
      rewritten.add(text)
      // Without a comma or a point it may be a year or a position.
      text.data = text.data.replace(number, (found) => {
        if (!/[.,]/.test(found)) return found
        const digits = found.split(".")[1]?.length ?? 0
        return new Intl.NumberFormat(undefined, {minimumFractionDigits: digits, maximumFractionDigits: digits})
          .format(found.replaceAll(",", ""))
      })
    }
  }
}

function localize(root) {
  if (!writesSo) localizeNumbers(root)
  for (const time of root.querySelectorAll("time[datetime]")) {
    const moment = new Date(time.dateTime)
    if (!Number.isNaN(moment.getTime())) time.textContent = zone.format(moment)
  }
  for (const button of root.querySelectorAll("[data-copy]")) {
    button.hidden = false
    button.addEventListener("click", async () => {
      const text = button.parentElement.querySelector("[data-copy-text]")
      await navigator.clipboard.writeText(text.textContent)
      button.textContent = "Copied"
    })
  }
  for (const part of root.querySelectorAll("[data-needs-script]")) part.hidden = false
  for (const part of root.querySelectorAll("[data-plane]")) new Plane(part)
}

// The moment of the page as a square that can be dragged, clicked or moved by arrow keys.
class Plane {
  constructor(part) {
    this.part = part
    this.svg = part.querySelector("svg")
    this.word = part.querySelector("[data-plane-word]")
    this.knots = part.dataset.knots.split(" ").map((pair) => pair.split(",").map(Number))
    this.range = [Number(part.dataset.from), Number(part.dataset.until)]
    this.sides = [Number(part.dataset.left), Number(part.dataset.right)]
    this.at = this.held(Number(part.dataset.at), ...this.range)
    this.known = this.held(Number(part.dataset.known), this.knots[0][0], this.knots.at(-1)[0])
    // The drawing is a picture; what is moved by keys is a control beside it.
    this.control = part.querySelector("[data-square]")
    this.control.hidden = false
    this.control.setAttribute("aria-keyshortcuts", "ArrowLeft ArrowRight ArrowUp ArrowDown Enter")
    this.svg.addEventListener("pointerdown", (event) => {
      this.svg.setPointerCapture(event.pointerId)
      this.dragging = true
      this.follow(event)
    })
    this.svg.addEventListener("pointermove", (event) => { if (this.dragging) this.follow(event) })
    this.svg.addEventListener("pointerup", () => {
      if (!this.dragging) return
      this.dragging = false
      this.show()
    })
    this.control.addEventListener("keydown", (event) => this.key(event))
  }

  held(value, low, high) { return Math.min(Math.max(value, low), high) }

  x(time) {
    const [from, until] = this.range
    return this.sides[0] + (time - from) / Math.max(1, until - from) * (this.sides[1] - this.sides[0])
  }

  y(time) {
    const upper = Math.max(1, this.knots.findIndex(([knot]) => knot >= time))
    const [low, high] = [this.knots[upper - 1], this.knots[upper] ?? this.knots[upper - 1]]
    return low[1] + (high[1] - low[1]) * (time - low[0]) / Math.max(1, high[0] - low[0])
  }

  follow(event) {
    const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse())
    const [from, until] = this.range
    const part = (place.x - this.sides[0]) / (this.sides[1] - this.sides[0])
    this.at = Math.round(this.held(from + part * (until - from), from, until - 1))
    let upper = this.knots.findIndex(([, y]) => y <= place.y)
    if (upper < 0) upper = this.knots.length - 1
    const [low, high] = [this.knots[Math.max(0, upper - 1)], this.knots[upper]]
    const share = low[1] === high[1] ? 1 : (low[1] - place.y) / (low[1] - high[1])
    this.known = Math.round(this.held(low[0] + share * (high[0] - low[0]), this.knots[0][0], this.knots.at(-1)[0]))
    this.move()
  }

  key(event) {
    const width = this.range[1] - this.range[0]
    const height = this.knots.at(-1)[0] - this.knots[0][0]
    const step = event.shiftKey ? 10 : 1
    switch (event.key) {
      case "ArrowLeft": this.at -= Math.round(width / 200) * step; break
      case "ArrowRight": this.at += Math.round(width / 200) * step; break
      case "ArrowUp": this.known += Math.round(height / 200) * step; break
      case "ArrowDown": this.known -= Math.round(height / 200) * step; break
      case "Enter": this.show(); return
      default: return
    }
    event.preventDefault()
    this.at = this.held(this.at, this.range[0], this.range[1] - 1)
    this.known = this.held(this.known, this.knots[0][0], this.knots.at(-1)[0])
    this.move()
  }

  // Draws the square where it is and says what holds there; the page follows with `show`.
  move() {
    const [x, y] = [this.x(this.at), this.y(this.known)]
    const [vertical, horizontal] = this.svg.querySelectorAll(".cross")
    for (const name of ["x1", "x2"]) vertical.setAttribute(name, x)
    for (const name of ["y1", "y2"]) horizontal.setAttribute(name, y)
    const square = this.svg.querySelector(".square")
    square.setAttribute("x", x - 5)
    square.setAttribute("y", y - 5)
    const cell = [...this.svg.querySelectorAll(".cell")].find(({dataset}) =>
      Number(dataset.from) <= this.at && this.at < Number(dataset.until)
      && Number(dataset.low) <= this.known && this.known < Number(dataset.high))
    const words = `${exact.format(this.at)}, as known on ${exact.format(this.known)}`
    this.control.dataset.at = this.at
    this.control.dataset.known = this.known
    this.word.textContent = `${cell ? cell.dataset.word : "not drawn"}: ${words}`
  }

  show() {
    const address = new URL(location.href)
    address.searchParams.set("name", this.part.dataset.name)
    address.searchParams.set("at", new Date(this.at).toISOString())
    address.searchParams.set("known_at", new Date(this.known).toISOString())
    load(address, {isNew: true})
  }
}

// Another moment of the same page: its content is exchanged, the focus stays where it was.
let shown = location.pathname + location.search
let again
async function load(address, {isNew = false, follows = false} = {}) {
  clearTimeout(again)
  const plane = document.activeElement?.closest("[data-plane]")
  const headers = {Accept: "text/html"}
  // What the page does by itself keeps no session alive.
  if (follows) headers["X-Daybook-Follows"] = "1"
  let reply
  try {
    reply = await fetch(address, {headers})
  } catch {
    // The server is away; what the page shows stays, and is followed once it is back.
    if (follows) again = setTimeout(() => load(address, {follows}), 5000)
    else location.href = address
    return
  }
  if (reply.redirected && new URL(reply.url).pathname !== address.pathname) {
    location.href = reply.url
    return
  }
  const page = new DOMParser().parseFromString(await reply.text(), "text/html")
  const isRunning = page.querySelector("[data-running]") !== null
  // A page that is being computed loads again, as it would by itself; what is followed stays until the next is there.
  if (isRunning) again = setTimeout(() => load(address, {follows}), 1000)
  if (isRunning && follows) return
  for (const name of follows ? ["main"] : [".clocks", ".bands", "main", "nav"]) {
    const [old, fresh] = [document.querySelector(name), page.querySelector(name)]
    if (old && fresh) old.replaceWith(fresh)
    else if (old) old.remove()
    else if (fresh) document.querySelector("main").before(fresh)
  }
  document.title = page.title
  if (isNew) history.pushState({}, "", address)
  shown = location.pathname + location.search
  localize(document)
  if (!isRunning) listen()
  else source?.close()
  if (plane) document.querySelector("[data-plane] [data-square]")?.focus({preventScroll: true})
}

// News: the board follows by itself, a customer's page says that there is something and is loaded when asked.
// A page that is not seen does not listen: a browser has few connections to one host.
let source
let heard
function listen() {
  source?.close()
  heard = undefined
  const part = document.querySelector("[data-news]")
  document.querySelector("[data-news-text]").textContent = ""
  if (part && !document.hidden) hear(part)
}

function hear(part) {
  const text = document.querySelector("[data-news-text]")
  const address = new URL(part.dataset.news, location.href)
  if (heard) address.searchParams.set("after", heard)
  let count = 0
  let timer
  source = new EventSource(address)
  source.addEventListener("place", (event) => { heard = event.lastEventId })
  source.onmessage = (event) => {
    heard = event.lastEventId
    count += 1
    // Once a second at most, and at least while news goes on.
    timer ??= setTimeout(async () => {
      timer = undefined
      const words = `${count} new ${count === 1 ? "event" : "events"} `
      // What has the focus, or was opened to be read, is not taken away.
      const isBusy = document.querySelector("main").contains(document.activeElement)
        || document.querySelector("main details[open]")
      if (part.dataset.follows && !isBusy) {
        await load(new URL(location.href), {follows: true})
        text.textContent = words
        return
      }
      const button = document.createElement("button")
      button.textContent = "Show"
      button.addEventListener("click", () => load(new URL(location.href)))
      text.replaceChildren(words, button)
    }, 1000)
  }
}

addEventListener("visibilitychange", () => {
  const part = document.querySelector("[data-news]")
  source?.close()
  if (part && !document.hidden) hear(part)
})
addEventListener("pagehide", () => source?.close())
addEventListener("pageshow", (event) => { if (event.persisted) listen() })

// A link within the page changes its history too, and nothing of what it shows.
addEventListener("popstate", () => {
  if (location.pathname + location.search !== shown) load(new URL(location.href))
})

// Keys: the search, the parts of an app, the sheet that names them.
const sheet = [
  ["/", "find a customer"], ["g o", "overview"], ["g c", "customers"], ["g m", "metrics"], ["g l", "ledger"],
  ["n", "back to now"], ["?", "this sheet"],
  ["← → ↑ ↓", "move the square of the plane, once it has the focus; with Shift farther"],
  ["Enter", "show the moment of the square"],
]

function help() {
  const dialog = document.createElement("dialog")
  dialog.setAttribute("aria-label", "Keys")
  const list = document.createElement("table")
  for (const [key, meaning] of sheet) {
    const row = list.insertRow()
    const name = document.createElement("kbd")
    name.textContent = key
    row.insertCell().append(name)
    row.insertCell().textContent = meaning
  }
  // For speech input, and where keys are pressed by accident, they can be turned off (WCAG 2.2, 2.1.4).
  const choice = document.createElement("label")
  const box = document.createElement("input")
  box.type = "checkbox"
  box.checked = keysAreOn()
  box.addEventListener("change", () => localStorage.setItem("daybook-keys", box.checked ? "on" : "off"))
  choice.append(box, " Keys work on these pages")
  const close = document.createElement("button")
  close.textContent = "Close"
  close.addEventListener("click", () => dialog.close())
  dialog.append(list, choice, close)
  dialog.addEventListener("close", () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
}

const keysAreOn = () => localStorage.getItem("daybook-keys") !== "off"

let isGoing = false
addEventListener("keydown", (event) => {
  const target = event.target
  if (event.ctrlKey || event.metaKey || event.altKey || target.closest?.("input, select, textarea, dialog")) return
  if (!keysAreOn() && event.key !== "?") return
  const go = {o: 0, c: "Customers", m: "Metrics", l: "Ledger"}
  if (isGoing && event.key in go) {
    const links = [...document.querySelectorAll("nav a")]
    const link = event.key === "o" ? links[0] : links.find((link) => link.textContent === go[event.key])
    link?.click()
  } else if (event.key === "/") {
    event.preventDefault()
    document.querySelector("[data-key='/']")?.focus()
  } else if (event.key === "?") {
    help()
  } else if (event.key === "n") {
    document.querySelector(".past a")?.click()
  }
  isGoing = event.key === "g"
})

localize(document)
listen()
document.querySelector("[data-first]")?.focus()
