import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parse } from "jsonc-parser"
import { beforeEach, describe, expect, test } from "vitest"
import { openHive } from "../../src/api.ts"
import { commitFiles, gitRepo } from "../support/git-repo.ts"
import { fillProject } from "./filled-project.ts"
import { cli, dropSandbox, makeSandbox, useSandbox } from "./harness.ts"

const box = useSandbox()
beforeEach(async () => {
  gitRepo(box.project, {
    "package.json":
      '{ "name": "shop", "scripts": { "test": "vitest" }, "dependencies": { "vue": "^3.5.0" } }\n',
    "README.md": "# Shop\n\n[gone](docs/gone.md)\n",
    "src/main.js": "export {}\n",
  })
  await fillProject(box.project)
})

describe("hivemind scan", () => {
  test("prints the map for people, and as one document for programs", async () => {
    const { code, stdout, stderr } = await cli(box, ["scan"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    for (const said of ["Vue ^3.5.0, package.json:1", "test: npm test, package.json:1", "src/ source"])
      expect(stdout).toContain(said)
    expect(stdout).toMatch(/dead references +1\n/)
    const json = JSON.parse((await cli(box, ["scan", "--json", "--full"])).stdout)
    expect(json).toMatchObject({
      status: "success",
      map: { format: 1, frameworks: [{ name: "Vue" }] },
      mems: [],
    })
    expect((await cli(box, ["scan", "documents"])).stdout).toContain(
      "README.md:3 → docs/gone.md: there is no such file",
    )
    expect((await cli(box, ["scan", "frameworks"])).stdout).toContain("Vue ^3.5.0")
  })

  test("drift says what has changed since, and that there was no scan before the first", async () => {
    expect((await cli(box, ["scan", "drift"])).stdout).toContain("no scan yet")
    await cli(box, ["scan"])
    expect((await cli(box, ["scan", "drift"])).stdout).toBe("Nothing has changed since the last scan.\n")
    commitFiles(box.project, { "src/cart.js": "export {}\n" }, "cart")
    expect((await cli(box, ["scan", "drift"])).stdout).toMatch(/files +added src\/cart\.js/)
  })

  test("is refused with exit code 3 where there is no hive, and 2 for what it does not know", async () => {
    const empty = await makeSandbox()
    expect((await cli(empty, ["scan"])).code).toBe(3)
    await dropSandbox(empty)
    expect((await cli(box, ["scan", "everything"])).code).toBe(2)
  })

  test("the API has the same", async () => {
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
  test("writes the profile and says what it proposes; the second time nothing", async () => {
    const first = await cli(box, ["scan", "onboard"])
    expect(first.code).toBe(0)
    expect(first.stdout).toContain(".hivemind/project/profile.md: written")
    expect(first.stdout).toMatch(/verify with +npm test/)
    const profile = readFileSync(join(box.project, ".hivemind/project/profile.md"), "utf8")
    expect(profile).toContain("# Project profile: shop")
    const again = JSON.parse((await cli(box, ["scan", "onboard", "--json"])).stdout)
    expect(again).toMatchObject({ dry_run: false, profile: { outcome: "unchanged" }, mems: [] })
  })

  test("--dry-run prints the profile and writes nothing", async () => {
    const { stdout } = await cli(box, ["scan", "onboard", "--dry-run"])
    expect(stdout).toContain("# Project profile: shop")
    expect(existsSync(join(box.project, ".hivemind/project"))).toBe(false)
  })

  test("--apply puts the proposed scopes into the configuration and shows them; twice changes nothing", async () => {
    const config = join(box.project, ".hivemind/system/config.json")
    const ours = `{\n  // strict for now\n  "governance": "strict", // all of us\n}\n`
    mkdirSync(dirname(config), { recursive: true })
    writeFileSync(config, ours)
    mkdirSync(join(box.project, ".specify/memory"), { recursive: true })
    writeFileSync(join(box.project, ".specify/memory/constitution.md"), "# Rules\n")
    expect((await cli(box, ["scan", "onboard"])).stdout).toContain("hivemind scan onboard --apply")
    expect(readFileSync(config, "utf8")).toBe(ours)

    const { stdout, code } = await cli(box, ["scan", "onboard", "--apply"])
    expect(code).toBe(0)
    expect(stdout).toContain("to .hivemind/system/config.json:")
    expect(stdout).toContain("hive-executor keeps out of !.specify/**: spec-kit looks after it")
    const written = readFileSync(config, "utf8")
    expect(written).toContain("// strict for now")
    expect(written).toContain("// all of us")
    expect(parse(written)).toMatchObject({
      governance: "strict",
      path_scopes: { "hive-executor": expect.arrayContaining(["!.specify/**"]) },
    })

    const again = await cli(box, ["scan", "onboard", "--apply"])
    expect(again.stdout).toContain("nothing to add to .hivemind/system/config.json")
    expect(readFileSync(config, "utf8")).toBe(written)
  })

  test("says so if a person has edited the profile", async () => {
    await cli(box, ["scan", "onboard"])
    const path = join(box.project, ".hivemind/project/profile.md")
    writeFileSync(path, "# Ours\n")
    expect((await cli(box, ["scan", "onboard"])).stdout).toContain("edited by hand, left as it is")
    expect(readFileSync(path, "utf8")).toBe("# Ours\n")
  })
})
