import { chmodSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { driftOf } from "../../../src/project/scan/drift.ts"
import { findLayout } from "../../../src/project/scan/layout.ts"
import { scanProject } from "../../../src/project/scan/scan-project.ts"
import { runToEnd } from "../../../src/shared/slices.ts"
import { gitRepo, writeFiles } from "../../support/git-repo.ts"
import { tempProject } from "../../support/temp-project.ts"

const at = "2026-11-16T00:00:00.000Z"
const later = "2026-11-17T00:00:00.000Z"

const SHOP = {
  "package.json":
    '{ "name": "shop", "scripts": { "test": "vitest" }, "dependencies": { "react": "^18.2.0" } }\n',
  "README.md": "# Shop\n\n[guide](docs/guide.md)\n",
  "docs/guide.md": "# Guide\n",
  "src/cart.ts": "export const cart = []\n",
  "src/tax.ts": "export const tax = 24\n",
  ".specify/memory/constitution.md": "# Rules\n",
  "specs/001/tasks.md": "# Tasks\n",
}

describe("a scan", () => {
  it("draws the map of a project from its files", async () => {
    const dir = gitRepo(await tempProject(), SHOP)
    const { map } = await scanProject(dir, { at })
    expect(map).toMatchObject({
      scanned_at: at,
      files: { count: 7, listed_by: "git" },
      languages: [{ name: "TypeScript", files: 2, lines: 2 }],
      frameworks: [{ name: "React", version: "^18.2.0", evidence: "package.json:1" }],
      commands: [{ purpose: "test", command: "npm test", declared: true }],
      dead_references: [],
      notes: [],
    })
    expect(map.governance.map(({ name }) => name)).toEqual(["spec-kit"])
    expect(map.structure.map(({ path, role }) => `${path} ${role}`).sort()).toEqual([
      ".specify rules",
      "docs documents",
      "specs documents",
      "specs/001 documents",
      "src source",
    ])
  })

  it("gives a folder the language of most of its files, not of the longest", () => {
    const lines = { "src/a.ts": 10, "src/b.ts": 10, "src/generated.py": 9000 }
    const files = Object.entries(lines).map(([path, count]) => [path, { lines: count }] as const)
    const folder = { path: "src", role: "source", language: "TypeScript" }
    expect(runToEnd(findLayout(files)).structure).toMatchObject([folder])
  })

  it("reads only what has changed, and gives the same map back where nothing has", async () => {
    const dir = gitRepo(await tempProject(), SHOP)
    const first = await scanProject(dir, { at })
    const again = await scanProject(dir, { at: later, known: first })
    expect(again.map).toBe(first.map)
    // Unchanged files are not read again: the known objects are reused.
    for (const [path, known] of again.files) expect(known).toBe(first.files.get(path))
    writeFileSync(join(dir, "src/tax.ts"), "export const tax = 25\n\n")
    const changed = await scanProject(dir, { at: later, known: again })
    const read = [...changed.files].filter(([path, known]) => known !== again.files.get(path))
    expect(read.map(([path]) => path)).toEqual(["src/tax.ts"])
    expect(changed.map.languages[0]?.lines).toBe(3)
    expect(changed.map.scanned_at).toBe(later)
  })

  it("reports changes since the last scan as drift, except in a framework's own folders", async () => {
    const dir = gitRepo(await tempProject(), SHOP)
    const first = await scanProject(dir, { at })
    renameSync(join(dir, "src/cart.ts"), join(dir, "src/basket.ts"))
    rmSync(join(dir, "docs/guide.md"))
    writeFiles(dir, {
      "src/new.ts": "export {}\n",
      "src/tax.ts": "export const tax = 25\n",
      "specs/001/tasks.md": "# Tasks\n- [x] done\n",
      "specs/002/spec.md": "# Spec\n",
      "package.json": SHOP["package.json"].replace("^18.2.0", "^19.0.0").replace("vitest", "vitest run"),
    })
    const drift = runToEnd(driftOf(first, await scanProject(dir, { at: later, known: first })))
    expect(drift).toEqual({
      added: ["src/new.ts"],
      removed: ["docs/guide.md"],
      changed: ["package.json", "src/tax.ts"],
      moved: [{ from: "src/cart.ts", to: "src/basket.ts" }],
      governed: 2,
      facts: ["React: ^18.2.0 → ^19.0.0", "dead reference in README.md:3: docs/guide.md"],
    })
  })

  it("leaves out what git ignores, but does not call a link to it dead", async () => {
    const dir = gitRepo(await tempProject(), { ...SHOP, ".gitignore": "build/\n" })
    writeFiles(dir, { "build/out.ts": "x\n", "README.md": "[built](build/out.ts)\n" })
    const { map } = await scanProject(dir, { at })
    expect(map.files.count).toBe(8)
    expect(map.dead_references).toEqual([])
  })
})

describe("hostile input", () => {
  it("is noted and survived: binary, huge, broken, linked in a circle, out of reach", async () => {
    const dir = await tempProject()
    const deep = Array.from({ length: 60 }, (_, n) => `d${n}`).join("/")
    writeFiles(dir, {
      ...SHOP,
      "src/bin.ts": Buffer.from([0, 1, 2, 3]),
      "src/huge.ts": "",
      "docs/huge.md": "",
      "Cargo.toml": '[[[package\nname = "\n= = =\n[dependencies]\nserde = "1"\n',
      "ui/package.json": '{"scripts": {"test": ',
      [`${deep}/end.ts`]: "export {}\n",
      "docs/long.md": `${"[a](".repeat(50_000)}\n${"`".repeat(20_000)} ${"<a ".repeat(20_000)}\n${"[".repeat(50_000)}\n`,
      "docs/not-utf8.md": Buffer.from([0x23, 0x20, 0xff, 0xfe, 0x41, 0x0a]),
      "locked/secret.ts": "export {}\n",
    })
    truncateSync(join(dir, "src/huge.ts"), 50 << 20)
    truncateSync(join(dir, "docs/huge.md"), 50 << 20)
    symlinkSync("..", join(dir, "src/loop"))
    symlinkSync("/etc", join(dir, "out"))
    chmodSync(join(dir, "locked"), 0)
    try {
      const { map } = await scanProject(dir, { at })
      expect(map.notes).toEqual(
        expect.arrayContaining([
          "out: a symbolic link, not followed",
          "src/loop: a symbolic link, not followed",
          "src/bin.ts: binary content, despite its name",
          "src/huge.ts: larger than 1024 KB, not read",
          "docs/huge.md: larger than 1024 KB, not read",
          expect.stringMatching(/^ui\/package\.json: broken JSON/),
          expect.stringMatching(/Cargo\.toml: broken TOML in line \d+, not read$/),
        ]),
      )
      expect(map.documents.map(({ path }) => path)).toContain("docs/not-utf8.md")
      expect(map.files.count).toBeGreaterThan(10)
    } finally {
      chmodSync(join(dir, "locked"), 0o755)
    }
  })
})
