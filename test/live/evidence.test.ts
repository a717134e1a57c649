import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { type Bed, openBed } from "./bed/bed.ts"
import { bash, call, hive, planAndStart } from "./bed/steps.ts"

const CHECK = `const fs = require("fs")
fs.appendFileSync(".git/runs", "run\\n")
if (fs.readFileSync("a.txt", "utf8").trim() !== "good") throw new Error("a.txt is not good")
`
const files = { "a.txt": "bad\n", "check.js": CHECK }
const CHECKED = planAndStart({ title: "Work", verify: "node check.js" })
const COMPLETE = hive("task complete", { evidence: "it passes" })

it("complete does not run a check that the user's rules deny", async () => {
  const config = { permission: { bash: { "*": "allow", "node *": "deny" } } }
  await using denied = await openBed({ git: true, files, config })
  const { toolCalls } = await denied.prompt(await denied.newSession("s"), "Go", ...CHECKED, COMPLETE)
  expect(toolCalls.at(-1)).toMatchObject({ status: "error", error: expect.stringContaining("rule") })
  expect(statusIn(denied)).toBe("active")
})

it("a check that the agent ran itself is not run again: a failure answers complete, a pass completes", async () => {
  await using bed = await openBed({ git: true, files })
  const mend = [bash("echo good > a.txt"), call("hivemind_shell", { command: "node check.js" })]
  const steps = [...CHECKED, bash("node check.js"), COMPLETE, ...mend, COMPLETE]
  const { toolCalls } = await bed.prompt(await bed.newSession("s"), "Go", ...steps)
  const [refused] = toolCalls.filter(({ input }) => input["action"] === "complete")
  expect(refused?.error).toContain("a.txt is not good")
  expect(statusIn(bed)).toBe("completed")
  expect(readFileSync(join(bed.project, ".git/runs"), "utf8")).toBe("run\nrun\n")
})

function statusIn(bed: Bed): string | undefined {
  return bed.all("task").find(({ title }) => title === "Work")?.status
}
