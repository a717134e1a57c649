import { rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Newcomer, newcomer } from "../../demo/first-steps/newcomer.ts"
import { hive, replied, save, write } from "./bed/steps.ts"

// Days of ordinary work with the packed package, one after another: each test goes on where the one before ended.
let user: Newcomer
beforeAll(async () => {
  user = await newcomer(FILES)
  await user.shell("npm install --global ../hivemind-opencode-0.1.0.tgz")
  await user.shell("git init -q --bare ../origin.git && git remote add origin ../origin.git")
  await user.shell("git push -q origin main")
}, 120_000)
afterAll(async () => {
  await user[Symbol.asyncDispose]()
})

it("remembers what was said on the first day in the next session", async () => {
  expect(await user.shell("hivemind init --yes")).toContain("HiveMind is set up")
  await saves("Parsers return null on bad input, they never throw")
  expect(await asks("How do parsers report bad input?")).toContain("they never throw")
})

it("a failing check runs once and shows the lines that failed", async () => {
  user.model.script(
    hive("plan create", { title: "Parse ranges", acceptance: ["1-3 is three numbers"] }),
    (request) =>
      hive("plan plan_tasks", {
        plan_id: replied(request).entity_id,
        tasks: [{ title: "Read a range", expected_output: "src/range.js", verify: "npm test" }],
      }),
  )
  await user.shell('opencode run "Plan ranges."')
  user.model.script(
    ({ user: text }) => hive("task start", { task_id: /<next id="(\w+)"/.exec(text)?.[1] ?? "" }),
    write("src/range.js", "export const range = () => []\n"),
    hive("task complete", { evidence: "src/range.js" }),
  )
  await user.shell('opencode run "Do the first task."')
  const answer = user.model.requests.flatMap(({ toolOutputs }) => toolOutputs).at(-1) ?? ""
  expect(answer).toContain("not ok 1 - a range has three numbers")
  expect(Number(await user.shell("wc -l < runs.txt"))).toBe(1)
})

it("a teammate's clone shows the open plan with its next task, and how to take it up", async () => {
  await user.shell("hivemind sync --yes")
  await user.shell("git clone -q ../origin.git ../mate")
  await user.shell("cd ../mate && hivemind init --yes && hivemind sync --yes")
  const status = await user.shell("cd ../mate && hivemind status")
  expect(status).toContain("Parse ranges")
  expect(status).not.toContain("no plan yet")
  const block = await asks("What is next?", "../mate")
  expect(block).toContain("Parse ranges")
  expect(block).toContain("Read a range")
})

it("a deleted hive comes back with its memory, and a person can take over any task at once", async () => {
  rmSync(join(user.project, ".hivemind"), { recursive: true })
  expect(await asks("Do parsers throw on bad input?")).toContain("they never throw")
  const tasks = JSON.parse(await user.shell("hivemind tasks --json"))
  const open = tasks.items.find(({ title }: { title: string }) => title === "Read a range")
  expect(await user.shell(`hivemind tasks ${open.id} --take`)).not.toContain("[exit")
})

/** Runs one turn; returns the user messages that the model read. */
async function asks(text: string, dir = "."): Promise<string> {
  const before = user.model.requests.length
  await user.shell(`cd ${dir} && opencode run "${text}"`)
  return user.model.requests
    .slice(before)
    .filter(({ kind }) => kind === "turn")
    .map(({ user: sent }) => sent)
    .join("\n")
}

async function saves(content: string): Promise<void> {
  user.model.script(save(content, "decision"))
  await user.shell('opencode run "Remember that."')
}

const FILES = {
  "package.json":
    '{ "name": "ranges", "private": true, "type": "module", "scripts": { "test": "node check.js" } }\n',
  // Prints many passing lines after the failing one, as a long suite does, and counts its runs.
  "check.js": `import { appendFileSync } from "node:fs"
appendFileSync("runs.txt", "run\\n")
console.log("TAP version 13\\nnot ok 1 - a range has three numbers")
for (let n = 2; n < 60; n++) console.log(\`ok \${n} - passes\`)
process.exitCode = 1
`,
  ".gitignore": "runs.txt\n",
}
