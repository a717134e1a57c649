import { existsSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "vitest"
import { sectionsOf } from "../../src/project/document/sections.ts"
import { anAnchor } from "../support/records.ts"
import { writeIn } from "../support/state-in.ts"
import { type Bed, openBed } from "./bed/bed.ts"
import { injectedState } from "./bed/injected-state.ts"
import type { ModelRequest } from "./bed/model-request.ts"
import { patchedPlugin } from "./bed/patched-plugin.ts"
import { prefixFigures } from "./bed/prefix.ts"
import { call, hive, say, update } from "./bed/steps.ts"

const PLAN = "# Goal\nA login page.\n\n# Steps\nOne.\n\n# Risks\nNone.\n"
// For work between turns that nothing waits for: done within moments, on a busy machine a little later.
const files = { "docs/plan.md": PLAN, "src/db.ts": "export const db = 1\n" }

it("an anchor survives a compaction, is told as stale when its file changes, and is fresh after an update", async () => {
  await using bed = await openBed({ files })
  const session = await bed.newSession("s")
  const value = "Postgres 16 on port 5433"
  bed.model.script(
    hive("anchor save", { key: "DB", value, priority: "high", related_to: ["src/db.ts"] }),
    say("ok"),
  )
  const saved = await bed.prompt(session, "Keep the database's address")
  expect(saved.toolCalls[0]?.output).toContain("success")
  await addOldAnchor(bed)
  await bed.summarize(session)
  await expect.poll(() => statuses(bed)).toEqual({ DB: "active", OLD: "removed" })
  const after = await bed.prompt(session, "Go on")
  expect(injectedState(first(after)).get("anchor DB")).toBe(
    `<anchor key="DB" priority="high">${value}</anchor>`,
  )

  await writeFile(join(bed.project, "src/db.ts"), "export const db = 2 // moved\n")
  const changed = await bed.prompt(session, "Go on")
  expect(injectedState(first(changed)).get("anchor DB")).toContain('stale="yes"')
  await expect.poll(() => statuses(bed)).toMatchObject({ DB: "stale" })

  bed.model.script(hive("anchor update", { key: "db", value: "Postgres 17" }), say("ok"))
  await bed.prompt(session, "Look it up again")
  const fresh = await bed.prompt(session, "Go on")
  expect(injectedState(first(fresh)).get("anchor DB")).toBe(
    '<anchor key="DB" priority="high">Postgres 17</anchor>',
  )
  expect(new Set(prefixFigures([first(after), first(changed), first(fresh)]).kept)).toEqual(new Set([1]))
  expect(await bed.pluginLog()).not.toContain("error")
})

it("a plan's document that was edited outside: the next session's first turn says which section, and only that one", async () => {
  await using bed = await openBed({ files })
  const one = await bed.newSession("one")
  bed.model.script(
    hive("plan create", { title: "Login", acceptance: [], sot_document_path: "docs/plan.md" }),
    say("ok"),
  )
  await bed.prompt(one, "Make a plan")
  await bed.stop()
  const after = PLAN.replace("One.", "One, then two.")
  await writeFile(join(bed.project, "docs/plan.md"), after)
  await bed.restart()

  const two = await bed.newSession("two")
  const told = await bed.prompt(two, "Where are we?")
  expect(planLine(first(told))).toContain('document="docs/plan.md" document_changed="Steps"')
  // Told once: when that turn is over, the document counts as known.
  await expect.poll(() => document(bed)).toMatchObject({ status: "current", sections: sectionsOf(after) })
  const quiet = await bed.prompt(two, "Go on")
  expect(planLine(first(quiet))).not.toContain("document_changed")
  expect(new Set(prefixFigures([first(told), first(quiet)]).kept)).toEqual(new Set([1]))

  // What a task of ours writes is no news.
  bed.model.script(
    update("action", "Write the plan down"),
    call("write", { filePath: join(bed.project, "docs/plan.md"), content: `${PLAN}\n# Tests\nAll.\n` }),
    say("ok"),
  )
  await bed.prompt(two, "Add the tests to the plan")
  const own = await bed.prompt(two, "Go on")
  expect(planLine(first(own))).not.toContain("document_changed")
  await expect.poll(() => document(bed)?.sections.map(({ heading }) => heading)).toContain("Tests")
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
  bed.model.script(hive("anchor save", { key: "A", value: "x" }), say("Done."))
  const turn = await bed.prompt(await bed.newSession("s"), "Go")
  expect(turn.error).toBeUndefined()
  expect(turn.text).toBe("Done.")
  expect(existsSync(join(bed.project, "validating"))).toBe(true)
  expect(turn.toolCalls[0]?.output).toContain("success")
})

function first(turn: { requests: ModelRequest[] }): ModelRequest {
  return turn.requests[0] as ModelRequest
}

function planLine(request: ModelRequest): string {
  return [...injectedState(request)].find(([ref]) => ref.startsWith("plan "))?.[1] ?? ""
}

function statuses(bed: Bed): Record<string, string> {
  return Object.fromEntries([...bed.state().anchor.values()].map(({ key, status }) => [key, status]))
}

function document(bed: Bed) {
  return [...bed.state().artifact.values()].find(({ task_id }) => task_id === null)
}

/** Marked stale, and untouched for three days. */
async function addOldAnchor(bed: Bed): Promise<void> {
  const at = new Date(Date.now() - 72 * 3_600_000).toISOString()
  const old = anAnchor(1, { key: "OLD", created_at: at, updated_at: at })
  await writeIn(bed.project, (tx) => tx.add("anchor", old))
  await writeIn(bed.project, (tx) => tx.set("anchor", old.id, { status: "stale" }))
}
