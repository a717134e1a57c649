import { cpSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { everyFile, fillProject } from "./filled-project.ts"
import { cli, cliJson, projectFiles, shown, useSandbox } from "./harness.ts"

const FIXTURES = join(import.meta.dirname, "../fixtures/import")

const box = useSandbox(({ project }) => {
  mkdirSync(join(project, ".hivemind/graph"), { recursive: true })
  return {}
})
const { at, read, put } = projectFiles(box)
const bring = (tool: string, to = box.project) => cpSync(join(FIXTURES, tool), to, { recursive: true })
const logLength = async () => (await cliJson(box, "log")).total
const withoutHive = async () =>
  Object.entries(await everyFile(box.project)).filter(([path]) => !path.startsWith(at(".hivemind")))

test.each(["beads", "task-master", "backlog", "mcp-memory"])(
  "imports %s without touching its files, and changes nothing when run again",
  async (tool) => {
    bring(tool)
    const before = await withoutHive()
    const { sources } = (await cliJson(box, `import ${tool} --dry-run`)).report
    expect(await logLength()).toBe(0)
    const takesBack = `\`hivemind import ${tool} --undo\` takes them back.`
    expect(await shown(box, `import ${tool}`)).toContain(takesBack)
    const entries = await logLength()
    const again = await cliJson(box, `import ${tool}`)
    expect(again.report.sources).toEqual({ ...sources, taken: 0, already: sources.taken })
    expect(await logLength()).toBe(entries)
    expect(await withoutHive()).toEqual(before)
  },
)

test("imported records appear in plans, tasks, recall and the block of a new session", async () => {
  bring("beads")
  await cli(box, "import beads")
  expect(await shown(box, "plans")).toContain("Sell tickets at every quay")
  const tasks = await shown(box, "tasks")
  expect(tasks).toContain("Take payment by card")
  expect(tasks).not.toContain("Cables of the readers")
  expect(await shown(box, "tasks --find hb-2b")).toContain("Take payment by card (hb-2b)")
  expect(await shown(box, "recall tides summer")).toContain("an hour off in summer")
  const block = await shown(box, "context pack")
  expect(block).toContain("Sell tickets at every quay (hb-1a) — done when: A guest can pay by card")
  expect(block).toContain("Take payment by card")
})

test("leaves a project's read-head where it is", async () => {
  await fillProject(box.project)
  bring("beads")
  const plan = /<plan[^>]*>[^<]*/.exec(await shown(box, "context pack"))?.[0] ?? "none"
  await cli(box, "import beads")
  expect(await shown(box, "context pack")).toContain(plan)
})

test("undoes the import, and says which records stay", async () => {
  bring("beads")
  await cli(box, "import beads")
  expect(await shown(box, "import beads --undo")).toBe("Took back: 9 mems, 4 plans, 5 phases, 8 tasks.\n")
  expect((await cliJson(box, "plans")).total).toBe(0)
  expect(await shown(box, "import beads --undo")).toBe("There was nothing of beads to take back.\n")
})

test("reports each broken line of a file", async () => {
  put("issues.jsonl", '{"id":"a-1","title":"One"}\n{"id":\n')
  const { code, stdout } = await cli(box, "import beads issues.jsonl")
  expect([code, stdout]).toEqual([1, expect.stringContaining("issues.jsonl:2: not valid JSON")])
  expect(read(".hivemind/graph/quarantine.jsonl")).toContain('{\\"id\\":')
})

test.each([
  ["import beads", "No data of beads was found in this project", "Give the path of the data"],
  ["import beads nowhere", "nowhere does not exist", ".beads/issues.jsonl"],
  ["import beads /dev/null", "neither a file nor a folder", ".beads/issues.jsonl"],
  ["import backlog a.md", "The path is a file", "backlog/"],
  ["import task-master empty", "no `.taskmaster/tasks/tasks.json`", "or of the project that has it"],
  [`import beads ${join(FIXTURES, "task-master/.taskmaster/tasks/tasks.json")}`, "not a file of beads", ""],
  ["import jira", "jira", "beads"],
  ["import", "tool", "--help"],
])("`%s` says what is wrong and what helps", async (args, ...words) => {
  put("a.md", "")
  mkdirSync(at("empty"))
  const { code, stderr } = await cli(box, args)
  expect(code).toBeGreaterThan(0)
  for (const part of words) expect(stderr).toContain(part)
  expect(readdirSync(at(".hivemind/graph"))).toEqual([])
})

test("a dry run works in a project without HiveMind, and creates nothing", async () => {
  const other = join(box.root, "other")
  bring("beads", other)
  expect(await shown(box, "import beads --dry-run", other)).toContain("Nothing was written.")
  expect(readdirSync(other)).toEqual([".beads"])
  expect((await cli(box, "import beads", other)).code).toBe(3)
})

test("says how to export a file from a beads folder that has only a database", async () => {
  mkdirSync(at(".beads"))
  expect((await cli(box, "import beads")).stderr).toContain("bd export -o .beads/issues.jsonl")
})

test("finds the memory file that a client's settings name, and asks where there are several", async () => {
  const [mine, other] = [join(box.home, "mine.jsonl"), join(box.home, "other.jsonl")]
  for (const file of [mine, other]) cpSync(join(FIXTURES, "mcp-memory/memory.jsonl"), file)
  const server = { command: "npx", env: { MEMORY_FILE_PATH: mine } }
  put(".mcp.json", JSON.stringify({ mcpServers: { memory: server } }))
  const found = await cliJson(box, "import mcp-memory")
  expect(found).toMatchObject({ path: mine, report: { sources: { taken: 9 } } })
  const { code, stderr } = await cli(box, "import mcp-memory", box.project, { MEMORY_FILE_PATH: other })
  expect(code).toBe(2)
  for (const name of ["other.jsonl", "mine.jsonl"]) expect(stderr).toContain(name)
})
