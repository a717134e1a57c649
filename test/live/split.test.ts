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
import { say, update, write } from "./bed/steps.ts"

const limit = { context: 100_000, output: 4000 }
const nearlyFull = { usage: { input: 81_000, output: 200, cached: 60_000 } }
const auto = { pluginOptions: { split: "auto" }, limit, git: true, hive: true } as const

const JITTER_MS = 50
const AT_WRITE = 2
// The process and the time of the begin, without a new session.
const NOTE_WORDS = 4

function nextOf(bed: Bed, { id }: { id: string }): string | null {
  return sessionOf(bed.state(), id)?.continued_in ?? null
}

async function addAnchor(bed: Bed): Promise<void> {
  const anchor = anAnchor(1, { key: "DB", value: "Postgres 16 on Neon" })
  await writeIn(bed.project, (tx) => tx.add("anchor", anchor))
}

async function fill(bed: Bed, session: { id: string }): Promise<void> {
  const words = "The tax rate for Iceland is 24 percent, mind that. Begin with the payments"
  await bed.prompt(session, words, update("trajectory", "Checkout"), update("action", "Take payments"))
  await bed.prompt(session, "Go on, please", write("pay.ts"), say("Half of it is done.", nearlyFull))
}

describe("a session whose window is nearly full", () => {
  it("goes on in one fresh session with task, anchors and the last words; the old file is kept, and the gate holds", async () => {
    await using bed = await openBed({ ...auto, pluginOptions: { split: "auto", governance: "strict" } })
    await addAnchor(bed)
    const old = await bed.newSession("payments")
    await fill(bed, old)
    await expect.poll(() => nextOf(bed, old)).not.toBeNull()
    const next = nextOf(bed, old) ?? ""
    expect((await bed.sessions()).sort()).toEqual([old.id, next].sort())
    await bed.waitForEvent("tui.session.select", ({ properties }) => properties["sessionID"] === next)

    bed.model.requests.length = 0
    const { toolCalls } = await bed.prompt({ id: next }, "Now the tax", write("tax.ts"))
    const first = JSON.stringify(bed.model.requests.find(({ kind }) => kind === "turn")?.body)
    expect(first).toContain("Take payments")
    expect(first).toContain("Postgres 16 on Neon")
    expect(first).toContain("The tax rate for Iceland is 24 percent")
    expect(first).toContain("Half of it is done.")
    expect(first?.split("Postgres 16 on Neon")).toHaveLength(2)
    // In strict only a task lets it write: that came along.
    expect(toolCalls[0]?.status).toBe("completed")
    const state = bed.state()
    const task = bed.all("task").find(({ title }) => title === "Take payments")
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
    const toasts = (text: string) =>
      bed.events.filter((each) => each.type === "tui.toast.show" && JSON.stringify(each).includes(text))
    await expect.poll(() => toasts("/hive-split")).toHaveLength(1)
    await bed.prompt(old, "And on", say("Still here.", nearlyFull))
    await bed.command(old, "hive-split")
    await expect.poll(() => nextOf(bed, old)).not.toBeNull()
    expect(await bed.sessions()).toHaveLength(2)
    expect(toasts("/hive-split")).toHaveLength(1)
    // The old session still works, and is not split again.
    await bed.prompt(old, "Are you there?", say("Here I am.", nearlyFull))
    await bed.command(old, "hive-split")
    await expect.poll(() => toasts("another session has already continued its work")).toHaveLength(1)
    expect(await bed.sessions()).toHaveLength(2)
  })
})

it("killed with -9 while it is split: afterwards one session goes on with the work, and nothing is left over", async () => {
  await using bed = await openBed(auto)
  const tries = trials(3, 24)
  /** How far the split was when the process ended, as its files tell. */
  const fell = { "before it began": 0, "before the write": 0, "after the write": 0, "after its end": 0 }
  const work = async (title: string) => {
    const session = await bed.newSession(title)
    await bed.prompt(session, "Begin", update("action", `Task of ${title}`), say("Half.", nearlyFull))
    await bed.waitForEvent("session.idle", ({ properties }) => properties["sessionID"] === session.id)
    return session
  }
  const seen = (session: string) => ({
    next: nextOf(bed, { id: session }),
    begun: (bed.state().metrics.get(session)?.registers["split_begun"] ?? null) as string | null,
  })
  const first = await work("undisturbed")
  const isSplit = () => seen(first.id).next !== null && seen(first.id).begun === null
  await expect.poll(isSplit, { interval: 10 }).toBe(true)
  for (let n = 0; n < tries; n++) {
    const before = await bed.sessions()
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
    // Killed between the host's making of the session and our note of it: that empty session stays.
    const isUnnoted = next === null && begun?.split(" ").length === NOTE_WORDS
    await bed.restart()
    await bed.prompt({ id: next ?? old.id }, "Are you there?")
    await expect
      .poll(async () => ({
        sessions: (await bed.sessions())
          .filter((id) => !before.includes(id) && (!isUnnoted || id === old.id))
          .sort(),
        begun: seen(old.id).begun,
        archived: listFiles(hivePaths(bed.project).splits).filter((name) => !archived.includes(name)),
      }))
      .toEqual({
        sessions: [old.id, ...(next === null ? [] : [next])].sort(),
        begun: null,
        archived: next === null ? [] : [expect.stringMatching(/\.md$/)],
      })
    const task = bed.all("task").find(({ title }) => title === `Task of work ${n}`)
    expect(task?.assigned_session_id).toBe(next ?? old.id)
    expect(headOf(bed.state(), next ?? old.id)?.active_task_ids).toEqual([task?.id])
  }
  expect(listFiles(hivePaths(bed.project).splits).filter((name) => !name.endsWith(".md"))).toEqual([])
  expect(Object.values(fell).reduce((sum, each) => sum + each, 0)).toBe(tries)
  const written = fell["after the write"] + fell["after its end"]
  expect(written).toBeGreaterThanOrEqual(Math.floor((tries + 1) / 4))
  process.stderr.write(`kills: ${JSON.stringify(fell)}\n`)
}, 1_800_000)
