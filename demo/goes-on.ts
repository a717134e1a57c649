import type { Bed } from "../test/live/bed/bed.ts"
import { call, say } from "../test/live/bed/steps.ts"
import { expectThat, type Narrator } from "./narrator.ts"

/** The window is nearly full: a fresh session has the state and the last words, and works on the same task. */
export async function goesOn(bed: Bed, narrator: Narrator): Promise<void> {
  narrator.scene("Window full, work goes on")
  const session = await bed.newSession("demo")
  const nearlyFull = { usage: { input: 168_000, output: 40, cached: 160_000 } }
  bed.model.script(
    call("hivemind_session", { action: "update", level: "action", content: "Send the invoices" }),
    say("The first half is sent.", nearlyFull),
  )
  await bed.prompt(session, "Invoices go out on the 3rd, never on a Sunday. Begin.")
  bed.model.script(say("The second half comes next.", nearlyFull))
  narrator.step("A line says that the window is 84 % full. The user types /hive-split.")
  await bed.client.session.command({
    path: { id: session.id },
    body: { command: "hive-split", arguments: "" },
  })
  const { properties } = await bed.waitForEvent("tui.session.select")
  const next = { id: String(properties["sessionID"]) }
  const [first] = await bed.messages(next)
  narrator.step("OpenCode shows a fresh session. Its first message, which nobody had to write:")
  for (const part of first?.parts ?? []) if (part.type === "text") narrator.shows(part.text)

  bed.model.script(
    call("write", { filePath: `${bed.project}/invoices.txt`, content: "sent\n" }),
    say("All invoices are sent."),
  )
  const { toolCalls } = await bed.prompt(next, "Go on.")
  const asked = JSON.stringify(bed.model.requests.filter(({ kind }) => kind === "turn").at(-1)?.body)
  expectThat("the model knows what the user said", asked.includes("never on a Sunday"))
  expectThat("and the task", asked.includes("Send the invoices"))
  expectThat("and may write, as the task came along", toolCalls[0]?.status === "completed")
  narrator.step("The task came along: in strict, the next write passes there.")
}
