import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { ALL } from "../../../src/graph/indexes.ts"
import type { Hive } from "../../../src/hive/hive.ts"
import { evidenceCheck } from "../../../src/knowledge/memory/evidence.ts"
import { onboard } from "../../../src/knowledge/project/onboard.ts"
import { detectDrift, scanHive } from "../../../src/knowledge/project/scan-hive.ts"
import { documentOfPlan } from "../../../src/project/document/record-file.ts"
import { createPlan } from "../../../src/work/plan/create.ts"
import { fileHive } from "../../support/file-hive.ts"
import { git, gitRepo } from "../../support/git-repo.ts"

import { tempProject } from "../../support/temp-project.ts"

const caller = { session: null, agent: null, tool: "test" }
const MANIFEST =
  '{ "name": "shop", "scripts": { "test": "vitest", "lint": "biome check" }, "dependencies": { "react": "^18.2.0" } }\n'
const SHOP = {
  "package.json": MANIFEST,
  "package-lock.json": "{}\n",
  "README.md": "# Shop\n\nSells things to people who want them, in small amounts.\n\n[guide](docs/gone.md)\n",
  "src/cart.ts": "export const cart = []\n",
  "AGENTS.md": "# Rules\n",
  ".specify/memory/constitution.md": "# Constitution\n",
  "vendor/lib.js": "x\n",
}

async function openShop(files: Record<string, string> = SHOP): Promise<Hive> {
  const hive = await fileHive()
  gitRepo(hive.dir, files)
  return hive
}

function write({ dir }: Hive, path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true })
  writeFileSync(join(dir, path), text)
}

const factsOf = ({ store }: Hive) =>
  Object.fromEntries(
    [...store.read().state.mem.by("scanned", ALL)].map(({ tags, content }) => [tags[0], content]),
  )

describe("mems from a scan", () => {
  it("are few, and each has its files", async () => {
    const hive = await openShop()
    const { facts } = await scanHive(hive, caller, "full")
    expect(facts?.made).toHaveLength(4)
    expect(factsOf(hive)).toEqual({
      stack: "Written in TypeScript; built with React ^18.2.0; managed by npm.",
      commands: "To run: test `npm test`, lint `npm run lint`.",
      rules:
        "Rules for agents, to be followed: AGENTS.md. spec-kit plans work here; its plans, in .specify, are not rewritten; follow .specify/memory/constitution.md.",
      layout: "Where things are: src/ (TypeScript source).",
    })
    const check = evidenceCheck(hive.dir)
    for (const { evidence, tags, stale_at, origin } of facts?.made ?? []) {
      expect({ origin, stale_at }).toEqual({ origin: "scan", stale_at: null })
      if (tags[0] !== "layout") expect(evidence.length).toBeGreaterThan(0)
      for (const each of evidence) expect(check(each)).toBe(true)
    }
  })

  it("writes nothing if nothing has changed", async () => {
    const hive = await openShop()
    await scanHive(hive, caller, "full")
    const entries = (await hive.store.log()).length
    const map = readFileSync(join(hive.home, ".hivemind/project/map.json"), "utf8")
    for (const how of ["incremental", "full"] as const) {
      const { facts, drift } = await scanHive(hive, caller, how)
      expect(facts).toEqual({ made: [], checked: 0, ended: 0 })
      expect(drift).toMatchObject({ added: [], changed: [], facts: [] })
    }
    expect((await hive.store.log()).length).toBe(entries)
    expect(readFileSync(join(hive.home, ".hivemind/project/map.json"), "utf8")).toBe(map)
  })

  it("a changed fact supersedes its mem; changing it back brings the first one back", async () => {
    const hive = await openShop()
    const before = (await scanHive(hive, caller, "full")).facts?.made.find(({ tags }) => tags[0] === "stack")
    write(hive, "package.json", MANIFEST.replace("^18.2.0", "^19.0.0"))
    const { facts, drift } = await scanHive(hive, caller, "incremental")
    expect(drift?.facts).toEqual(["React: ^18.2.0 → ^19.0.0"])
    expect(facts?.made.map(({ content, supersedes }) => [content, supersedes])).toEqual([
      ["Written in TypeScript; built with React ^19.0.0; managed by npm.", before?.id],
    ])
    expect(facts?.checked).toBe(1)
    write(hive, "package.json", MANIFEST)
    await scanHive(hive, caller, "incremental")
    expect(hive.store.read().state.mem.get(before?.id ?? "")?.status).toBe("active")
    expect(Object.keys(factsOf(hive))).toHaveLength(4)
  })

  it("a fact that still holds on a changed file is checked, so that it is not unverified", async () => {
    const hive = await openShop()
    await scanHive(hive, caller, "full")
    write(hive, "package.json", `${MANIFEST}\n`)
    const { facts } = await scanHive(hive, caller, "incremental")
    expect(facts).toEqual({ made: [], checked: 2, ended: 0 })
    const check = evidenceCheck(hive.dir)
    for (const { evidence } of hive.store.read().state.mem.by("scanned", ALL))
      expect(evidence.every((each) => check(each) !== false)).toBe(true)
  })
})

