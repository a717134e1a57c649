// The menu on a phone, and the search. Without it all pages can be read all the same.
const menu = document.getElementById("menu")
const pages = document.getElementById("pages")
menu.addEventListener("click", () => {
  menu.setAttribute("aria-expanded", String(pages.classList.toggle("open")))
})
const current = pages.querySelector("[aria-current]")
// The page itself must not scroll, only the menu.
if (current !== null) pages.scrollTop = current.offsetTop - pages.clientHeight / 2

const field = document.getElementById("search")
const found = document.getElementById("found")
let index

field.addEventListener("input", () => {
  const words = field.value.trim()
  if (words === "") return close()
  index ??= indexed()
  const hits = index.search(words, { prefix: true, fuzzy: 0.15, boost: { title: 3, page: 2 } }).slice(0, 12)
  found.replaceChildren(...(hits.length === 0 ? [nothing(words)] : hits.map(entry)))
  found.hidden = false
})
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== field) {
    event.preventDefault()
    field.focus()
  } else if (event.key === "Escape") close()
  else if (event.key === "ArrowDown" || event.key === "ArrowUp") move(event)
  else if (event.key === "Enter" && document.activeElement === field) found.querySelector("a")?.click()
})
document.addEventListener("click", (event) => {
  if (!found.contains(event.target) && event.target !== field) close()
})

function indexed() {
  const search = new MiniSearch({ fields: ["title", "page", "text"], storeFields: ["url", "title", "page"] })
  search.addAll(SECTIONS)
  return search
}

function entry({ url, title, page }) {
  const item = document.createElement("li")
  const link = document.createElement("a")
  link.href = document.documentElement.dataset.root + url
  link.textContent = title
  if (page !== title) link.append(Object.assign(document.createElement("small"), { textContent: page }))
  link.addEventListener("click", close)
  item.append(link)
  return item
}

function nothing(words) {
  const item = document.createElement("li")
  item.append(Object.assign(document.createElement("p"), { textContent: `Nothing is said of “${words}”.` }))
  return item
}

function move(event) {
  const links = [...found.querySelectorAll("a")]
  if (found.hidden || links.length === 0) return
  event.preventDefault()
  const next = links.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1)
  ;(links[next] ?? field).focus()
}

function close() {
  found.hidden = true
}
