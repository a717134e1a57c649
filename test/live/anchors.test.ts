import { existsSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "vitest"
import { anAnchor } from "../support/records.ts"
import { writeIn } from "../support/state-in.ts"
import { type Bed, openBed } from "./bed/bed.ts"
import { injectedState } from "./bed/injected-state.ts"
import type { ModelRequest } from "./bed/model-request.ts"
import { patchedPlugin } from "./bed/patched-plugin.ts"
import { prefixFigures } from "./bed/prefix.ts"
import { hive, say } from "./bed/steps.ts"

const PLAN = "# Goal\nA login page.\n\n# Steps\nOne.\n\n# Risks\nNone.\n"
const files = { "docs/plan.md": PLAN, "src/db.ts": "export const db = 1\n" }

it("an anchor survives a compaction, is reported as stale when its file changes, and is fresh after an update", async () => {
  await using bed = await openBed({ files })
  const session = await bed.newSession("s")
  const value = "Postgres 16 on port 5433"
  const anchor = { key: "DB", value, priority: "high", related_to: ["src/db.ts"] }
  const saved = await bed.prompt(session, "Keep the database's address", hive("anchor save", anchor))
  expect(saved.toolCalls[0]?.output).toContain("success")
  await addOldAnchor(bed)
  await bed.summarize(session)
  await expect.poll(() => statuses(bed)).toEqual({ DB: "active", OLD: "removed" })
  const after = await bed.prompt(session, "Go on")
  const told = (text: string) => `<anchor key="DB" priority="high">${text}</anchor>`
  expect(injectedState(first(after)).get("anchor DB")).toBe(told(value))

  await writeFile(join(bed.project, "src/db.ts"), "export const db = 2 // moved\n")
  const changed = await bed.prompt(session, "Go on")
  expect(injectedState(first(changed)).get("anchor DB")).toContain('stale="yes"')
  await expect.poll(() => statuses(bed)).toMatchObject({ DB: "stale" })

  await bed.prompt(session, "Look it up again", hive("anchor update", { key: "db", value: "Postgres 17" }))
  const fresh = await bed.prompt(session, "Go on")
  expect(injectedState(first(fresh)).get("anchor DB")).toBe(told("Postgres 17"))
  expect(new Set(prefixFigures([first(after), first(changed), first(fresh)]).kept)).toEqual(new Set([1]))
  expect(await bed.pluginLog()).not.toContain("error")
})

it("the first answer does not wait for the validation: it hangs, and the turn ends all the same", async () => {
  const plugin = patchedPlugin(
    /function createValidation\(.*?\)\{/,
    `function createValidation() { return async (hive) => {
      (await import("node:fs")).writeFileSync(hive.dir + "/validating", "")
      await new Promise(() => {})
    };`,
  )
  await using bed = await openBed({ files, plugin })
  const save = hive("anchor save", { key: "A", value: "x" })
  const turn = await bed.prompt(await bed.newSession("s"), "Go", save, say("Done."))
  expect(turn).toMatchObject({ error: undefined, text: "Done." })
  expect(existsSync(join(bed.project, "validating"))).toBe(true)
  expect(turn.toolCalls[0]?.output).toContain("success")
})

const first = (turn: { requests: ModelRequest[] }): ModelRequest => turn.requests[0] as ModelRequest

function statuses(bed: Bed): Record<string, string> {
  return Object.fromEntries(bed.all("anchor").map(({ key, status }) => [key, status]))
}

async function addOldAnchor(bed: Bed): Promise<void> {
  const at = new Date(Date.now() - 72 * 3_600_000).toISOString()
  const old = anAnchor(1, { key: "OLD", created_at: at, updated_at: at })
  await writeIn(bed.project, (tx) => tx.add("anchor", old))
  await writeIn(bed.project, (tx) => tx.set("anchor", old.id, { status: "stale" }))
}
