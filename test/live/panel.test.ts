import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { readPluginLog } from "./bed/bed.ts"
import { REPOSITORY } from "./bed/scratch.ts"
import { startScriptedModel } from "./bed/scripted-model.ts"
import { bash, hive, replied, save, say } from "./bed/steps.ts"
import { noTerminal, openTerminal } from "./bed/terminal.ts"

it("the sidebar follows the work, and a command of the palette flags a mem through the queue", async ({
  skip,
}) => {
  if (noTerminal !== undefined) skip(noTerminal)
  const model = await startScriptedModel()
  onTestFinished(model.close)
  await using terminal = openTerminal(model.url, {
    hive: true,
    files: { "tui.json": JSON.stringify({ plugin: [REPOSITORY] }) },
  })
  const { shows, press, type, project } = terminal
  const log = join(project, ".hivemind", "graph", "log")
  await shows("Ask anything")
  let tasks: { entity_id: string }[] = []
  model.script(
    hive("plan create", { title: "Login for shops", acceptance: ["it works"] }),
    (request) =>
      hive("plan plan_tasks", {
        plan_id: replied(request).entity_id,
        tasks: [
          { title: "Migrate the table", expected_output: "a table" },
          { title: "Write the route", expected_output: "a route" },
          { title: "Log out", expected_output: "a route", depends_on: ["#1"] },
          { title: "Write docs", expected_output: "a page" },
        ],
      }),
    (request) => {
      tasks = replied(request).tasks
      return hive("task start", { task_id: tasks[0]?.entity_id })
    },
    save("The shop table has no owner column", "fact"),
    hive("task complete", { evidence: "it is there" }),
    () => hive("task start", { task_id: tasks[1]?.entity_id }),
    bash("rm -rf .hivemind"),
    say("Planned.", { usage: { input: 122_000, output: 10 } }),
  )
  type("Please plan a login for shops")
  await shows("Please plan a login for shops")
  press("Enter")

  // No key is pressed: the sidebar follows the model.
  await shows("Login for shops", "███░░░░░░░ 1/4 tasks", "▶ Write the route", "■ Log out: It depends on")
  await shows("→ Write docs", /Window ██████░░░░ 61 %/, /Sent this turn: keyframe, \d+ tokens/)

  press("C-p")
  await shows("Commands")
  type("flag a mem")
  await shows("HiveMind: flag a mem as wrong")
  press("Enter")
  await shows("Which mem is wrong?", "The shop table has no owner column")
  press("Enter")
  await shows("Flag as wrong: The shop table")
  type("there is one now")
  await shows("there is one now")
  press("Enter")
  const entries = async () => {
    const names = await readdir(log)
    return (await Promise.all(names.map((name) => readFile(join(log, name), "utf8")))).join("")
  }
  await expect.poll(entries).toMatch(/"agent":"panel".*there is one now/)

  expect(await readPluginLog(project)).not.toContain("panel:")
})
