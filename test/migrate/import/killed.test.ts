import { execFile } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { recordsOf } from "../../../src/graph/state.ts"
import { kinds } from "../../../src/schemas/records.ts"
import { trials } from "../../support/effort.ts"
import { hiveIn } from "../../support/old-project.ts"
import { tempProject } from "../../support/temp-project.ts"

const CLI = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url))
const KILLED_AT = fileURLToPath(new URL("../../support/killed-at-step.mjs", import.meta.url))
const KILLS = trials(2, 20)

it("a killed import or undo has the same result when run again", async () => {
  const [whole, empty] = [await project(), await project()]
  const steps = Number((await hivemind(whole)).stderr)
  expect(steps).toBeGreaterThan(20)
  const expected = recordsIn(whole)
  expect(expected.length).toBeGreaterThan(ISSUES)
  const undoSteps = Number((await hivemind(whole, ["--undo"])).stderr)
  expect(recordsIn(whole)).toEqual(recordsIn(empty))

  const random = seeded(20261116)
  const moment = (of: number) => 1 + Math.floor(random() * of)
  let killed = 0
  for (let n = 0; n < KILLS; n++) {
    const dir = await project()
    for (const _ of ["once", "twice"]) if (await isKilled(dir, moment(steps))) killed++
    await hivemind(dir)
    expect(recordsIn(dir)).toEqual(expected)
    if (await isKilled(dir, moment(undoSteps), ["--undo"])) killed++
    await hivemind(dir, ["--undo"])
    expect(recordsIn(dir)).toEqual(recordsIn(empty))
  }
  // A run that goes on has fewer steps.
  expect(killed).toBeGreaterThan(KILLS)
})

/** A hive, and what beads has left beside it. */
async function project(): Promise<string> {
  const dir = await tempProject()
  mkdirSync(join(dir, ".hivemind/graph"), { recursive: true })
  writeFileSync(join(dir, "issues.jsonl"), lines.join("\n"))
  return dir
}

function hivemind(dir: string, options: string[] = [], at = 0): Promise<{ stderr: string }> {
  const args = ["--import", KILLED_AT, CLI, "import", "beads", ...(options.length > 0 ? options : [FILE])]
  const env = { PATH: process.env["PATH"], HOME: dir, KILL_AT: String(at) }
  return promisify(execFile)(process.execPath, args, { cwd: dir, env, encoding: "utf8" })
}

function isKilled(dir: string, at: number, options?: string[]): Promise<boolean> {
  return hivemind(dir, options, at).then(
    () => false,
    ({ signal }: { signal?: string }) => signal === "SIGKILL",
  )
}

/** Without the times that the moment of the import gives. */
function recordsIn(dir: string): string[] {
  const { state, problems } = hiveIn(dir).store.read()
  expect(problems).toEqual([])
  return kinds.flatMap((kind) =>
    [...recordsOf(state, kind).values()]
      .map((record) =>
        JSON.stringify(
          Object.entries(record)
            .filter(([name]) => !TIMES.has(name))
            .sort(),
        ),
      )
      .sort(),
  )
}

/** The same numbers in every run. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
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
