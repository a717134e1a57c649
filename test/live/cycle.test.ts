import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { type SessionExport, sessionExport } from "../../src/schemas/export.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { anAnchor } from "../support/records.ts"
import { writeIn } from "../support/state-in.ts"
import { type Bed, openBed } from "./bed/bed.ts"
import { prefixFigures } from "./bed/prefix.ts"
import { bash, hive, read, say, update, write } from "./bed/steps.ts"

type SessionRef = { id: string }

it("four turns that change something make four exports and one mem, which the fifth is told; an idle turn makes none", async () => {
  await using bed = await openBed()
  const session = await bed.newSession("s")
  const begin = [update("trajectory", "Shop"), update("action", "Build the cart"), say("It is set up.")]
  await bed.prompt(session, "Set it up", ...begin)
  await exported(bed, 1)
  for (const n of [2, 3]) await writingTurn(bed, session, n)
  await bed.prompt(session, "Anything else?", say("Nothing to do right now."))
  // Steps between turns run one after another: had the turn before made one, this one's would be the fifth.
  await writingTurn(bed, session, 4)

  const files = exportsOf(bed)
  expect(files.map(({ number }) => number)).toEqual([1, 2, 3, 4])
  expect(files[0]).toMatchObject({ last_message: "It is set up.", hierarchy: { plan: { title: "Shop" } } })
  expect(files[3]).toMatchObject({
    last_message: "Part 4 is written, and it says what it should.",
    since: files[2]?.exported_at,
    files: [{ path: "part-4.txt", exists: true }],
    hierarchy: { tasks: [{ title: "Build the cart", status: "active", at_hand: true }] },
    validation: { is_complete: false },
  })
  await expect.poll(() => mems(bed, "synthesis").length).toBe(1)
  const [mem] = mems(bed, "synthesis")
  expect(mem?.content).toContain("files: part-4.txt, part-3.txt, part-2.txt")
  expect(mem?.content).toContain("Part 3 is written")
  expect(mem?.evidence).toEqual(["part-2.txt", "part-3.txt", "part-4.txt"])
  const { requests } = await bed.prompt(session, "What came of it so far, in short?")
  expect(requests[0]?.user).toContain("Part 3 is written")
  expect(new Set(prefixFigures(bed.model.turns()).kept)).toEqual(new Set([1]))
  expect(bed.printed()).toBe("")
  expect(await bed.pluginLog()).not.toContain("error")
})

it("a commit, a completed task and a decision that was made an anchor become a mem, once, also over a restart", async () => {
  await using bed = await openBed({ git: true, files: { "a.txt": "a\n" } })
  const session = await bed.newSession("s")
  const who = "-c user.name=bed -c user.email=bed@localhost"
  const { toolCalls } = await bed.prompt(
    session,
    "Go",
    update("action", "Make it better"),
    read(join(bed.project, "a.txt")),
    write(join(bed.project, "a.txt"), "b\n"),
    bash(`git add a.txt && git ${who} commit -m "feat: b is better" -m "It is shorter."`),
    hive("task complete", { evidence: "a.txt is better" }),
  )
  expect(toolCalls[3]?.metadata["exit"], toolCalls[3]?.output).toBe(0)
  await exported(bed, 1)
  const [task] = bed.all("task")
  // Commits from before the session are none of them.
  expect(mems(bed, "commits")).toMatchObject([
    { content: "feat: b is better It is shorter.", evidence: ["a.txt"], origin_task_id: task?.id },
  ])
  expect(mems(bed, "done")).toMatchObject([
    { content: "Make it better: a.txt is better", evidence: ["a.txt"], kind: "fact" },
  ])
  const at = new Date().toISOString()
  const made = { key: "DB", value: "Postgres", type: "decision", created_at: at, updated_at: at } as const
  await writeIn(bed.project, (tx) => tx.add("anchor", anAnchor(1, made)))
  await bed.restart()
  await bed.prompt(session, "Go on with what comes next in the plan", update("action", "Next"))
  await exported(bed, 2)
  await writingTurn(bed, session, 3)
  expect(mems(bed, "decisions")).toMatchObject([{ content: "DB: Postgres", kind: "decision" }])
  expect([mems(bed, "commits"), mems(bed, "done")].map(({ length }) => length)).toEqual([1, 1])
  expect(await bed.pluginLog()).not.toContain("error")
})

/** A turn that writes a file for the task at hand; over when it is exported under that number. */
async function writingTurn(bed: Bed, session: SessionRef, n: number): Promise<void> {
  const steps = [write(`part-${n}.txt`), say(`Part ${n} is written, and it says what it should.`)]
  await bed.prompt(session, `Write part ${n}`, ...steps)
  await exported(bed, n)
}

async function exported(bed: Bed, number: number): Promise<void> {
  await expect.poll(() => exportsOf(bed).at(-1)?.number).toBe(number)
}

/** The exports on disk, oldest first, each checked against the schema. */
function exportsOf(bed: Bed): SessionExport[] {
  const folder = hivePaths(bed.project).exports
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : []
  return names
    .map((name) => sessionExport.parse(JSON.parse(readFileSync(join(folder, name), "utf8"))))
    .sort((a, b) => a.exported_at.localeCompare(b.exported_at))
}

function mems(bed: Bed, shelf: string) {
  return bed.all("mem").filter((mem) => mem.shelf === shelf)
}
