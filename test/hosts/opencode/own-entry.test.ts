import { symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { beforeEach, expect, it } from "vitest"
import { changesPlugins } from "../../../src/hosts/opencode/own-entry.ts"
import { tempProject } from "../../support/temp-project.ts"

const CONFIG = `{
  // models
  "model": "a/b",
  "plugin": [["hivemind", { "governance": "strict" }]],
}
`
let dir: string
beforeEach(async () => {
  dir = await tempProject()
  await writeFile(join(dir, "opencode.jsonc"), CONFIG)
  await symlink("opencode.jsonc", join(dir, "linked"))
})

const path = "opencode.jsonc"
const edit = (oldString: string, newString: string) => ({ filePath: path, oldString, newString })

it.each([
  ["edit", "strict becomes off", edit('"strict"', '"off"')],
  ["edit", "the entry is taken out", edit('["hivemind", { "governance": "strict" }]', "")],
  ["edit", "what is not found to the letter", edit("  'strict'", "off")],
  ["write", "a file without it", { filePath: path, content: "{}" }],
  ["write", "a file that is no JSON", { filePath: path, content: "" }],
  ["apply_patch", "a patch of it", { patchText: `*** Update File: ${path}\n-  "plugin": [],\n` }],
  ["apply_patch", "its end", { patchText: `*** Delete File: ${path}\n` }],
  ["apply_patch", "its end, indented", { patchText: `  *** Delete File: ${path}\n` }],
  ["apply_patch", "a line of a list", { patchText: `*** Update File: ${path}\n-    "/srv/it",\n` }],
  ["apply_patch", "another in its place", { patchText: `*** Update File: a.json\n*** Move to: ${path}\n` }],
  ["write", "a file without it, by a link", { filePath: "linked", content: "{}" }],
])("%s: %s changes how plugins are loaded", async (tool, _, args) => {
  expect(await changesPlugins(tool, args, dir)).toBe(true)
})

it.each([
  ["edit", "another model", edit('"a/b"', '"c/d"')],
  ["write", "the same with more", { filePath: path, content: CONFIG.replace('"a/b"', '"c/d"') }],
  ["write", "a new file", { filePath: ".opencode/opencode.json", content: `{"model": "x"}` }],
  ["write", "another file", { filePath: "src/a.json", content: `{"plugin": []}` }],
  ["apply_patch", "another line of it", { patchText: `*** Update File: ${path}\n-  "model": "a",\n` }],
  ["apply_patch", "another file", { patchText: "*** Update File: a.ts\n-  plugin\n" }],
  ["write", "no path", {}],
])("%s: %s does not", async (tool, _, args) => {
  expect(await changesPlugins(tool, args, dir)).toBe(false)
})
