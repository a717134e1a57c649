import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { openBed } from "./bed/bed.ts"
import { REPOSITORY } from "./bed/scratch.ts"
import { call, say } from "./bed/steps.ts"

const MAIN = join(REPOSITORY, "dist", "cli", "main.js")

it("an agent does not uninstall HiveMind, also without the environment that the host's shell hands down", async () => {
  await using bed = await openBed({ hive: true })
  const command = `env -i PATH="$PATH" node ${MAIN} uninstall --yes`
  bed.model.script(call("bash", { command, description: "uninstall" }), say("ok"))
  const { toolCalls } = await bed.prompt(await bed.newSession("s"), "Go")
  expect(toolCalls[0]?.output).toContain("needs a person")
})

it("an agent changes its model in the host's configuration, but not how HiveMind governs", async () => {
  await using bed = await openBed({ pluginOptions: { governance: "assisted" } })
  const filePath = join(bed.project, "opencode.json")
  const before = readFileSync(filePath, "utf8")
  bed.model.script(
    call("read", { filePath }),
    call("edit", { filePath, oldString: '"governance": "assisted"', newString: '"governance": "off"' }),
    call("bash", { command: "sed -i s/assisted/off/ opencode.json", description: "x" }),
    call("edit", { filePath, oldString: '"share": "disabled"', newString: '"share": "manual"' }),
    say("ok"),
  )
  const { toolCalls } = await bed.prompt(await bed.newSession("s"), "Go")
  expect(toolCalls.map(({ status }) => status)).toEqual(["completed", "error", "error", "completed"])
  expect(toolCalls[1]?.error).toContain("Only the user decides how HiveMind is loaded and governs")
  expect(readFileSync(filePath, "utf8")).toBe(before.replace('"share": "disabled"', '"share": "manual"'))
})
