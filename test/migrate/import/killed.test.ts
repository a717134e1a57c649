import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { seeded } from "../../support/clones.ts"
import { trials } from "../../support/effort.ts"
import { hiveIn, recordTexts } from "../../support/old-project.ts"
import { tempProject } from "../../support/temp-project.ts"
import { hivemind, wasKilled } from "../killed-cli.ts"

const KILLS = trials(2, 20)

it("a killed import or undo has the same result when run again", async () => {
  const [whole, empty] = [await project(), await project()]
  const steps = Number((await beads(whole, FILE)).stderr)
  expect(steps).toBeGreaterThan(20)
  const expected = recordsIn(whole)
  expect(expected.length).toBeGreaterThan(ISSUES)
  const undoSteps = Number((await beads(whole, "--undo")).stderr)
  expect(recordsIn(whole)).toEqual(recordsIn(empty))

  const random = seeded(20261116)
  const moment = (of: number) => 1 + Math.floor(random() * of)
  let killed = 0
  for (let n = 0; n < KILLS; n++) {
    const dir = await project()
    for (const _ of ["once", "twice"]) if (await wasKilled(beads(dir, FILE, moment(steps)))) killed++
    await beads(dir, FILE)
    expect(recordsIn(dir)).toEqual(expected)
    if (await wasKilled(beads(dir, "--undo", moment(undoSteps)))) killed++
    await beads(dir, "--undo")
    expect(recordsIn(dir)).toEqual(recordsIn(empty))
  }
  // Not every run is killed: a continued run has fewer steps than the moment that was drawn.
  expect(killed).toBeGreaterThan(KILLS)
})

async function project(): Promise<string> {
  const dir = await tempProject()
  mkdirSync(join(dir, ".hivemind/graph"), { recursive: true })
  writeFileSync(join(dir, "issues.jsonl"), lines.join("\n"))
  return dir
}

function beads(dir: string, argument: "issues.jsonl" | "--undo", at = 0): Promise<{ stderr: string }> {
  return hivemind(dir, ["import", "beads", argument], at)
}

/** The records without times that come from the moment of the import. */
function recordsIn(dir: string): string[] {
  const { state, problems } = hiveIn(dir).store.read()
  expect(problems).toEqual([])
  return recordTexts(state, (name) => !TIMES.has(name))
}

const ISSUES = 120
const FILE = "issues.jsonl"
const TIMES: ReadonlySet<string> = new Set(["created_at", "updated_at", "stamp"])
const lines = Array.from({ length: ISSUES }, (_, n) => {
  const links = [
    ...(n % 20 > 0 && n % 7 > 0 ? [{ depends_on_id: `x-${n - (n % 20)}`, type: "parent-child" }] : []),
    ...(n % 3 === 1 ? [{ depends_on_id: `x-${(n * 7) % ISSUES}`, type: "blocks" }] : []),
  ]
  return JSON.stringify({
    ...{ id: `x-${n}`, title: `Issue ${n}`, issue_type: n % 20 === 0 ? "epic" : "task" },
    ...{ status: ["open", "closed", "in_progress"][n % 3], dependencies: links },
    created_at: new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString(),
  })
})
