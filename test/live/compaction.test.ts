import { expect, it } from "vitest"
import { headIdOf, sessionOf } from "../../src/graph/read-head.ts"
import { anAnchor } from "../support/records.ts"
import { writeIn } from "../support/state-in.ts"
import { type Bed, openBed } from "./bed/bed.ts"
import { injectedTexts } from "./bed/injected-state.ts"
import type { ModelRequest } from "./bed/model-request.ts"
import { prefixFigures } from "./bed/prefix.ts"
import { call, hive, save, say, update } from "./bed/steps.ts"

const files = {
  "notes.md": "A note that says something about the project.\n".repeat(150),
  "small.md": "Small.\n",
}
// 18,000 tokens of it are usable: an answer that reports more makes the host compact, and go on by itself.
const limit = { context: 20_000, output: 2000 }
const full = { usage: { input: 19_000, output: 10 } }
const HEADINGS =
  "Objective, Important Details, Work State, Completed, Active, Blocked, Next Move, Relevant Files".split(
    ", ",
  )

it("three automatic compactions in a row in one session: after each the whole state is there once; the second prompt is the report; an early anchor is told to the end", async () => {
  await using bed = await openBed({ files, limit })
  const session = await bed.newSession("s")
  let summaries = 0
  bed.model.hidden.compaction = () => say(`## Objective\n- words of summary ${++summaries}`)
  await saveAnchor(bed, "DB", "Postgres 16 on Neon")

  await bed.prompt(
    session,
    "Start with the login page",
    update("trajectory", "Login"),
    update("action", "Build the form"),
    save("Sign tokens with passport", "false_path"),
    save("JWT in a cookie, not sessions", "decision"),
    hive("task complete", { evidence: "it renders" }),
    say("Round 1 is done.", full),
    say("Going on after 1."),
  )
  await expectState(bed, 1, ["Postgres 16 on Neon", "JWT in a cookie", ">done: Build the form</turn>"])
  await expect.poll(() => reportOf(bed, session.id)).toContain("JWT in a cookie")

  await bed.prompt(
    session,
    "Now the checkout, please",
    update("trajectory", "Checkout"),
    update("action", "Take payments"),
    say("Round 2 is done.", full),
    say("Going on after 2."),
  )
  await expectState(bed, 2, ["Postgres 16 on Neon", "Take payments", ">to the plan: Checkout</turn>"])
  await expect.poll(() => reportOf(bed, session.id)).toContain("Take payments")

  const decide = [save("Stripe, not Adyen", "decision"), say("Round 3 is done.", full), say("Going on.")]
  await bed.prompt(session, "Decide on the provider", ...decide)
  const known = ["Postgres 16 on Neon", "Take payments", "Stripe, not Adyen", "JWT in a cookie"]
  await expectState(bed, 3, known)

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

async function expectState(bed: Bed, nth: number, told: string[]): Promise<void> {
  const compaction = compactions(bed)
  expect(compaction).toHaveLength(nth)
  const rest = bed.model.turns().filter(({ index }) => index > (compaction.at(-1)?.index ?? 0))
  const states = statesIn(rest[0])
  expect(states).toHaveLength(1)
  for (const text of told) expect(states[0]).toContain(text)
  expect(new Set(prefixFigures(rest).kept)).toEqual(new Set(rest.length > 1 ? [1] : []))
}

it("a subagent's session is compacted with its own task, and reports to its parent as ever", async () => {
  await using bed = await openBed({ files, limit, pluginOptions: { purification: "researcher" } })
  const task = { description: "look", prompt: "Look at the form and report.", subagent_type: "general" }
  const steps = [update("action", "Build the form"), call("task", task), say("All done.")]
  bed.model.script({ agent: "build" }, ...steps)
  bed.model.script({ agent: "general" }, say("Half way.", full), say("The form is fine."))
  const turn = await bed.prompt(await bed.newSession("s"), "Let somebody look at it")
  expect(turn.text).toBe("All done.")
  expect(turn.toolCalls[1]?.output).toContain("The form is fine.")
  expect(compactions(bed)).toHaveLength(1)
  expect(compactions(bed)[0]?.user).toContain("Build the form")
  const child = bed.model.requests.filter(({ kind }) => kind === "subagent")
  expect(child).toHaveLength(2)
  expect(statesIn(child[1])).toHaveLength(1)
  // Its report is made by rules, without a researcher.
  await expect.poll(() => reportOf(bed, child[0]?.session ?? "")).toContain("Build the form")
  expect(bed.all("delegation")).toEqual([])
})

it("after two compactions in a row, or a failed one, the next messages still have their state and prefix", async () => {
  await using bed = await openBed({ files })
  const session = await bed.newSession("s")
  await bed.prompt(session, "Start", update("action", "Build the form"))
  // Nothing is in between to summarise.
  for (const _ of [1, 2]) await bed.summarize(session)
  const { requests } = await bed.prompt(session, "Go on")
  expect(injectedTexts(requests[0] as ModelRequest).join()).toContain("Build the form")

  bed.model.hidden.compaction = { error: { status: 400, message: "scripted error" } }
  await bed.summarize(session)
  bed.model.hidden.compaction = say("The summary")
  // The host tries again with the next message, whose answer is the summary, and keeps the conversation.
  await bed.prompt(session, "Go on")
  const failed = compactions(bed).slice(-2)
  for (const { user } of failed) expect(user).toContain("by a program")
  await bed.prompt(session, "Really")
  expect(injectedTexts(bed.model.lastTurn()).join()).toContain("Build the form")
  const after = bed.model.turns().filter(({ index }) => index >= (requests[0]?.index ?? 0))
  expect(new Set(prefixFigures(after).kept)).toEqual(new Set([1]))
})

it("with purification by a researcher, one session of its own writes the report, once per compaction", async () => {
  await using bed = await openBed({ files, pluginOptions: { purification: "researcher" } })
  const session = await bed.newSession("s")
  const report = "Keep the form and its tests; the rest can go."
  const steps = [update("trajectory", "Login"), update("action", "Build the form"), say("ok"), say("ok")]
  bed.model.script({ session: session.id }, ...steps)
  await bed.prompt(session, "Start")
  bed.model.script({ agent: "hive-investigator" }, say(report))
  await bed.summarize(session)
  await expect.poll(() => reportOf(bed, session.id)).toBe(report)
  const asked = () => bed.model.requests.filter(({ kind }) => kind === "subagent")
  expect(asked()).toHaveLength(1)
  expect(asked()[0]?.agent).toBe("hive-investigator")
  expect(asked()[0]?.user).toContain("A scripted summary")
  expect(asked()[0]?.user).toContain("Goal: Login")
  await bed.prompt(session, "Go on")
  await bed.summarize(session)
  expect(compactions(bed).at(-1)?.user).toContain(`<report>\n${report}\n</report>`)
  expect(compactions(bed).at(-1)?.user).toContain("## Relevant Files")
  // The session keeps its task, and the researcher's is in no plan of the user.
  const state = bed.state()
  const head = state.trajectory.get(headIdOf(session.id))
  expect(state.task.get(head?.active_task_ids[0] ?? "")?.title).toBe("Build the form")
  const own = bed.all("task").filter(({ parent_plan_id }) => parent_plan_id === head?.active_plan_id)
  expect(own).toHaveLength(1)
  await expect.poll(() => asked().length).toBe(2)
})

function statesIn(request: ModelRequest | undefined): string[] {
  const texts = request === undefined ? [] : injectedTexts(request)
  return texts.filter((text) => text.startsWith("<hivemind_state"))
}

function compactions(bed: Bed): ModelRequest[] {
  return bed.model.requests.filter(({ kind }) => kind === "compaction")
}

function reportOf(bed: Bed, session: string): string | null | undefined {
  return sessionOf(bed.state(), session)?.next_report
}

async function saveAnchor(bed: Bed, key: string, value: string): Promise<void> {
  const at = new Date().toISOString()
  const anchor = anAnchor(1, { key, value, priority: "critical", created_at: at, updated_at: at })
  await writeIn(bed.project, (tx) => tx.add("anchor", anchor))
}
