import { existsSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, it } from "vitest"
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

describe("the parser", () => {
  it("is put into a folder of its own by npm, and can be used from there", async () => {
    const folder = await tempProject()
    const real = pathToFileURL(createRequire(import.meta.url).resolve("oxc-parser")).href
    const said = await installParser(
      folder,
      await standIn(`export { parse, parseSync } from ${JSON.stringify(real)}`),
    )
    expect(said).toBeNull()
    expect(existsSync(join(folder, "node_modules/oxc-parser/index.js"))).toBe(true)
    expect(await parserIn(folder)).toBeDefined()
  })

  it("that does not run here is told as such, and one that is nowhere with what npm says", async () => {
    const broken = await installParser(
      await tempProject(),
      await standIn("throw new Error('made for another system')"),
    )
    expect(broken).toBe("it does not run on this system")
    expect(await installParser(await tempProject(), "file:./nowhere")).toMatch(/ENOENT|no such|nowhere/i)
  })
})
