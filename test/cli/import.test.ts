import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, test } from "vitest"
import { fillProject } from "./filled-project.ts"
import { cli, useSandbox } from "./harness.ts"

const FIXTURES = join(import.meta.dirname, "../fixtures/import")

const box = useSandbox()
beforeEach(async () => {
  mkdirSync(join(box.project, ".hivemind/graph"), { recursive: true })
})

/** All files of a folder with what is in them and when it was written. */
function photograph(dir: string): Record<string, string> {
  const names = readdirSync(dir, { recursive: true, encoding: "utf8" }).filter(
    (name) => !name.startsWith(".hivemind"),
  )
  const files = names.filter((name) => statSync(join(dir, name)).isFile())
  return Object.fromEntries(
    files.map((name) => [
      name,
      `${statSync(join(dir, name)).mtimeMs} ${readFileSync(join(dir, name), "base64")}`,
    ]),
  )
}

describe("hivemind import", () => {
  test.each(["beads", "task-master", "backlog", "mcp-memory"])(
    "brings %s over, touches none of its files, and changes nothing when run again",
    async (tool) => {
      cpSync(join(FIXTURES, tool), box.project, { recursive: true })
      const before = photograph(box.project)
      const dry = JSON.parse((await cli(box, ["import", tool, "--dry-run", "--json"])).stdout)
      expect(JSON.parse((await cli(box, ["log", "--json"])).stdout).total).toBe(0)
      const { code, stdout, stderr } = await cli(box, ["import", tool])
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      expect(stdout).toContain(`\`hivemind import ${tool} --undo\` takes it back.`)
      const entries = JSON.parse((await cli(box, ["log", "--json"])).stdout).total
      const again = JSON.parse((await cli(box, ["import", tool, "--json"])).stdout)
      expect(again.report.sources).toEqual({
        ...dry.report.sources,
        taken: 0,
        already: dry.report.sources.taken,
      })
      expect(JSON.parse((await cli(box, ["log", "--json"])).stdout).total).toBe(entries)
      expect(photograph(box.project)).toEqual(before)
    },
  )

  test("what was imported is in plans, tasks, recall and the block of a new session", async () => {
    cpSync(join(FIXTURES, "beads"), box.project, { recursive: true })
    await cli(box, ["import", "beads"])
    expect((await cli(box, ["plans"])).stdout).toContain("Sell tickets at every quay")
    const tasks = (await cli(box, ["tasks"])).stdout
    expect(tasks).toContain("Take payment by card")
    expect(tasks).not.toContain("Cables of the readers")
    expect((await cli(box, ["tasks", "--find", "hb-2b"])).stdout).toContain("Take payment by card (hb-2b)")
    expect((await cli(box, ["recall", "tides", "summer"])).stdout).toContain("an hour off in summer")
    const block = (await cli(box, ["context", "pack"])).stdout
    expect(block).toContain("Sell tickets at every quay (hb-1a) — done when: A guest can pay by card")
    expect(block).toContain("Take payment by card")
  })

  test("leaves a project's read-head where it is", async () => {
    await fillProject(box.project)
    cpSync(join(FIXTURES, "beads"), box.project, { recursive: true })
    const before = (await cli(box, ["context", "pack"])).stdout
    await cli(box, ["import", "beads"])
    const plan = /<plan[^>]*>[^<]*/.exec(before)?.[0] ?? "none"
    expect((await cli(box, ["context", "pack"])).stdout).toContain(plan)
  })

  test("takes it back, and says what stays", async () => {
    cpSync(join(FIXTURES, "beads"), box.project, { recursive: true })
    await cli(box, ["import", "beads"])
    expect((await cli(box, ["import", "beads", "--undo"])).stdout).toBe(
      "Took back: 9 mems, 4 plans, 5 phases, 8 tasks.\n",
    )
    expect((await cli(box, ["plans", "--json"])).stdout).toContain('"total": 0')
    expect((await cli(box, ["import", "beads", "--undo"])).stdout).toBe(
      "Nothing of beads was there to take back.\n",
    )
  })

  test("a file with broken lines is trouble, and each is named", async () => {
    writeFileSync(join(box.project, "issues.jsonl"), '{"id":"a-1","title":"One"}\n{"id":\n')
    const { code, stdout } = await cli(box, ["import", "beads", "issues.jsonl"])
    expect(code).toBe(1)
    expect(stdout).toContain("issues.jsonl:2: not valid JSON")
    expect(readFileSync(join(box.project, ".hivemind/graph/quarantine.jsonl"), "utf8")).toContain(
      '{\\"id\\":',
    )
  })

  test.each([
    [["import", "beads"], "Nothing of beads was found here", "Name its path"],
    [["import", "beads", "nowhere"], "nowhere is not there", ".beads/issues.jsonl"],
    [["import", "beads", "/dev/null"], "neither a file nor a folder", ".beads/issues.jsonl"],
    [["import", "backlog", "a.md"], "It is a file", "backlog/"],
    [["import", "task-master", "empty"], "no `.taskmaster/tasks/tasks.json`", "or its project's folder"],
    [["import", "jira"], "jira", "beads"],
    [["import"], "tool", "--help"],
  ])("%j says what is wrong and what helps", async (args, ...said) => {
    writeFileSync(join(box.project, "a.md"), "")
    mkdirSync(join(box.project, "empty"))
    const { code, stderr } = await cli(box, args)
    expect(code).toBeGreaterThan(0)
    for (const words of said) expect(stderr).toContain(words)
    expect(readdirSync(join(box.project, ".hivemind/graph"))).toEqual([])
  })

  test("another tool's file is refused, and nothing is written", async () => {
    const file = join(FIXTURES, "task-master/.taskmaster/tasks/tasks.json")
    const { code, stderr } = await cli(box, ["import", "beads", file])
    expect(code).toBe(2)
    expect(stderr).toContain("tasks.json is no file of beads")
    expect(readdirSync(join(box.project, ".hivemind/graph"))).toEqual([])
  })

  test("a dry run needs nothing set up, and sets nothing up", async () => {
    const other = join(box.root, "other")
    cpSync(join(FIXTURES, "beads"), other, { recursive: true })
    const { code, stdout } = await cli(box, ["import", "beads", "--dry-run"], other)
    expect({ code, files: readdirSync(other) }).toEqual({ code: 0, files: [".beads"] })
    expect(stdout).toContain("Nothing was written.")
    expect((await cli(box, ["import", "beads"], other)).code).toBe(3)
  })

  test("a beads folder with a database only is told how to get a file", async () => {
    mkdirSync(join(box.project, ".beads"))
    expect((await cli(box, ["import", "beads"])).stderr).toContain("bd export -o .beads/issues.jsonl")
  })

  test("finds the memory file that a client's settings name, and asks where there are several", async () => {
    cpSync(join(FIXTURES, "mcp-memory/memory.jsonl"), join(box.home, "mine.jsonl"))
    const server = { command: "npx", env: { MEMORY_FILE_PATH: join(box.home, "mine.jsonl") } }
    writeFileSync(join(box.project, ".mcp.json"), JSON.stringify({ mcpServers: { memory: server } }))
    const found = JSON.parse((await cli(box, ["import", "mcp-memory", "--json"])).stdout)
    expect(found).toMatchObject({ path: join(box.home, "mine.jsonl"), report: { sources: { taken: 9 } } })
    cpSync(join(FIXTURES, "mcp-memory/memory.jsonl"), join(box.home, "other.jsonl"))
    const env = { MEMORY_FILE_PATH: join(box.home, "other.jsonl") }
    const { code, stderr } = await cli(box, ["import", "mcp-memory"], box.project, env)
    expect(code).toBe(2)
    expect(stderr).toContain("other.jsonl")
    expect(stderr).toContain("mine.jsonl")
  })
})
