import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type SessionExport, sessionExport } from "../../src/schemas/export.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { anAnchor } from "../support/records.ts"
import { writeIn } from "../support/state-in.ts"
import { type Bed, openBed } from "./bed/bed.ts"
import { prefixFigures } from "./bed/prefix.ts"
import { call, say, update } from "./bed/steps.ts"

type SessionRef = { id: string }

describe("exports", () => {
  it("four turns that change something make four files and one mem, which the fifth is told; an idle turn makes none", async () => {
    await using bed = await openBed()
    const session = await bed.newSession("s")
    bed.model.script(update("trajectory", "Shop"), update("action", "Build the cart"), say("It is set up."))
    await bed.prompt(session, "Set it up")
    await exported(bed, 1)
    for (const n of [2, 3]) await writingTurn(bed, session, n)
    bed.model.script(say("Nothing to do right now."))
    await bed.prompt(session, "Anything else?")
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
    const turns = bed.model.turns()
    expect(new Set(prefixFigures(turns).kept)).toEqual(new Set([1]))
    expect(bed.printed()).toBe("")
    expect(await bed.pluginLog()).not.toContain("error")
  })
})

describe("events become a mem, once", () => {
  it("a commit of the session, by its message and files; not those from before, and not again after a restart", async () => {
    await using bed = await openBed({ git: true, files: { "a.txt": "a\n" } })
    const session = await bed.newSession("s")
    const write = call("write", { filePath: join(bed.project, "a.txt"), content: "b\n" })
    const who = "-c user.name=bed -c user.email=bed@localhost"
    const commit = `git add a.txt && git ${who} commit -m "feat: b is better" -m "It is shorter."`
    bed.model.script(
      update("action", "Make it better"),
      call("read", { filePath: join(bed.project, "a.txt") }),
      write,
      call("bash", { command: commit, description: "commit" }),
      say("Committed."),
    )
    const { toolCalls } = await bed.prompt(session, "Go")
    expect(toolCalls.at(-1)?.metadata["exit"], toolCalls.at(-1)?.output).toBe(0)
    await exported(bed, 1)
    const [task] = bed.state().task.values()
    expect(mems(bed, "commits")).toMatchObject([
      { content: "feat: b is better It is shorter.", evidence: ["a.txt"], origin_task_id: task?.id },
    ])
    await writingTurn(bed, session, 2)
    await bed.restart()
    await writingTurn(bed, session, 3)
    expect(mems(bed, "commits")).toHaveLength(1)
    expect(await bed.pluginLog()).not.toContain("error")
  })

  it("a completed task, by its evidence and files, and a decision that was made an anchor", async () => {
    await using bed = await openBed()
    const session = await bed.newSession("s")
    const write = call("write", { filePath: join(bed.project, "cart.txt"), content: "x" })
    const done = { action: "complete", evidence: "cart.txt is written and complete" }
    bed.model.script(update("action", "Write the cart"), write, call("hivemind_task", done), say("Done."))
    await bed.prompt(session, "Go")
    await exported(bed, 1)
    expect(mems(bed, "done")).toMatchObject([
      { content: "Write the cart: cart.txt is written and complete", evidence: ["cart.txt"], kind: "fact" },
    ])
    const at = new Date().toISOString()
    const made = { created_at: at, updated_at: at }
    const decision = anAnchor(1, { key: "DB", value: "Postgres", type: "decision", ...made })
    await writeIn(bed.project, (tx) => tx.add("anchor", decision))
    await bed.restart()
    bed.model.script(update("action", "Next"), say("ok"))
    await bed.prompt(session, "Go on with what comes next in the plan")
    await exported(bed, 2)
    await writingTurn(bed, session, 3)
    expect(mems(bed, "done")).toHaveLength(1)
    expect(mems(bed, "decisions")).toMatchObject([{ content: "DB: Postgres", kind: "decision" }])
    expect(await bed.pluginLog()).not.toContain("error")
  })
})

/** A turn that writes a file for the task at hand; over when it is exported under that number. */
async function writingTurn(bed: Bed, session: SessionRef, n: number): Promise<void> {
  const write = call("write", { filePath: join(bed.project, `part-${n}.txt`), content: "x" })
  bed.model.script({ session: session.id }, write, say(`Part ${n} is written, and it says what it should.`))
  await bed.prompt(session, `Write part ${n}`)
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
  return [...bed.state().mem.values()].filter((mem) => mem.shelf === shelf)
}
