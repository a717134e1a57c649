import { join } from "node:path"
import type { Bed } from "../test/live/bed/bed.ts"
import { call, say } from "../test/live/bed/steps.ts"
import { expectThat, type Narrator } from "./narrator.ts"

/** A write without a task is refused; planned and verified, the same work is accepted. */
export async function refusedThenDone(bed: Bed, narrator: Narrator): Promise<void> {
  narrator.scene("Refused, planned, done with evidence")
  const session = await bed.newSession("demo")
  const write = call("write", { filePath: join(bed.project, "out.txt"), content: "done\n" })
  let plan = ""
  let task = ""
  const reply = (outputs: string[]): { entity_id: string } => JSON.parse(outputs.at(-1) ?? "{}")
  bed.model.script(
    write,
    call("hivemind_plan", { action: "create", title: "Make the file", acceptance: ["it is there"] }),
    (request) => {
      plan = reply(request.toolOutputs).entity_id
      const tasks = [{ title: "Write out.txt", expected_output: "the file", verify: "test -s out.txt" }]
      return call("hivemind_plan", { action: "plan_tasks", plan_id: plan, tasks })
    },
    (request) => {
      task = reply(request.toolOutputs).entity_id
      return call("hivemind_task", { action: "start", task_id: task })
    },
    call("hivemind_task", { action: "complete", evidence: "it is written" }),
    write,
    call("hivemind_task", { action: "complete", evidence: "it is written and checked" }),
    say("Done."),
  )
  narrator.step(
    "Governance is strict. The model writes at once, is refused, plans, and says that it is done before it is:",
  )
  const { toolCalls } = await bed.prompt(session, "Make the file out.txt.")
  for (const { tool, input, output, error } of toolCalls) {
    const args = JSON.stringify(input)
    narrator.shows(
      `${tool} ${args.length > 110 ? `${args.slice(0, 110)}…` : args}\n→ ${(error ?? output ?? "").slice(0, 420)}`,
    )
  }
  expectThat("the first write is refused", toolCalls[0]?.status === "error")
  expectThat(
    "done before the check passes is refused",
    (toolCalls[4]?.error ?? "").includes("failed with exit 1"),
  )
  expectThat("the second write passes", toolCalls[5]?.status === "completed")
  expectThat("done is accepted once the check has passed", (toolCalls[6]?.output ?? "").includes('"success"'))
}
