import { describe, expect, it } from "vitest"
import { aMem } from "../support/records.ts"
import { writeIn } from "../support/state-in.ts"
import { type Bed, openBed } from "./bed/bed.ts"
import { busyTurn } from "./bed/busy-session.ts"
import { injectedState, injectedTexts } from "./bed/injected-state.ts"
import type { ModelRequest } from "./bed/model-request.ts"
import { patchedPlugin } from "./bed/patched-plugin.ts"
import { prefixFigures } from "./bed/prefix.ts"
import { call, calls, read, say, update } from "./bed/steps.ts"

const files = { "notes.md": "Some notes.\n".repeat(20) }

// test/live/two-hosts.test.ts has the state on every turn, with 100 % of the prefix, over a restart and a compaction.
describe("the state in a session's requests", () => {
  it("a reverted turn takes its delta along, and the next one tells it again", async () => {
    await using bed = await openBed({ files, git: true })
    const session = await bed.newSession("s")
    await busyTurn(bed, session, 1)
    await busyTurn(bed, session, 2)
    const { messages } = await busyTurn(bed, session, 3)
    const reverted = messages.findLast(({ info }) => info.role === "user")?.info.id ?? ""
    expect(injectedTexts(bed.model.lastTurn()).join()).toContain("Rule 3 holds")
    await bed.client.session.revert({ path: { id: session.id }, body: { messageID: reverted } })
    const { requests } = await busyTurn(bed, session, 4)
    const first = requests[0] as ModelRequest
    expect(JSON.stringify(first.body)).not.toContain(reverted)
    // Told anew, once: the model has never heard of it.
    expect(injectedTexts(first).filter((text) => text.includes("Rule 3 holds"))).toHaveLength(1)
    const kept = bed.model.turns()[7] as ModelRequest
    expect(prefixFigures([kept, first]).kept[0]).toBeGreaterThan(0.95)
    const after = bed.model.turns().filter((request) => request.index >= first.index)
    expect(new Set(prefixFigures(after).kept)).toEqual(new Set([1]))
  })

  it("title and compaction requests are left alone, nothing is stored in the history, and each item has its reason and cost", async () => {
    await using bed = await openBed({ files })
    const session = await bed.newSession()
    for (const turn of [1, 2]) await busyTurn(bed, session, turn)
    await bed.summarize(session)
    const hidden = bed.model.requests.filter(({ kind }) => kind === "title" || kind === "compaction")
    expect(hidden.map(({ kind }) => kind)).toEqual(["title", "compaction"])
    for (const request of hidden)
      expect(JSON.stringify(request.body)).not.toMatch(/<hivemind|before_you_stop/)
    expect(JSON.stringify(await bed.messages(session))).not.toMatch(/<hivemind_|before_you_stop|prt_hivemind/)
    const kept = await bed.readHive(`state/injected/${session.id}.jsonl`)
    const records = kept.trim().split("\n").slice(0, 2)
    for (const record of records.map((line) => JSON.parse(line))) {
      expect(record).toMatchObject({ tokens: expect.any(Number), budget: 6000 })
      for (const item of record.items) expect(item.reason).toMatch(/\w/)
    }
    expect(JSON.parse(records[1] ?? "").items.length).toBeGreaterThan(0)
  })
})

describe("each session has its own state", () => {
  it("two sessions and a subagent: own read-heads, the subagent's block smaller and about its task", async () => {
    await using bed = await openBed({ files })
    const [one, two] = [await bed.newSession("one"), await bed.newSession("two")]
    const backend = [update("trajectory", "Backend"), update("action", "Build the API")]
    const frontend = [update("trajectory", "Frontend"), update("action", "Paint the page")]
    await bed.prompt(one, "Start with the backend", ...backend)
    await bed.prompt(two, "Start with the frontend", ...frontend)
    await addMems(bed, 12)
    const task = { description: "look", prompt: "Look at the API and report.", subagent_type: "general" }
    const turn = await bed.prompt(one, "Let somebody look at it", call("task", task))
    await bed.prompt(two, "Go on")
    const child = turn.requests.find(({ kind }) => kind === "subagent") as ModelRequest
    const parent = turn.requests[0] as ModelRequest
    expect(told(parent, "task")).toContain("Build the API")
    expect(told(child, "task")).toContain("Build the API")
    expect(told(bed.model.lastTurn(), "task")).toContain("Paint the page")
    expect(injectedTexts(child).join().length).toBeLessThan(injectedTexts(parent).join().length)
    expect(injectedTexts(child).join()).not.toContain("Paint the page")
  })
})

