import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { headOf, sessionOf } from "../../src/graph/read-head.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { listFiles } from "../../src/store/files/text-file.ts"
import { trials } from "../support/effort.ts"
import { anAnchor } from "../support/records.ts"
import { writeIn } from "../support/state-in.ts"
import { type Bed, openBed } from "./bed/bed.ts"
import { call, say, update } from "./bed/steps.ts"

const limit = { context: 100_000, output: 4000 }
const nearlyFull = { usage: { input: 81_000, output: 200, cached: 60_000 } }
const auto = { pluginOptions: { split: "auto" }, limit, git: true, hive: true } as const

async function sessionsOf(bed: Bed): Promise<string[]> {
  const { data = [] } = await bed.client.session.list()
  return data.filter(({ parentID }) => parentID === undefined).map(({ id }) => id)
}

// From one step of a split to the next it is less.
const JITTER_MS = 50
// Which of the kills waits for the write.
const AT_WRITE = 2

async function addAnchor(bed: Bed): Promise<void> {
  const anchor = anAnchor(1, { key: "DB", value: "Postgres 16 on Neon" })
  await writeIn(bed.project, (tx) => tx.add("anchor", anchor))
}

/** Work with a task at hand, whose last answer fills the window. */
async function fill(bed: Bed, session: { id: string }): Promise<void> {
  bed.model.script(
    update("trajectory", "Checkout"),
    update("action", "Take payments"),
    say("I have begun with the payments."),
  )
  await bed.prompt(session, "The tax rate for Iceland is 24 percent, mind that. Begin with the payments")
  bed.model.script(
    call("write", { filePath: `${bed.project}/pay.ts`, content: "export {}\n" }),
    say("Half of it is done.", nearlyFull),
  )
  await bed.prompt(session, "Go on, please")
}

describe("a session whose window is nearly full", () => {
  it("goes on in one fresh session with task, anchors and the last words; the old file is kept, and the gate holds", async () => {
    await using bed = await openBed({ ...auto, pluginOptions: { split: "auto", governance: "strict" } })
    await addAnchor(bed)
    const old = await bed.newSession("payments")
    await fill(bed, old)
    await expect.poll(() => sessionOf(bed.state(), old.id)?.continued_in ?? null).not.toBeNull()
    const next = sessionOf(bed.state(), old.id)?.continued_in ?? ""
    expect((await sessionsOf(bed)).sort()).toEqual([old.id, next].sort())
    await bed.waitForEvent("tui.session.select", ({ properties }) => properties["sessionID"] === next)

    bed.model.requests.length = 0
    bed.model.script(
      call("write", { filePath: `${bed.project}/tax.ts`, content: "export {}\n" }),
      say("Written."),
    )
    const { toolCalls } = await bed.prompt({ id: next }, "Now the tax")
    const first = JSON.stringify(bed.model.requests.find(({ kind }) => kind === "turn")?.body)
    expect(first).toContain("Take payments")
    expect(first).toContain("Postgres 16 on Neon")
    expect(first).toContain("The tax rate for Iceland is 24 percent")
    expect(first).toContain("Half of it is done.")
    // Once: what the message has is not said again.
    expect(first?.split("Postgres 16 on Neon")).toHaveLength(2)
    // In strict only a task lets it write: that came along.
    expect(toolCalls[0]?.status).toBe("completed")
    const state = bed.state()
    const task = [...state.task.values()].find(({ title }) => title === "Take payments")
    expect(task?.assigned_session_id).toBe(next)
    expect(headOf(state, next)?.active_task_ids).toEqual([task?.id])
    expect(headOf(state, old.id)?.active_task_ids).toEqual([])
    const { splits } = hivePaths(bed.project)
    const [archived = "", ...others] = readdirSync(splits)
    expect([archived, others]).toEqual([`${sessionOf(state, old.id)?.stamp}.md`, []])
    expect(readFileSync(join(splits, archived), "utf8")).toContain("The tax rate for Iceland is 24 percent")
    expect(bed.printed()).toBe("")
  })

  it("is not split twice, and only offered to be where the user has not said otherwise; /hive-split does it", async () => {
    await using bed = await openBed({ limit, git: true, hive: true })
    const old = await bed.newSession("payments")
    await fill(bed, old)
    const toasts = () =>
      bed.events.filter(({ type }) => type === "tui.toast.show").map((each) => JSON.stringify(each))
    await expect.poll(() => toasts().filter((each) => each.includes("/hive-split"))).toHaveLength(1)
    bed.model.script(say("Still here.", nearlyFull))
    await bed.prompt(old, "And on")
    bed.model.script(say("The tax comes next."))
    await bed.client.session.command({ path: { id: old.id }, body: { command: "hive-split", arguments: "" } })
    await expect.poll(() => sessionOf(bed.state(), old.id)?.continued_in ?? null).not.toBeNull()
    expect(await sessionsOf(bed)).toHaveLength(2)
    expect(toasts().filter((each) => each.includes("/hive-split"))).toHaveLength(1)
    // Somebody goes on in the old one all the same: it works, and is not split again.
    bed.model.script(say("Here I am.", nearlyFull))
    await bed.prompt(old, "Are you there?")
    bed.model.script(say("I stay here."))
    await bed.client.session.command({ path: { id: old.id }, body: { command: "hive-split", arguments: "" } })
    await expect
      .poll(() => toasts().filter((each) => each.includes("goes on elsewhere already")))
      .toHaveLength(1)
    expect(await sessionsOf(bed)).toHaveLength(2)
  })

  it("is only split where the compaction comes after, and only compacted where the host does that first", async () => {
    await using bed = await openBed(auto)
    const compacted = () =>
      [split, full].filter(({ id }) =>
        bed.events.some(
          ({ type, ...event }) => type === "session.compacted" && JSON.stringify(event).includes(id),
        ),
      )
    const full = await bed.newSession("compacted first")
    const split = await bed.newSession("split first")
    await fill(bed, split)
    await expect.poll(() => sessionOf(bed.state(), split.id)?.continued_in ?? null).not.toBeNull()
    await bed.summarize(split).catch(() => {})

    bed.model.script(say("That was all there is room for.", { usage: { input: 99_000, output: 200 } }))
    bed.model.script(say("Going on after the summary."))
    await bed.prompt(full, "Begin")
    await expect.poll(compacted).toEqual([full])
    // The turn after it is over, and so is whatever the first one was to be followed by.
    bed.model.script(say("Still here."))
    await bed.prompt(full, "Are you there?")
    await expect.poll(() => bed.state().metrics.get(full.id)?.compactions).toBe(1)
    expect(sessionOf(bed.state(), full.id)?.continued_in ?? null).toBeNull()
    expect(compacted()).toEqual([full])
    expect(await sessionsOf(bed)).toHaveLength(3)
  })
})

