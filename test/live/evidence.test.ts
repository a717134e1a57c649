import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { type Bed, openBed } from "./bed/bed.ts"
import { bash, call, hive, planAndStart } from "./bed/steps.ts"

const LONG_CHECK = `const fs = require("fs")
fs.appendFileSync(".git/runs", "run\\n")
const pass = () => { for (let i = 0; i < 400; i++) console.log("ok " + i + " - passes") }
pass()
if (fs.readFileSync("a.txt", "utf8").trim() !== "good") {
  console.log("not ok 400 - a.txt is good")
  pass()
  process.exitCode = 1
}
`
const CHECKED = planAndStart({ title: "Work", verify: "node check.js" })
const COMPLETE = hive("task complete", { evidence: "it passes" })

it("complete runs a check that the agent never ran, unless the user's rules deny it", async () => {
  const files = { "check.js": "console.log('all is well')\n" }
  await using bed = await openBed({ git: true, files })
  await bed.prompt(await bed.newSession("s"), "Go", ...CHECKED, COMPLETE)
  expect(statusIn(bed)).toBe("completed")
  const config = { permission: { bash: { "*": "allow", "node *": "deny" } } }
  await using denied = await openBed({ git: true, files, config })
  const { toolCalls } = await denied.prompt(await denied.newSession("s"), "Go", ...CHECKED, COMPLETE)
  expect(toolCalls.at(-1)).toMatchObject({ status: "error", error: expect.stringContaining("rule") })
  expect(statusIn(denied)).toBe("active")
})

it("a check that the agent ran itself is not run again: a failure answers complete, a pass completes", async () => {
  const files = { "a.txt": "bad\n", "check.js": LONG_CHECK }
  await using bed = await openBed({ git: true, files })
  const mend = [bash("echo good > a.txt"), call("hivemind_shell", { command: "node check.js" })]
  const steps = [...CHECKED, bash("node check.js"), COMPLETE, ...mend, COMPLETE]
  const { toolCalls } = await bed.prompt(await bed.newSession("s"), "Go", ...steps)
  const [refused] = toolCalls.filter(({ input }) => input["action"] === "complete")
  expect(refused?.error).toContain("not ok 400 - a.txt is good")
  expect(statusIn(bed)).toBe("completed")
  expect(readFileSync(join(bed.project, ".git/runs"), "utf8")).toBe("run\nrun\n")
})

function statusIn(bed: Bed): string | undefined {
  return bed.all("task").find(({ title }) => title === "Work")?.status
}
