import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { join } from "node:path"
import { ownFolder } from "../shared/own-folder.ts"
import { withoutHidden } from "../shared/text/clean.ts"

export type PageFile = { type: string; body: Buffer }

/** Reads the files of the built page into memory, by URL path. The server serves no other files. */
export function readPageFiles(folder = join(ownFolder(), "dist", "dashboard")): Map<string, PageFile> {
  const files = new Map<string, PageFile>()
  for (const name of readdirSync(folder)) {
    const type = TYPES[name.slice(name.lastIndexOf("."))]
    if (type !== undefined) files.set(`/${name}`, { type, body: readFileSync(join(folder, name)) })
  }
  const index = files.get("/index.html")
  if (index !== undefined) files.set("/", index)
  return files
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
}

/** Sends a page with one sentence, which redirects to `next`. `text` is not escaped: it must not contain a user's text. */
export function sendSmallPage(response: ServerResponse, status: number, text: string, next?: string): void {
  const words = text.replace(/`([^`]+)`/g, "<code>$1</code>")
  const refresh = next === undefined ? "" : `<meta http-equiv="refresh" content="0; url=${next}">`
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  })
  response.end(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
      `${refresh}<title>HiveMind</title><style>${STYLE}</style></head>` +
      `<body><main><h1>HiveMind</h1><p>${words}</p></main></body></html>\n`,
  )
}

const STYLE =
  ":root{color-scheme:light dark;font:1rem/1.6 system-ui,sans-serif}main{max-width:34rem;margin:18vh auto;padding:0 1.5rem}h1{font-size:1.1rem}"
const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64")

/** Writes JSON without bidirectional and invisible characters, which could make a browser show another text. */
export function pageJson(value: unknown): string {
  const json = JSON.stringify(value)
  // The fast path: most answers have no such characters, and cleaning every text of a large answer is slow.
  if (!ESCAPED.test(json) && withoutHidden(json) === json) return json
  return JSON.stringify(value, (_, each: unknown) => (typeof each === "string" ? withoutHidden(each) : each))
}

/** Matches the escapes that JSON.stringify writes for control characters and lone surrogates. */
const ESCAPED = /\\[bfru]/
