import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Newcomer, newcomer } from "../../demo/first-steps/newcomer.ts"
import { call, hive, say } from "./bed/steps.ts"

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
    ({ toolOutputs }) =>
      hive("plan plan_tasks", {
        plan_id: idIn(toolOutputs),
        tasks: [{ title: "Read a range", expected_output: "src/range.js", verify: "npm test" }],
      }),
    say("Planned."),
  )
  await user.shell('opencode run "Plan ranges."')
  user.model.script(
    ({ user: text }) => hive("task start", { task_id: /<next id="(\w+)"/.exec(text)?.[1] ?? "" }),
    call("write", { filePath: "src/range.js", content: "export const range = () => []\n" }),
    hive("task complete", { evidence: "src/range.js" }),
    say("It fails."),
  )
  await user.shell('opencode run "Do the first task."')
  const answer = user.model.requests.flatMap(({ toolOutputs }) => toolOutputs).at(-1) ?? ""
  expect(answer).toContain("not ok 1 - a range has three numbers")
  const runs = await user.shell("wc -l < runs.txt")
  expect(Number(runs)).toBe(1)
})

it("a teammate's clone shows the open plan with its next task, and how to take it up", async () => {
  await user.shell("hivemind sync --yes")
  await user.shell(
    "git clone -q ../origin.git ../mate && cd ../mate && hivemind init --yes && hivemind sync --yes",
  )
  const status = await user.shell("cd ../mate && hivemind status")
  expect(status).toContain("Parse ranges")
  expect(status).not.toContain("no plan yet")
  const block = await asks("What is next?", "../mate")
  expect(block).toContain("Parse ranges")
  expect(block).toContain("Read a range")
})

it("in a project that begins with an import, the next task is shown and told to the model", async () => {
  const folder = join(user.root, "tickets", ".taskmaster", "tasks")
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "tasks.json"), TASKMASTER)
  await user.shell("cd ../tickets && git init -q && hivemind init --yes")
  expect(await user.shell("cd ../tickets && hivemind import task-master")).not.toContain("[exit")
  expect(await user.shell("cd ../tickets && hivemind status")).toContain("Print the tickets")
  expect(await asks("What is next?", "../tickets")).toContain("Print the tickets")
})

it("a deleted hive comes back with its memory, and a person can take over any task at once", async () => {
  rmSync(join(user.project, ".hivemind"), { recursive: true })
  expect(await asks("Do parsers throw on bad input?")).toContain("they never throw")
  const tasks = JSON.parse(await user.shell("hivemind tasks --json"))
  const open = tasks.items.find(({ title }: { title: string }) => title === "Read a range")
  expect(await user.shell(`hivemind tasks ${open.id} --take`)).not.toContain("[exit")
})

it("purge leaves nothing, and nothing comes back", async () => {
  const told = await user.shell("hivemind uninstall --purge --yes")
  expect(told).not.toContain("[exit")
  expect(await user.shell("git for-each-ref --format='%(refname)'")).not.toContain("hivemind")
  expect(await user.shell("git log --all --format=%s")).not.toMatch(/hivemind/i)
  expect(await user.shell("ls -d .hivemind .git/hivemind 2>/dev/null")).not.toContain("hivemind")
  await user.shell("hivemind init --yes")
  expect(await asks("How do parsers report bad input?")).not.toContain("they never throw")
})

/** Runs one turn; what the model was sent with it. */
async function asks(text: string, dir = "."): Promise<string> {
  const before = user.model.requests.length
  user.model.script(say("Right."))
  await user.shell(`cd ${dir} && opencode run "${text}"`)
  return user.model.requests
    .slice(before)
    .filter(({ kind }) => kind === "turn")
    .map(({ user: sent }) => sent)
    .join("\n")
}

async function saves(content: string): Promise<void> {
  user.model.script(hive("memory save", { kind: "decision", content }), say("Noted."))
  await user.shell('opencode run "Remember that."')
}

function idIn(outputs: string[]): string {
  return JSON.parse(outputs.at(-1) ?? "{}").entity_id
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
const TASKMASTER = JSON.stringify({
  master: {
    tasks: [
      {
        id: 1,
        title: "Print the tickets",
        description: "On paper",
        status: "pending",
        dependencies: [],
        priority: "high",
        subtasks: [],
      },
    ],
    metadata: { created: "2026-10-01T10:00:00.000Z" },
  },
})