describe("the user's words", () => {
  it("'wait, … first' moves the read-head, says so, and can be taken back; without an order there is a hint", async () => {
    await using bed = await openBed({ files })
    const session = await bed.newSession("s")
    await bed.prompt(
      session,
      "Set up the plan for the shop",
      calls(update("trajectory", "Shop"), update("tactic", "Frontend")),
      update("action", "Fix the checkout UI"),
      update("tactic", "Backend"),
      update("action", "Build the orders API"),
    )
    await bed.prompt(session, "Wait, fix the checkout UI first")
    const moved = bed.model.lastTurn()
    expect(told(moved, "head")).toContain("moved=")
    expect(told(moved, "task")).toContain("Fix the checkout UI")
    await bed.prompt(session, "No, I meant that for later", update("action", "Build the orders API"))
    await bed.prompt(session, "Go on with it then")
    expect(told(bed.model.lastTurn(), "task")).toContain("Build the orders API")
    expect(told(bed.model.lastTurn(), "head")).not.toContain("moved=")
    await bed.prompt(session, "fix the checkout UI")
    expect(newest(bed)).toMatch(
      /<hint>The user may mean the task &quot;Fix the checkout UI&quot;. If so: hivemind_task start [0-9a-f]{8}<\/hint>/,
    )
    expect(told(bed.model.lastTurn(), "task")).toContain("Build the orders API")
  })

  it("a short prompt gets a flow line; long ones add up to a fresh keyframe; both as soon as enough else was said", async () => {
    const long = { "long.md": "A line of a long file that is about the work. \n".repeat(900) }
    await using bed = await openBed({ files: { ...files, ...long } })
    const session = await bed.newSession("s")
    await busyTurn(bed, session, 1)
    await bed.prompt(session, "go on")
    expect(newest(bed)).not.toContain("<flow ")
    bed.model.script(read("long.md"), say("Read."))
    for (let n = 0; n < 3; n++) await bed.prompt(session, "go on")
    expect(newest(bed)).toContain("<flow ")
    await bed.prompt(session, "go on", read("long.md"))
    const thought = "Here is a long thought about the work that wanders. ".repeat(9)
    for (let n = 0; n < 2; n++) await bed.prompt(session, thought)
    expect(newest(bed)).toMatch(/^<hivemind_state/m)
    expect(newest(bed)).not.toContain("<flow ")
    expect(new Set(prefixFigures(bed.model.turns()).kept)).toEqual(new Set([1]))
  })
})

it("an error inside the packer: the turn goes on without a block, and log and toast say so", async () => {
  const plugin = patchedPlugin(
    /function fitItems\([^)]*\)\{/,
    'function fitItems() { throw new Error("injected fault");',
  )
  await using bed = await openBed({ files, plugin })
  const session = await bed.newSession("s")
  const turn = await busyTurn(bed, session, 1)
  expect(turn.error).toBeUndefined()
  expect(turn.text).toContain("Turn 1 is done.")
  expect(injectedTexts(bed.model.lastTurn())).toEqual([])
  expect(await bed.pluginLog()).toContain("could not be packed")
  await bed.toast("could not be packed")
  expect(await bed.pluginLog()).toContain("injected fault")
  expect(bed.printed()).toBe("")
})

function newest(bed: Bed): string {
  return bed.model.lastTurn().user
}

function told(request: ModelRequest, tag: string): string {
  const state = [...injectedState(request)]
  return state.flatMap(([ref, line]) => (ref.split(" ")[0] === tag ? [line] : [])).join("\n")
}

async function addMems(bed: Bed, count: number): Promise<void> {
  const at = new Date().toISOString()
  await writeIn(bed.project, (tx) => {
    for (let n = 0; n < count; n++)
      tx.add("mem", aMem(100 + n, { content: `A thing noticed in passing, number ${n}`, created_at: at }))
  })
}
