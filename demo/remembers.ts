import type { Bed } from "../test/live/bed/bed.ts"
import { call, say } from "../test/live/bed/steps.ts"
import { expectThat, type Narrator } from "./narrator.ts"

/** OpenCode is restarted; the mem that was saved before is still there. */
export async function remembers(bed: Bed, narrator: Narrator): Promise<void> {
  narrator.scene("A mem outlives the process")
  const session = await bed.newSession("demo")
  bed.model.script(
    call("hivemind_session", { action: "start", intent: "Add a login page" }),
    call("hivemind_session", { action: "update", level: "action", content: "Build the login form" }),
    call("hivemind_memory", {
      action: "save",
      kind: "decision",
      content: "Sessions are JWTs, signed with jose",
    }),
    say("Noted."),
  )
  narrator.step("The user asks for a login page. The model starts a session, a task, and saves a decision:")
  const turn = await bed.prompt(session, "Please add a login page.")
  for (const { tool, input, output } of turn.toolCalls) {
    narrator.shows(`${tool} ${JSON.stringify(input)}\n→ ${output}`)
    expectThat(`${tool} succeeds`, JSON.parse(output ?? "{}").status === "success")
  }

  narrator.step(
    "It lies in the project as plain text, in .hivemind/graph/. OpenCode is stopped and started again.",
  )
  await bed.restart()

  bed.model.script(call("hivemind_memory", { action: "list" }), say("There it is."))
  const later = await bed.prompt(session, "What did we decide about sessions?")
  const [list] = later.toolCalls
  narrator.step("In the new process the model asks for its mems:")
  narrator.shows(list?.output ?? "")
  expectThat("the mem is still there", (list?.output ?? "").includes("signed with jose"))
}
