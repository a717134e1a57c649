import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, it } from "vitest"
import { cli } from "../cli/harness.ts"
import { openBed } from "./bed/bed.ts"
import { REPOSITORY } from "./bed/scratch.ts"
import { bash, say, write } from "./bed/steps.ts"

const CHECK = `import { existsSync } from "node:fs"
if (!existsSync("cache.txt")) { console.error("Error: cache.txt is missing"); process.exit(1) }
`

it("a session of OpenCode from before HiveMind, and one of Claude Code, teach the next session their rule and failed approach", async () => {
  await using bed = await openBed({ plugin: false, ownHost: true, git: true, files: { "check.mjs": CHECK } })
  const run = bash("node check.mjs")
  const steps = [run, run, write(join(bed.project, "cache.txt"), "1"), run, say("The check passes now.")]
  const words = "Never touch the legacy folder. Please make the check pass."
  await bed.prompt(await bed.newSession("s"), words, ...steps)

  // Recorded with the real Claude Code; test/agents does it live where the program is installed.
  const root = dirname(bed.project)
  const box = { root, home: join(root, "home"), project: bed.project }
  const recorded = readFileSync(join(REPOSITORY, "test/fixtures/history/claude.jsonl"), "utf8")
  const path = join(box.home, ".claude/projects", bed.project.replaceAll(/[^A-Za-z0-9]/g, "-"), "c.jsonl")
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, recorded.replaceAll("/home/ada/shop", bed.project))

  const env = { XDG_DATA_HOME: join(root, "data"), XDG_CONFIG_HOME: join(root, "config") }
  mkdirSync(join(bed.project, ".hivemind/graph"), { recursive: true })
  const { stdout, code } = await cli(box, ["import", "sessions"], bed.project, env)
  expect(code).toBe(0)
  // The host still runs: what it said is in the write-ahead log of its database.
  expect(stdout).toContain("2 past sessions (1 of Claude Code, 1 of OpenCode;")

  const file = join(bed.project, "opencode.json")
  const config = JSON.parse(readFileSync(file, "utf8"))
  writeFileSync(file, JSON.stringify({ ...config, plugin: [REPOSITORY, ...config.plugin] }))
  await bed.restart()
  const next = await bed.newSession("next")
  const { requests, toolCalls } = await bed.prompt(next, "The check fails again, please look at it.")
  const sent = JSON.stringify(requests[0]?.body)
  expect(toolCalls).toEqual([])
  expect(sent).toContain("Never touch the legacy folder")
  expect(sent).toContain("always run node check.mjs before you commit")
  expect(sent).toMatch(
    /<avoid [^>]*>`node check\.mjs` failed 2 times with [^<]*cache\.txt is missing[^<]*unconfirmed/,
  )
})
