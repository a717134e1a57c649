import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { type Bed, openBed } from "./bed/bed.ts"
import { call, calls, hive, planAndStart, say } from "./bed/steps.ts"

const MAKE = "require('fs').writeFileSync(process.argv[2], 'made\\n')\n"
/** Writes as soon as the check has begun. */
const LATE_WRITE = `const fs = require("fs")
const timer = setInterval(() => {
  if (!fs.existsSync(".git/began")) return
  clearInterval(timer)
  fs.writeFileSync("a.txt", "two\\n")
}, 5)
`
/** Passes on "one", and only once that is no longer there: what is written beside it, it has not checked. */
const SLOW_CHECK = `const fs = require("fs")
const text = () => fs.readFileSync("a.txt", "utf8").trim()
if (text() !== "one") process.exit(3)
fs.writeFileSync(".git/began", "")
const until = Date.now() + 20000
const timer = setInterval(() => { if (text() !== "one" || Date.now() > until) clearInterval(timer) }, 20)
`

/** Counts its runs, and hides its one failure among passing tests. */
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

it("changes by a script are reported without a task, and tied to the active task with one", async () => {
  await using bed = await openBed({
    pluginOptions: { governance: "strict" },
    git: true,
    files: { "make.js": MAKE },
  })
  const make = (path: string) => call("bash", { command: `node make.js ${path}`, description: "make" })
  bed.model.script(
    make("before.txt"),
    ...planAndStart({ title: "Work" }),
    make("after.txt"),
    make("ls.txt && ls"),
    say("ok"),
  )
  const { toolCalls } = await bed.prompt(await bed.newSession("s"), "Go")
  expect(toolCalls[0]?.output).toContain("before.txt changed, and no task covers it")
  expect(toolCalls[4]?.output).not.toContain("HiveMind")
  expect(filesIn(bed)).toEqual([["after.txt"], ["ls.txt"]])
  expect(bed.printed()).toBe("")
})

it("a write in the same step as complete is not checked by it: the task is not done", async () => {
  const files = { "a.txt": "one\n", "check.js": SLOW_CHECK, "late.js": LATE_WRITE }
  await using bed = await openBed({ git: true, files })
  const filePath = join(bed.project, "a.txt")
  const complete = hive("task complete", { evidence: "it passes" })
  bed.model.script(
    ...planAndStart({ title: "Work", verify: "node check.js" }),
    calls(complete, call("bash", { command: "node late.js", description: "write" })),
    complete,
    say("ok"),
  )
  const { toolCalls } = await bed.prompt(await bed.newSession("s"), "Go")
  const [beside, later] = toolCalls.filter(({ input }) => input["action"] === "complete")
  expect(beside?.error).toContain("a.txt changed while it ran")
  expect(later?.error).toContain("failed with exit 3")
  expect(readFileSync(filePath, "utf8")).toBe("two\n")
  expect(statusIn(bed)).toBe("active")
})

it("complete runs a check that the agent never ran, unless the user's rules deny it", async () => {
  const files = { "check.js": "console.log('all is well')\n" }
  const complete = hive("task complete", { evidence: "it passes" })
  await using bed = await openBed({ git: true, files })
  bed.model.script(...planAndStart({ title: "Work", verify: "node check.js" }), complete, say("ok"))
  await bed.prompt(await bed.newSession("s"), "Go")
  expect(statusIn(bed)).toBe("completed")
  await using denied = await openBed({
    ...{ git: true, files, config: { permission: { bash: { "*": "allow", "node *": "deny" } } } },
  })
  denied.model.script(...planAndStart({ title: "Work", verify: "node check.js" }), complete, say("ok"))
  const { toolCalls } = await denied.prompt(await denied.newSession("s"), "Go")
  expect(toolCalls.at(-1)).toMatchObject({ status: "error", error: expect.stringContaining("rule") })
  expect(statusIn(denied)).toBe("active")
})

it("a check that the agent ran itself is not run again: a failure answers complete, a pass completes", async () => {
  const files = { "a.txt": "bad\n", "check.js": LONG_CHECK }
  await using bed = await openBed({ git: true, files })
  const complete = hive("task complete", { evidence: "it passes" })
  bed.model.script(
    ...planAndStart({ title: "Work", verify: "node check.js" }),
    call("bash", { command: "node check.js", description: "check" }),
    complete,
    call("bash", { command: "echo good > a.txt", description: "mend" }),
    call("hivemind_shell", { command: "node check.js" }),
    complete,
    say("ok"),
  )
  const { toolCalls } = await bed.prompt(await bed.newSession("s"), "Go")
  const [refused] = toolCalls.filter(({ input }) => input["action"] === "complete")
  expect(refused?.error).toContain("not ok 400 - a.txt is good")
  expect(statusIn(bed)).toBe("completed")
  expect(readFileSync(join(bed.project, ".git/runs"), "utf8")).toBe("run\nrun\n")
})

function filesIn(bed: Bed): string[][] {
  return [...bed.state().checkpoint.values()].map(({ files }) => files)
}

function statusIn(bed: Bed): string | undefined {
  return [...bed.state().task.values()].find(({ title }) => title === "Work")?.status
}
