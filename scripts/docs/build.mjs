// npm run docs [-- folder]: a static site of the pages in docs/, those of the project, and the reference, which is made of the
// code. Needs `npm run build` first. It works from a web server and from the disk alike.
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, posix, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import MarkdownIt from "markdown-it"
import { GROUPS, outputOf } from "./pages.mjs"
import { referencePages } from "./reference.mjs"

const HERE = dirname(fileURLToPath(import.meta.url))
const ROOT = join(HERE, "..", "..")
const SITE = resolve(process.argv[2] ?? join(ROOT, "site"))

/** Long groups of the menu, which open where one of their pages is shown. */
const CLOSED = new Set(["Decisions", "How it is built", "The project"])
/** Of a block of code, for the search. */
const MAX_CODE_CHARS = 600

const markdown = new MarkdownIt({ html: true })
rmSync(SITE, { recursive: true, force: true })
const pages = await readPages()
const sections = []
for (const page of pages.values()) write(page.output, layout(page, render(page)))
for (const file of ["site.css", "site.js"]) copyFileSync(join(HERE, file), join(SITE, file))
// Its form for a page without a bundler, beside the one that Node loads.
const minisearch = join(
  dirname(createRequire(import.meta.url).resolve("minisearch")),
  "..",
  "umd",
  "index.js",
)
copyFileSync(minisearch, join(SITE, "minisearch.js"))
write("search.js", `var SECTIONS = ${JSON.stringify(sections)}\n`)
console.log(`${pages.size} pages in ${SITE}`)

/** By the path of its source: every page, in the order of the menu. */
async function readPages() {
  const generated = await referencePages(ROOT)
  const named = GROUPS.flatMap(({ title, files }) => files.map((source) => [source, title]))
  const rest = markdownIn("docs").filter((source) => !named.some(([each]) => each === source))
  const all = [
    ...named,
    ...rest.map((source) => [source, source.includes("/decisions/") ? "Decisions" : "More"]),
  ]
  return new Map(
    all.map(([source, group]) => {
      // A page that somebody wrote counts more than one that is made.
      const isWritten = existsSync(join(ROOT, source))
      const text = isWritten ? readFileSync(join(ROOT, source), "utf8") : generated.get(source)
      const title = /^# (.+)$/m.exec(text)?.[1]?.replaceAll("`", "") ?? source
      return [source, { source, group, text, title, output: outputOf(source) }]
    }),
  )
}

function markdownIn(folder) {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .map((name) => posix.join(folder, name.replaceAll("\\", "/")))
    .filter((name) => name.endsWith(".md"))
    .sort()
}

/** The HTML of a page, and the headings for its own list of contents. Notes its sections for the search. */
function render(page) {
  const tokens = markdown.parse(page.text, {})
  const headings = []
  const slugs = new Map()
  let section
  tokens.forEach((token, at) => {
    if (token.type === "heading_open") {
      const title = plainText(tokens[at + 1])
      const slug = uniqueSlug(title, slugs)
      token.attrSet("id", slug)
      const level = Number(token.tag.slice(1))
      if (level > 1) headings.push({ level, title, slug })
      section = {
        id: sections.length,
        url: level > 1 ? `${page.output}#${slug}` : page.output,
        title,
        page: page.title,
        text: "",
      }
      sections.push(section)
    } else if (token.type === "inline") {
      for (const child of token.children ?? []) followLink(child, page)
      if (tokens[at - 1]?.type !== "heading_open" && section !== undefined)
        section.text += `${plainText(token)} `
    } else if (token.type === "fence" && section !== undefined)
      section.text += `${token.content.slice(0, MAX_CODE_CHARS)} `
  })
  const html = markdown.renderer.render(tokens, markdown.options, {})
  // A wide table or a long line of code scrolls by itself.
  const scrolls = html
    .replaceAll("<table>", '<div class="wide" tabindex="0"><table>')
    .replaceAll("</table>", "</table></div>")
  return { html: scrolls.replaceAll("<pre>", '<pre tabindex="0">'), headings }
}

