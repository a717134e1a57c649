import type { Bed } from "../test/live/bed/bed.ts"
import { injectedTexts } from "../test/live/bed/injected-state.ts"
import { call, say } from "../test/live/bed/steps.ts"
import { expectThat, type Narrator } from "./narrator.ts"

/** Two compactions: the state is shown again after each, and the second one gets a report of what to keep. */
export async function keepsTheThread(bed: Bed, narrator: Narrator): Promise<void> {
  narrator.scene("Compacted twice, and still on the thread")
  const session = await bed.newSession("demo")
  bed.model.hidden.compaction = say("## Objective\n- Make the login page fast")
  bed.model.script(
    call("hivemind_session", { action: "update", level: "trajectory", content: "Make login fast" }),
    call("hivemind_session", { action: "update", level: "action", content: "Cache the session lookup" }),
    call("hivemind_anchor", {
      action: "save",
      key: "DB",
      value: "Postgres 16 on Neon",
      priority: "critical",
    }),
    call("hivemind_memory", {
      action: "save",
      kind: "decision",
      content: "Cache sessions in Redis, 5 minutes",
    }),
    call("hivemind_memory", {
      action: "save",
      kind: "false_path",
      content: "Caching in the process: two servers disagree",
    }),
    say("Noted."),
  )
  await bed.prompt(session, "Login is slow; find out why and plan it.")
  await bed.summarize(session)
  await bed.prompt(session, "Go on.")
  narrator.step("The conversation was compacted to one line. With the next message the model reads, once:")
  const after = bed.model.requests.filter(({ kind }) => kind === "turn").at(-1)
  const injected = after === undefined ? [] : injectedTexts(after)
  for (const text of injected) narrator.shows(text)
  expectThat("the anchor is shown again", injected.join().includes("Postgres 16 on Neon"))
  expectThat(
    "the state is shown once",
    injected.filter((text) => text.startsWith("<hivemind_state")).length === 1,
  )

  await bed.summarize(session)
  const prompt = bed.model.requests.filter(({ kind }) => kind === "compaction").at(-1)?.user ?? ""
  const report = /^<report>$[\s\S]*^<\/report>$/m.exec(prompt)?.[0] ?? ""
  narrator.step("The second compaction is asked by a report of what the work turns on:")
  narrator.shows(report)
  expectThat("the report knows the decision", report.includes("Redis"))
  expectThat("and what was given up", report.includes("two servers disagree"))
}
