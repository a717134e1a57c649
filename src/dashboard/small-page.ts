import { createHash } from "node:crypto"
import type { ServerResponse } from "node:http"

interface SmallPage {
  text: string
  /** Where the browser goes on to, at once. */
  next?: string
}

/** A few words for a person in front of a browser, without a script. All of them are ours. */
export function sendSmallPage(response: ServerResponse, status: number, { text, next }: SmallPage): void {
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
