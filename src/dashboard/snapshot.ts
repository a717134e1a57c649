import { createHash } from "node:crypto"
import type { Hive } from "../hive/hive.ts"
import { PAGE_MARK } from "../store/files/dashboard-file.ts"
import { readPageFiles } from "./page-files.ts"
import { pageJson } from "./page-json.ts"
import { snapshotAnswers } from "./snapshot-answers.ts"

/** The page with what it shows, as one file that needs no server: for a colleague, or a pull request. */
export async function snapshotPage(hive: Hive): Promise<string> {
  const files = readPageFiles()
  const text = (path: string) => files.get(path)?.body.toString("utf8") ?? ""
  const [style, script] = [text("/page.css"), inScript(text("/page.js"))]
  const data = inScript(withoutPath(hive, pageJson(await snapshotAnswers(hive))))
  return text("/index.html")
    .replace(
      '<meta charset="utf-8" />',
      (charset) => `${charset}\n    ${PAGE_MARK}\n    ${policyFor(script, style)}`,
    )
    .replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${style}</style>`)
    .replace(
      /<script type="module"[^>]*><\/script>/,
      () =>
        `<script type="application/json" id="snapshot">${data}</script>\n` +
        `<script type="module">${script}</script>`,
    )
}

/** Nothing but these two runs, and nothing is loaded or sent, wherever the file is opened. */
function policyFor(script: string, style: string): string {
  const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; img-src data:; form-action 'none'; base-uri 'none'`
  return `<meta http-equiv="content-security-policy" content="${policy}" />`
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`
}

/** Where the project lies on its owner's machine is nobody else's business. */
function withoutPath({ home, dir }: Hive, json: string): string {
  return [home, dir].reduce((text, path) => text.replaceAll(JSON.stringify(path).slice(1, -1), "."), json)
}

/** Nothing in it can end the element that it stands in. */
function inScript(text: string): string {
  return text.replace(/<(?=\/script|!--|script)/gi, "\\u003c")
}
