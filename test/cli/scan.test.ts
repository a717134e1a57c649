import { parse } from "jsonc-parser"
import { describe, expect, test } from "vitest"
import { openHive } from "../../src/api.ts"
import { commitFiles, gitRepo } from "../support/git-repo.ts"
import { fillProject } from "./filled-project.ts"
import { cli, cliJson, projectFiles, shown, useSandbox } from "./harness.ts"

const box = useSandbox(({ project }) => {
  gitRepo(project, {
    "package.json":
      '{ "name": "shop", "scripts": { "test": "vitest" }, "dependencies": { "vue": "^3.5.0" } }\n',
    "README.md": "# Shop\n\n[gone](docs/gone.md)\n",
    "src/main.js": "export {}\n",
  })
  return fillProject(project)
})
const { has, read, put } = projectFiles(box)
const scan = (more = "") => shown(box, `scan${more}`)

describe("hivemind scan", () => {
  test("prints the map for people, and as one document for programs", async () => {
    const stdout = await scan()
    for (const said of ["Vue ^3.5.0, package.json:1", "test: npm test, package.json:1", "src/ source"])
      expect(stdout).toContain(said)
    expect(stdout).toMatch(/dead references +1\n/)
    const map = { format: 1, frameworks: [{ name: "Vue" }] }
    expect(await cliJson(box, "scan --full")).toMatchObject({ status: "success", map, mems: [] })
    const dead = "README.md:3 → docs/gone.md: there is no such file"
    expect(await scan(" documents")).toContain(dead)
    expect(await scan(" frameworks")).toContain("Vue ^3.5.0")
  })

  test("drift says what has changed since, and that there was no scan before the first", async () => {
    expect(await scan(" drift")).toContain("no scan yet")
    await scan()
    expect(await scan(" drift")).toBe("Nothing has changed since the last scan.\n")
    commitFiles(box.project, { "src/cart.js": "export {}\n" }, "cart")
    expect(await scan(" drift")).toMatch(/files +added src\/cart\.js/)
  })

  test("the API returns the same", async () => {
    const hive = await openHive(box.project)
    expect(await hive.scan.map()).toBeUndefined()
    expect(await hive.scan.drift()).toBeNull()
    expect((await hive.scan.full()).facts?.made.length).toBeGreaterThan(1)
    expect((await hive.scan.incremental()).facts?.made).toEqual([])
    expect((await hive.scan.map())?.frameworks[0]?.name).toBe("Vue")
    await hive.close()
  })
})

describe("hivemind scan onboard", () => {
  const PROFILE = ".hivemind/project/profile.md"

  test("writes the profile once and keeps a person's edits; --dry-run only prints it", async () => {
    expect(await scan(" onboard --dry-run")).toContain("# Project profile: shop")
    expect(has(".hivemind/project")).toBe(false)
    const first = await scan(" onboard")
    expect(first).toContain(`${PROFILE}: written`)
    expect(first).toMatch(/verify with +npm test/)
    expect(read(PROFILE)).toContain("# Project profile: shop")
    const again = { dry_run: false, profile: { outcome: "unchanged" }, mems: [] }
    expect(await cliJson(box, "scan onboard")).toMatchObject(again)
    put(PROFILE, "# Ours\n")
    expect(await scan(" onboard")).toContain("edited by hand, so not changed")
    expect(read(PROFILE)).toBe("# Ours\n")
  })

  test("--apply puts the proposed scopes into the configuration and shows them; twice changes nothing", async () => {
    const config = ".hivemind/system/config.json"
    const ours = `{
  // strict for now
  "governance": "strict", // all of us
  "path_scopes": {
    "hive-executor": [
      "**", // everything
    ]
  },
}
`
    put(config, ours)
    put(".specify/memory/constitution.md", "# Rules\n")
    expect(await scan(" onboard")).toContain("hivemind scan onboard --apply")
    expect(read(config)).toBe(ours)
    const stdout = await scan(" onboard --apply")
    expect(stdout).toContain(`to ${config}:`)
    expect(stdout).toContain("hive-executor keeps out of !.specify/**: spec-kit manages it")
    const written = read(config)
    for (const kept of ["// strict for now", "// all of us", '"**", // everything'])
      expect(written).toContain(kept)
    expect(parse(written)).toMatchObject({
      governance: "strict",
      path_scopes: { "hive-executor": expect.arrayContaining(["**", "!.specify/**"]) },
    })
    expect(await scan(" onboard --apply")).toContain(`nothing to add to ${config}`)
    expect(read(config)).toBe(written)
    put(config, '{ "path_scopes": ')
    const broken = await cli(box, "scan onboard --apply")
    expect(broken).toMatchObject({ code: 1, stderr: expect.stringContaining("cannot be changed") })
  })
})