describe("onboarding", () => {
  it("leaves a profile, mems and a proposal that only takes paths out of a scope", async () => {
    const hive = await openShop()
    const { profile, proposal, scan } = await onboard(hive, caller)
    expect(scan.facts?.made).toHaveLength(4)
    expect(profile).toMatchObject({ path: ".hivemind/project/profile.md", outcome: "written" })
    const text = readFileSync(join(hive.home, profile.path), "utf8")
    for (const said of [
      "# Project profile: shop",
      "> Sells things to people",
      "- React ^18.2.0 (ui): `package.json:1`",
      "- test: `npm test`, `package.json:1`",
      "`README.md:5` links to `docs/gone.md`: there is no such file",
      "HiveMind writes nothing in `.specify/`",
      "hive-executor keeps out of !.specify/**: spec-kit manages it",
    ])
      expect(text).toContain(said)
    const before = hive.config.path_scopes["hive-executor"] ?? []
    expect(proposal.config?.path_scopes["hive-executor"]).toEqual([...before, "!.specify/**", "!vendor/**"])
    expect(proposal.config?.path_scopes["hive-investigator"]).toEqual(
      hive.config.path_scopes["hive-investigator"],
    )
    expect(proposal.verify.map(({ command }) => command)).toEqual(["npm test", "npm run lint"])
    expect(proposal.questions).toEqual([expect.stringContaining("keep out of these folders")])
    // Onboarding only proposes the configuration and does not write it.
    expect(existsSync(join(hive.home, ".hivemind/system/config.json"))).toBe(false)
    const set = { ...hive, config: { ...hive.config, ...proposal.config } }
    expect((await onboard(set, caller)).proposal.config).toBeNull()
  })

  it("leaves an edited profile alone", async () => {
    const hive = await openShop()
    const { profile } = await onboard(hive, caller)
    const path = join(hive.home, profile.path)
    const edited = readFileSync(path, "utf8").replace("# Project profile", "# What we are")
    writeFileSync(path, edited)
    write(hive, "package.json", "{}\n")
    expect((await onboard(hive, caller)).profile.outcome).toBe("edited by hand, so not changed")
    expect(readFileSync(path, "utf8")).toBe(edited)
  })

  it("a dry run writes nothing at all", async () => {
    const hive = await openShop()
    const { profile, proposal } = await onboard(hive, caller, { dryRun: true })
    expect(profile.outcome).toBe("not written")
    expect(profile.text).toContain("React ^18.2.0")
    expect(proposal.config).not.toBeNull()
    expect(existsSync(join(hive.home, ".hivemind/project"))).toBe(false)
    expect(hive.store.read().state.mem.size).toBe(0)
  })
})

it("a plan's document that was moved is followed to its new place", async () => {
  const hive = await openShop({ ...SHOP, "docs/plan.md": "# Plan\n\n## First\nDo it.\n" })
  const given = { title: "P", acceptance: [], sot_document_path: "docs/plan.md" }
  const { plan } = await createPlan(hive, { ...caller, session: "ses_1" }, given)
  await scanHive(hive, caller, "full")
  mkdirSync(join(hive.dir, "plans"))
  renameSync(join(hive.dir, "docs/plan.md"), join(hive.dir, "plans/shop.md"))
  expect(await scanHive(hive, caller, "incremental")).toMatchObject({ followed: 1 })
  expect(documentOfPlan(hive.store.read().state, plan)).toMatchObject({
    path: "plans/shop.md",
    status: "current",
    plan_id: plan.id,
  })
  expect(await scanHive(hive, caller, "incremental")).toMatchObject({ followed: 0 })
})

describe("the kept map", () => {
  it("a linked worktree has one of its own, and leaves the mems to the main one", async () => {
    const hive = await openShop()
    await scanHive(hive, caller, "full")
    const before = factsOf(hive)
    const dir = join(await tempProject(), "linked")
    git(hive.dir, "worktree", "add", "-q", "-b", "other", dir)
    writeFileSync(join(dir, "package.json"), MANIFEST.replace("^18.2.0", "^19.0.0"))
    const linked = { ...hive, dir }
    const { facts, drift, map, isKept } = await scanHive(linked, caller, "incremental")
    expect({ facts, drift, isKept }).toEqual({ facts: null, drift: null, isKept: true })
    expect(map.frameworks[0]?.version).toBe("^19.0.0")
    expect(factsOf(hive)).toEqual(before)
    expect((await scanHive(hive, caller, "incremental")).drift).toMatchObject({ changed: [], facts: [] })
  })

  it("drift writes nothing, and a damaged map is rebuilt", async () => {
    const hive = await openShop()
    expect((await detectDrift(hive)).drift).toBeNull()
    await scanHive(hive, caller, "full")
    const file = join(hive.home, ".hivemind/project/map.json")
    write(hive, "src/new.ts", "export {}\n")
    const before = readFileSync(file, "utf8")
    expect((await detectDrift(hive)).drift?.added).toEqual(["src/new.ts"])
    expect(readFileSync(file, "utf8")).toBe(before)
    writeFileSync(file, before.replace(/\n\{"path":"src\/cart\.ts"[^\n]*/, ""))
    expect((await detectDrift(hive)).drift).toBeNull()
    const { isKept, map } = await scanHive(hive, caller, "incremental")
    expect(isKept).toBe(true)
    expect(map.files.count).toBe(Object.keys(SHOP).length + 1)
  })
})