function plainText(inline) {
  return (inline?.children ?? [])
    .map(({ type, content }) => (type === "text" || type === "code_inline" ? content : " "))
    .join("")
}

/** As GitHub names them, so that a link works in both places. */
function uniqueSlug(title, slugs) {
  const slug = title
    .toLowerCase()
    .trim()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")
  const times = slugs.get(slug) ?? 0
  slugs.set(slug, times + 1)
  return times === 0 ? slug : `${slug}-${times}`
}

/** A link to another page leads to its HTML; another file of the repository goes along. */
function followLink(token, page) {
  const name = token.type === "link_open" ? "href" : token.type === "image" ? "src" : undefined
  const link = name && token.attrGet(name)
  if (!link || /^(?:[a-z]+:|#)/i.test(link)) return
  const [path = "", anchor] = link.split("#")
  const source = posix.normalize(posix.join(posix.dirname(page.source), decodeURI(path)))
  const target =
    pages.get(source)?.output ?? pages.get(posix.join(source, "README.md"))?.output ?? fileFor(source)
  token.attrSet(
    name,
    target === undefined ? "#" : relativeTo(page, target) + (anchor === undefined ? "" : `#${anchor}`),
  )
  if (token.type === "image") token.attrSet("loading", "lazy")
}

function fileFor(source) {
  const file = join(ROOT, source)
  if (!existsSync(file)) throw new Error(`A page links to ${source}, which is not there.`)
  // A folder of sources: there is nothing to show.
  if (statSync(file).isDirectory()) return undefined
  const target = posix.join("files", source)
  mkdirSync(dirname(join(SITE, target)), { recursive: true })
  cpSync(file, join(SITE, target))
  return target
}

function relativeTo({ output }, target) {
  return posix.relative(posix.dirname(output), target)
}

function write(output, text) {
  mkdirSync(dirname(join(SITE, output)), { recursive: true })
  writeFileSync(join(SITE, output), text)
}

function layout(page, { html, headings }) {
  const to = (target) => relativeTo(page, target)
  const title = page.output === "index.html" ? "HiveMind" : `${page.title} · HiveMind`
  return `<!doctype html>
<html lang="en" data-root="${to("index.html").replace(/index\.html$/, "")}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${to("site.css")}">
<script defer src="${to("minisearch.js")}"></script>
<script defer src="${to("search.js")}"></script>
<script defer src="${to("site.js")}"></script>
</head>
<body>
<a class="skip" href="#main">To the text</a>
<header>
<button id="menu" type="button" aria-expanded="false" aria-controls="pages">Menu</button>
<a class="brand" href="${to("index.html")}">HiveMind</a>
<div class="search"><input id="search" type="search" placeholder="Search  /" aria-label="Search" autocomplete="off"><ol id="found" hidden></ol></div>
</header>
<nav id="pages" aria-label="Pages">${menu(page)}</nav>
<main id="main"><article>
${html}</article></main>
${headings.length > 1 ? contents(headings) : ""}
</body>
</html>
`
}

function menu(page) {
  const groups = groupsOf(pages.values())
  return Array.from(groups, ([title, inGroup]) => {
    const items = inGroup.map((each) => {
      const current = each === page ? ' aria-current="page"' : ""
      return `<li><a href="${relativeTo(page, each.output)}"${current}>${escapeHtml(each.title)}</a></li>`
    })
    const isOpen = !CLOSED.has(title) || inGroup.includes(page)
    return `<details${isOpen ? " open" : ""}><summary>${title}</summary><ul>${items.join("")}</ul></details>`
  }).join("\n")
}

function groupsOf(all) {
  const groups = new Map()
  for (const page of all) groups.set(page.group, [...(groups.get(page.group) ?? []), page])
  return groups
}

function contents(headings) {
  const shown = headings.filter(({ level }) => level < 4)
  const items = shown.map(
    ({ level, title, slug }) => `<li class="h${level}"><a href="#${slug}">${escapeHtml(title)}</a></li>`,
  )
  return `<aside aria-label="On this page"><p class="title">On this page</p><ul>${items.join("")}</ul></aside>`
}

function escapeHtml(text) {
  return markdown.utils.escapeHtml(text)
}
