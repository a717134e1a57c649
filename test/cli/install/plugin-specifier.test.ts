import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, test } from "vitest"
import { isPath } from "../../../src/cli/install/find-opencode-config.ts"
import { pluginSpecifier } from "../../../src/cli/install/own-package.ts"
import { tempProject } from "../../support/temp-project.ts"

const NAME = "hivemind-opencode"
const LINK = `./node_modules/${NAME}`

describe("what init has OpenCode load", () => {
  let project: string
  beforeEach(async () => {
    project = await tempProject()
  })
  const specifier = (own: { dir: string; name: string }, config = join(project, "opencode.json")) =>
    pluginSpecifier(own, project, config)

  test.each([
    ["the registry", `https://packages.example/${NAME}/-/${NAME}-1.0.0.tgz`, NAME],
    ["a tarball", `file:../${NAME}-1.0.0.tgz`, LINK],
    ["a tarball somewhere on the web", `https://example.com/builds/${NAME}-1.0.0.tgz`, LINK],
    ["unknown place", undefined, LINK],
  ])("a package of the project from %s", (_, resolved, expected) => {
    expect(specifier(installed(join(project, "node_modules"), resolved))).toBe(expected)
  })

  test("writes a path relative to the folder of the config file", () => {
    const own = installed(join(project, "node_modules"), "file:x.tgz")
    expect(specifier(own, join(project, ".opencode", "opencode.json"))).toBe(`../node_modules/${NAME}`)
  })

  test("a folder that the project has installed as a link: the link, which works in every clone", async () => {
    const checkout = await tempProject()
    mkdirSync(join(project, "node_modules"))
    symlinkSync(checkout, join(project, "node_modules", NAME))
    const own = { dir: checkout, name: NAME }
    expect(specifier(own)).toBe(LINK)
    // The user's own config is not the project's: a path from there would lead around.
    expect(specifier(own, join(await tempProject(), "opencode.json"))).toBe(checkout)
  })

  test("a global package, of which npm keeps no list, and a checkout: the path of this copy", async () => {
    const own = installed(join(await tempProject(), "lib", "node_modules"), undefined)
    expect(specifier(own)).toBe(own.dir)
    const checkout = { ...own, dir: join(await tempProject(), "checkout") }
    expect(specifier(checkout)).toBe(checkout.dir)
  })

  test("a one-time run, whose folder is soon gone: the name", async () => {
    const folder = join(await tempProject(), "bunx-0-hivemind-opencode@latest", "node_modules")
    expect(specifier(installed(folder, undefined))).toBe(NAME)
  })

  test("a name is no path", () => {
    expect([NAME, `${NAME}@1.0.0`, "@me/x"].map(isPath)).toEqual([false, false, false])
    expect(["/x", "./x", "../x", "file:///x"].map(isPath)).toEqual([true, true, true, true])
  })
})

function installed(modules: string, resolved: string | undefined) {
  mkdirSync(join(modules, NAME), { recursive: true })
  const packages = { [`node_modules/${NAME}`]: { version: "1.0.0", resolved } }
  if (resolved !== undefined) writeFileSync(join(modules, ".package-lock.json"), JSON.stringify({ packages }))
  return { dir: join(modules, NAME), name: NAME }
}
