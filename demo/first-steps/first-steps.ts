import type { ScriptedModel } from "../../test/live/bed/scripted-model.ts"
import { call, say } from "../../test/live/bed/steps.ts"
import { expectThat } from "../narrator.ts"
import { newcomer } from "./newcomer.ts"
import { transcript } from "./transcript.ts"

/** The first ten minutes of a new user, done for real, as a page for docs/first-steps.md. */
export async function firstSteps(): Promise<string> {
  await using user = await newcomer(SHOP)
  const { says, runs, text } = transcript(user)
  const { model } = user

  says(
    "# First steps",
    "<!-- Made by `npx tsx demo/first-steps/main.ts`: the package, OpenCode and git are real, the model follows a script. -->",
    "The first ten minutes with HiveMind in a project of yours. Every line below was run; a test runs them again and compares.",
    "## Set up",
    "Until HiveMind is in the package registry, make the package from a clone (`npm ci && npm pack`) and install that file.",
  )
  await runs("npm install --global ../hivemind-opencode-0.1.0.tgz")
  says(
    "The entry goes into your own OpenCode config, for this project only: no git command can take it away.",
  )
  await runs("hivemind init --yes")
  says("Is it really loaded? `doctor` starts OpenCode and looks.")
  const health = await runs("hivemind doctor")
  expectThat("doctor is content", health.includes("All is well."))

  says(
    "## Work as ever",
    "You talk to the agent. It saves what later sessions need to know, and plans what has to be done.",
  )
  remembersCents(model)
  await runs(
    `opencode run "Amounts are whole cents everywhere: sums of floats were a cent off. Remember that."`,
  )
  plansDiscounts(model)
  await runs('opencode run "Plan discount codes. A code lowers the total."')
  doesTheFirst(model)
  await runs('opencode run "Do the first task."')
  says("The task was complete when its check had passed, not when the agent said so.")
  await runs("hivemind status")

  says(
    "## Another day, another session",
    "The new session is told nothing. HiveMind shows the model what it needs for the answer.",
  )
  model.script(say("Because sums of floats were a cent off."))
  await runs('opencode run "Why do we count in cents?"')
  const shown = await runs("hivemind context")
  expectThat("the decision was put before the model", shown.includes("cents"))

  says(
    "## Uncommitted work is safe",
    "`src/discount.js` is not committed yet. An agent that would delete it is stopped, and told why.",
  )
  model.script(
    call("bash", { command: "rm -rf src", description: "Start over" }),
    say("I may not delete that."),
  )
  await runs('opencode run "Start over."')
  const refused = await runs("hivemind log refusals")
  expectThat("the refusal is on record", refused.includes("rm -rf src"))

  says("## Look around")
  await runs("hivemind plans")
  await runs("hivemind tasks")
  await runs("hivemind recall cents")
  await runs("hivemind sessions")

  says("## Leave", "Your config is as it was, byte for byte. `--purge` deletes what was remembered, too.")
  await runs("hivemind uninstall --yes")
  const left = await runs("git status --short")
  expectThat("nothing but the work is left", left.trim() === "?? src/discount.js")
  return text()
}

function remembersCents(model: ScriptedModel): void {
  const content = "Amounts are whole cents everywhere, because sums of floats were a cent off"
  model.script(call("hivemind_memory", { action: "save", kind: "decision", content }), say("Noted."))
}

function plansDiscounts(model: ScriptedModel): void {
  const tasks = [
    { title: "Apply a discount", expected_output: "src/discount.js", verify: "node src/discount.js" },
    { title: "Ask for the code at the till", expected_output: "the till asks for it" },
  ]
  model.script(
    call("hivemind_plan", {
      action: "create",
      title: "Discount codes",
      acceptance: ["a code lowers the total"],
    }),
    ({ toolOutputs }) => call("hivemind_plan", { action: "plan_tasks", plan_id: madeBy(toolOutputs), tasks }),
    say("Two tasks: apply a discount, then ask for the code."),
  )
}

function doesTheFirst(model: ScriptedModel): void {
  const content = "export const discounted = (cents, percent) => Math.round(cents * (1 - percent / 100))\n"
  model.script(
    ({ user }) =>
      call("hivemind_task", { action: "start", task_id: /<next id="(\w+)"/.exec(user)?.[1] ?? "" }),
    call("write", { filePath: "src/discount.js", content }),
    call("hivemind_task", { action: "complete", evidence: "src/discount.js rounds to whole cents" }),
    say("Done: src/discount.js rounds to whole cents."),
  )
}

function madeBy(outputs: string[]): string {
  return JSON.parse(outputs.at(-1) ?? "{}").entity_id
}

const SHOP = {
  "package.json": '{ "name": "shop", "private": true, "type": "module" }\n',
  "src/total.js": "export const total = (items) => items.reduce((sum, { cents }) => sum + cents, 0)\n",
}
