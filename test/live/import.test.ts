import { execFileSync } from "node:child_process"
import { cpSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { openBed } from "./bed/bed.ts"
import { injectedTexts } from "./bed/injected-state.ts"
import { call, say } from "./bed/steps.ts"

const root = join(import.meta.dirname, "../..")

it("after an import a new session is told of the plan that is under way, and takes up its task", async () => {
  await using bed = await openBed({ hive: true })
  cpSync(join(root, "test/fixtures/import/beads"), bed.project, { recursive: true })
  execFileSync(process.execPath, [join(root, "dist/cli/main.js"), "import", "beads"], { cwd: bed.project })
  const session = await bed.newSession("after the import")
  bed.model.script(say("I see."))
  const { requests } = await bed.prompt(session, "Where do we stand?")
  const block = requests.flatMap(injectedTexts).join("\n")
  expect(block).toContain("Sell tickets at every quay")
  expect(block).toContain("Take payment by card")
  const id = /id="(\w+)"[^>]*>Take payment by card/.exec(block)?.[1] ?? ""
  bed.model.script(call("hivemind_task", { action: "start", task_id: id }), say("Started."))
  const started = await bed.prompt(session, "Take up the payment by card")
  expect(started.toolCalls[0]?.output).toContain("success")
  bed.model.script(say("Going on."))
  const next = await bed.prompt(session, "Go on")
  expect(next.requests.flatMap(injectedTexts).join("\n")).toContain("With the reader at the till.")
})