it("killed with -9 while it is split: afterwards one session goes on with the work, and nothing is left over", async () => {
  await using bed = await openBed(auto)
  const tries = trials(3, 24)
  /** How far the split was when the process ended, as its files tell. */
  const fell = { "before it began": 0, "before the write": 0, "after the write": 0, "after its end": 0 }
  const work = async (title: string) => {
    const session = await bed.newSession(title)
    bed.model.script(update("action", `Task of ${title}`), say("Half of it is done.", nearlyFull))
    await bed.prompt(session, "Begin")
    await bed.waitForEvent("session.idle", ({ properties }) => properties["sessionID"] === session.id)
    return session
  }
  const seen = (session: string) => ({
    next: sessionOf(bed.state(), session)?.continued_in ?? null,
    begun: (bed.state().metrics.get(session)?.registers["split_begun"] ?? null) as string | null,
  })
  const first = await work("undisturbed")
  await expect
    .poll(() => seen(first.id).next !== null && seen(first.id).begun === null, { interval: 10 })
    .toBe(true)
  for (let n = 0; n < tries; n++) {
    const before = await sessionsOf(bed)
    // A file that was being written when the process was killed is removed by a later fold.
    const archived = listFiles(hivePaths(bed.project).splits)
    const old = await work(`work ${n}`)
    // In turns: the begin of the split, the moment it has made a session, its write, and after the turn's end.
    const words = () => (seen(old.id).begun ?? "").split(" ").length
    const isThere = [() => words() >= 4, () => words() >= 5, () => false][n % 4] ?? (() => true)
    await expect.poll(() => isThere() || seen(old.id).next !== null, { interval: 1 }).toBe(true)
    // Right after the write: its end is near.
    if (n % 4 !== AT_WRITE) await new Promise((resolve) => setTimeout(resolve, Math.random() * JITTER_MS))
    await bed.kill()
    const { next, begun } = seen(old.id)
    if (next === null) fell[begun === null ? "before it began" : "before the write"]++
    else fell[begun === null ? "after its end" : "after the write"]++
    await bed.restart()
    bed.model.script(say("Here."))
    await bed.prompt({ id: next ?? old.id }, "Are you there?")
    await expect
      .poll(async () => ({
        sessions: (await sessionsOf(bed)).filter((id) => !before.includes(id)).sort(),
        begun: seen(old.id).begun,
        archived: listFiles(hivePaths(bed.project).splits).filter((name) => !archived.includes(name)),
      }))
      .toEqual({
        sessions: [old.id, ...(next === null ? [] : [next])].sort(),
        begun: null,
        archived: next === null ? [] : [expect.stringMatching(/\.md$/)],
      })
    const state = bed.state()
    const task = [...state.task.values()].find(({ title }) => title === `Task of work ${n}`)
    expect(task?.assigned_session_id).toBe(next ?? old.id)
    expect(headOf(state, next ?? old.id)?.active_task_ids).toEqual([task?.id])
  }
  expect(listFiles(hivePaths(bed.project).splits).filter((name) => !name.endsWith(".md"))).toEqual([])
  expect(Object.values(fell).reduce((sum, each) => sum + each, 0)).toBe(tries)
  const written = fell["after the write"] + fell["after its end"]
  expect(written).toBeGreaterThanOrEqual(Math.floor((tries + 1) / 4))
  process.stderr.write(`kills: ${JSON.stringify(fell)}\n`)
}, 1_800_000)
