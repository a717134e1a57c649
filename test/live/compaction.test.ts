import { describe, expect, it } from "vitest"
import { headIdOf, sessionOf } from "../../src/graph/read-head.ts"
import type { Session } from "../../src/schemas/session.ts"
import { anAnchor } from "../support/records.ts"
import { writeIn } from "../support/state-in.ts"
import { type Bed, openBed } from "./bed/bed.ts"
import { injectedTexts } from "./bed/injected-state.ts"
import type { ModelRequest } from "./bed/model-request.ts"
import { prefixFigures } from "./bed/prefix.ts"
import { call, fail, hive, save, say, update } from "./bed/steps.ts"

const files = {
  "notes.md": "A note that says something about the project.\n".repeat(150),
  "small.md": "Small.\n",
}
// 18,000 tokens of it are usable: an answer that reports more makes the host compact, and go on by itself.
const limit = { context: 20_000, output: 2000 }
const full = { usage: { input: 19_000, output: 10 } }
const HEADINGS = [
  "Objective",
  "Important Details",
  "Work State",
  "Completed",
  "Active",
  "Blocked",
  "Next Move",
  "Relevant Files",
]

describe("three automatic compactions in a row in one session", () => {
  it("after each the whole state is there once; the second prompt is the report; an early anchor is told to the end", async () => {
    await using bed = await openBed({ files, limit })
    const session = await bed.newSession("s")
    let summaries = 0
    bed.model.hidden.compaction = () => say(`## Objective\n- words of summary ${++summaries}`)
    await saveAnchor(bed, "DB", "Postgres 16 on Neon")

    bed.model.script(
      update("trajectory", "Login"),
      update("action", "Build the form"),
      save("Sign tokens with passport", "false_path"),
      save("JWT in a cookie, not sessions", "decision"),
      hive("task complete", { evidence: "it renders" }),
      say("Round 1 is done.", full),
      say("Going on after 1."),
    )
    await bed.prompt(session, "Start with the login page")
    await expectState(bed, 1, ["Postgres 16 on Neon", "JWT in a cookie", ">done: Build the form</turn>"])
    await expect.poll(() => sessionIn(bed, session.id)?.next_report).toContain("JWT in a cookie")

    bed.model.script(
      update("trajectory", "Checkout"),
      update("action", "Take payments"),
      say("Round 2 is done.", full),
      say("Going on after 2."),
    )
    await bed.prompt(session, "Now the checkout, please")
    await expectState(bed, 2, ["Postgres 16 on Neon", "Take payments", ">to the plan: Checkout</turn>"])
    await expect.poll(() => sessionIn(bed, session.id)?.next_report).toContain("Take payments")

    bed.model.script(
      save("Stripe, not Adyen", "decision"),
      say("Round 3 is done.", full),
      say("Going on after 3."),
    )
    await bed.prompt(session, "Decide on the provider")
    await expectState(bed, 3, [
      "Postgres 16 on Neon",
      "Take payments",
      "Stripe, not Adyen",
      "JWT in a cookie",
    ])

    const [first, second, third] = compactions(bed)
    expect(first?.user).toContain('<anchor key="DB" priority="critical">Postgres 16 on Neon</anchor>')
    expect(first?.user).toContain("Kept by a program")
    expect(first?.user).toContain("Start with the login page")
    for (const request of [second, third])
      for (const heading of HEADINGS) expect(request?.user).toMatch(new RegExp(`^##+ ${heading}$`, "m"))
    expect(second?.user).toMatch(/^Summarise the conversation below/)
    expect(second?.user).toMatch(
      /<report>\n[\s\S]*- decision: JWT in a cookie, not sessions\n[\s\S]*given up:\n- Sign tokens with passport\n<\/report>/,
    )
    expect(second?.user).toMatch(/<last_summary>\n## Objective\n- words of summary 1\n<\/last_summary>/)
    expect(second?.user).toMatch(/<work>[\s\S]*Take payments/)
    expect(second?.user).toContain("Now the checkout, please")
    expect(third?.user).toContain("words of summary 2")
    expect(third?.user).toContain("JWT in a cookie, not sessions")
    for (const request of compactions(bed))
      expect(JSON.stringify(request.body)).not.toMatch(/<hivemind_|before_you_stop/)
    expect(bed.printed()).toBe("")
    expect(await bed.pluginLog()).not.toContain("error")
  })

  /** What the model is sent right after the nth compaction. */
  async function expectState(bed: Bed, nth: number, told: string[]): Promise<void> {
    const compaction = compactions(bed)
    expect(compaction).toHaveLength(nth)
    const after = bed.model
      .turns()
      .find(({ index }) => index > (compaction.at(-1)?.index ?? 0)) as ModelRequest
    const states = injectedTexts(after).filter((text) => text.startsWith("<hivemind_state"))
    expect(states).toHaveLength(1)
    for (const text of told) expect(states[0]).toContain(text)
    const rest = bed.model.turns().filter(({ index }) => index >= after.index)
    expect(new Set(prefixFigures(rest).kept)).toEqual(new Set(rest.length > 1 ? [1] : []))
  }
})

it("a subagent's session is compacted with its own task, and reports to its parent as ever", async () => {
  await using bed = await openBed({ files, limit, pluginOptions: { purification: "researcher" } })
  const session = await bed.newSession("s")
  const task = { description: "look", prompt: "Look at the form and report.", subagent_type: "general" }
  bed.model.script(
    { agent: "build" },
    update("action", "Build the form"),
    call("task", task),
    say("All done."),
  )
  bed.model.script({ agent: "general" }, say("Half way.", full), say("The form is fine."))
  const turn = await bed.prompt(session, "Let somebody look at it")
  expect(turn.text).toBe("All done.")
  expect(turn.toolCalls[1]?.output).toContain("The form is fine.")
  expect(compactions(bed)).toHaveLength(1)
  expect(compactions(bed)[0]?.user).toContain("Build the form")
  const child = bed.model.requests.filter(({ kind }) => kind === "subagent")
  expect(child).toHaveLength(2)
  expect(
    injectedTexts(child[1] as ModelRequest).filter((text) => text.startsWith("<hivemind_state")),
  ).toHaveLength(1)
  // It has its report by rules, and no researcher of its own.
  await expect.poll(() => sessionIn(bed, child[0]?.session ?? "")?.next_report).toContain("Build the form")
  expect([...bed.state().delegation.values()]).toEqual([])
})

it("two compactions on end, with nothing in between to summarise, do not cost the next message its state", async () => {
  await using bed = await openBed({ files })
  const session = await bed.newSession("s")
  bed.model.script(update("action", "Build the form"), say("ok"))
  await bed.prompt(session, "Start")
  await bed.summarize(session)
  await bed.summarize(session)
  const { requests } = await bed.prompt(session, "Go on")
  expect(injectedTexts(requests[0] as ModelRequest).join()).toContain("Build the form")
})

it("a compaction that failed costs the next messages neither their state nor their prefix", async () => {
  await using bed = await openBed({ files })
  const session = await bed.newSession("s")
  bed.model.script(update("action", "Build the form"), say("ok"))
  await bed.prompt(session, "Start")
  bed.model.hidden.compaction = fail(400)
  await bed.summarize(session)
  bed.model.hidden.compaction = say("The summary")
  // The host tries again with the next message, whose answer is the summary, and keeps the conversation.
  await bed.prompt(session, "Go on")
  expect(compactions(bed)).toHaveLength(2)
  for (const { user } of compactions(bed)) expect(user).toContain("Kept by a program")
  await bed.prompt(session, "Really")
  expect(injectedTexts(bed.model.turns().at(-1) as ModelRequest).join()).toContain("Build the form")
  expect(new Set(prefixFigures(bed.model.turns()).kept)).toEqual(new Set([1]))
})

it("with purification by a researcher, one session of its own writes the report, once per compaction", async () => {
  await using bed = await openBed({ files, pluginOptions: { purification: "researcher" } })
  const session = await bed.newSession("s")
  bed.model.script(
    { session: session.id },
    update("trajectory", "Login"),
    update("action", "Build the form"),
    say("ok"),
    say("ok"),
  )
  await bed.prompt(session, "Start")
  bed.model.script({ agent: "hive-investigator" }, say("Keep the form and its tests; the rest can go."))
  await bed.summarize(session)
  await expect
    .poll(() => sessionIn(bed, session.id)?.next_report)
    .toBe("Keep the form and its tests; the rest can go.")
  const asked = () => bed.model.requests.filter(({ kind }) => kind === "subagent")
  expect(asked()).toHaveLength(1)
  expect(asked()[0]?.agent).toBe("hive-investigator")
  expect(asked()[0]?.user).toContain("A scripted summary")
  expect(asked()[0]?.user).toContain("Goal: Login")
  await bed.prompt(session, "Go on")
  await bed.summarize(session)
  expect(compactions(bed).at(-1)?.user).toContain(
    "<report>\nKeep the form and its tests; the rest can go.\n</report>",
  )
  expect(compactions(bed).at(-1)?.user).toContain("## Relevant Files")
  // The work of the session is as it was: its task at hand, and no task of the researcher's in its plan.
  const state = bed.state()
  const head = state.trajectory.get(headIdOf(session.id))
  expect(state.task.get(head?.active_task_ids[0] ?? "")?.title).toBe("Build the form")
  expect(
    [...state.task.values()].filter(({ parent_plan_id }) => parent_plan_id === head?.active_plan_id),
  ).toHaveLength(1)
  await expect.poll(() => asked().length).toBe(2)
})

describe("old tool output is removed", () => {
  it("once the cache has lapsed, and then leaves the prefix whole, also after a restart", async () => {
    await using bed = await openBed({ files, pluginOptions: { cache_lapse_minutes: 0.0001 } })
    const session = await bed.newSession("s")
    await lookAround(bed, session)
    expect(outputs(bed.model.turns().at(-1))[1]).toContain("A note that says something")
    const first = bed.model.turns().length
    bed.model.script(call("read", { filePath: `${bed.project}/small.md` }), say("ok"))
    await bed.prompt(session, "Go on")
    expectPruned(bed.model.turns()[first])
    await bed.prompt(session, "And on")
    await bed.restart()
    await bed.prompt(session, "Once more")
    expectPruned(bed.model.turns().at(-1))
    expect(new Set(prefixFigures(bed.model.turns().slice(first)).kept)).toEqual(new Set([1]))
    expect(JSON.stringify(await bed.messages(session))).not.toContain("output_removed")
    expect(await bed.pluginLog()).not.toContain("error")
  })

  it("and never else: without a lapse nothing goes, and the prefix stays whole", async () => {
    await using bed = await openBed({ files })
    const session = await bed.newSession("s")
    await lookAround(bed, session)
    for (const text of ["Go on", "And on"]) await bed.prompt(session, text)
    expect(JSON.stringify(bed.model.turns().at(-1)?.body)).not.toContain("output_removed")
    expect(new Set(prefixFigures(bed.model.turns()).kept)).toEqual(new Set([1]))
  })

  /** A task with a long output that is done, another one under way, and a few results after it. */
  async function lookAround(bed: Bed, session: { id: string }): Promise<void> {
    const small = call("read", { filePath: `${bed.project}/small.md` })
    bed.model.script(
      update("action", "Look around"),
      call("read", { filePath: `${bed.project}/notes.md` }),
      call("write", { filePath: `${bed.project}/seen.md`, content: "seen\n" }),
      hive("task complete", { evidence: "seen" }),
      update("action", "Build the form"),
      call("read", { filePath: `${bed.project}/notes.md` }),
      small,
      small,
      small,
      say("Seen."),
    )
    await bed.prompt(session, "Look around, then start")
  }

  /** The finished task's output is a note; that of the task at hand is as long as before. */
  function expectPruned(request: ModelRequest | undefined): void {
    const [, read, , , , again] = outputs(request)
    expect(read).toMatch(/^<output_removed tool="read" tokens="\d+" work="finished" task="Look around">/)
    expect(again).toContain("A note that says something")
  }
})

function outputs(request: ModelRequest | undefined): string[] {
  return (request?.body.messages ?? [])
    .filter(({ role }) => role === "tool")
    .map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content)))
}

function compactions(bed: Bed): ModelRequest[] {
  return bed.model.requests.filter(({ kind }) => kind === "compaction")
}

function sessionIn(bed: Bed, id: string): Session | undefined {
  return sessionOf(bed.state(), id)
}

async function saveAnchor(bed: Bed, key: string, value: string): Promise<void> {
  const at = new Date().toISOString()
  const anchor = anAnchor(1, { key, value, priority: "critical", created_at: at, updated_at: at })
  await writeIn(bed.project, (tx) => tx.add("anchor", anchor))
}
