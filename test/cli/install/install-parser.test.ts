import { existsSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { expect, test } from "vitest"
import { installParser } from "../../../src/cli/install/install-parser.ts"
import { parserIn } from "../../../src/project/codemap/parser.ts"
import { tempProject } from "../../support/temp-project.ts"

/** A package of that name in a folder, in place of the registry's: npm does with it what it does with any. */
async function standIn(code: string): Promise<string> {
  const dir = await tempProject()
  const manifest = { name: "oxc-parser", version: "0.155.0", type: "module", exports: "./index.js" }
  writeFileSync(join(dir, "package.json"), JSON.stringify(manifest))
  writeFileSync(join(dir, "index.js"), code)
  return `file:${dir}`
}

test("the parser is put into a folder of its own by npm, and can be used from there", async () => {
  const folder = await tempProject()
  const real = pathToFileURL(createRequire(import.meta.url).resolve("oxc-parser")).href
  const code = `export { parse, parseSync } from ${JSON.stringify(real)}`
  expect(await installParser(folder, await standIn(code))).toBeNull()
  expect(existsSync(join(folder, "node_modules/oxc-parser/index.js"))).toBe(true)
  expect(await parserIn(folder)).toBeDefined()
})

test("says that the parser does not run on this system, or shows npm's error if it cannot be downloaded", async () => {
  const broken = await standIn("throw new Error('made for another system')")
  expect(await installParser(await tempProject(), broken)).toBe("the parser does not run on this system")
  expect(await installParser(await tempProject(), "file:./nowhere")).toMatch(/ENOENT|no such|nowhere/i)
})
