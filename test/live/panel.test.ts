import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "vitest"
import { REPOSITORY } from "./bed/scratch.ts"
import { startScriptedModel } from "./bed/scripted-model.ts"
import { call, hive, replied, say } from "./bed/steps.ts"
import { noTerminal, openTerminal } from "./bed/terminal.ts"

// One start of the host, looked at all the way: it is the start that takes long.
it("the sidebar follows the work, and a command of the palette flags a mem through the queue", async ({
  skip,
}) => {
  if (noTerminal !== undefined) skip(noTerminal)
  await using model = await closing(startScriptedModel())
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
    hive("memory save", { content: "The shop table has no owner column", kind: "fact" }),
    hive("task complete", { evidence: "it is there" }),
    () => hive("task start", { task_id: tasks[1]?.entity_id }),
    call("bash", { command: "rm -rf .hivemind", description: "cleans up" }),
    say("Planned.", { usage: { input: 122_000, output: 10 } }),
  )
  type("Please plan a login for shops")
  await shows("Please plan a login for shops")
  press("Enter")

  // Nothing is pressed: it comes by itself, while the model works.
  await shows(
    ...[
      "Login for shops",
      "███░░░░░░░ 1/4 tasks",
      "▶ Write the route",
      "■ Log out: It depends on",
      "→ Write docs",
    ],
    ...[/Window ██████░░░░ 61 %/, /Sent this turn: keyframe, \d+ tokens/],
  )

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
  // Who asked for it, and why, is in the log.
  const entries = async () => {
    const names = await readdir(log)
    return (await Promise.all(names.map((name) => readFile(join(log, name), "utf8")))).join("")
  }
  await expect.poll(entries).toMatch(/"agent":"panel".*there is one now/)

  const ours = await readFile(join(project, ".hivemind", "system", "log", "hivemind.log"), "utf8").catch(
    () => "",
  )
  expect(ours).not.toContain("panel:")
})

async function closing<T extends { close: () => Promise<void> }>(
  opening: Promise<T>,
): Promise<T & AsyncDisposable> {
  const opened = await opening
  return Object.assign(opened, { [Symbol.asyncDispose]: opened.close })
}
