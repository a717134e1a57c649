import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { ALL } from "../../src/graph/indexes.ts"
import { scanHive } from "../../src/knowledge/project/scan-hive.ts"
import type { Step } from "../../src/turns/background.ts"
import { scanBetween } from "../../src/turns/scan-between.ts"
import { fileHive } from "../support/file-hive.ts"
import { gitRepo } from "../support/git-repo.ts"

/** A session's start in a project, and the steps that it puts off. */
async function starting() {
  const hive = await fileHive()
  gitRepo(hive.dir, { "go.mod": "module example.com/x\n\ngo 1.24\n", "main.go": "package main\n" })
  const steps: Step[] = []
  const scan = scanBetween({ hive: async () => hive, log: () => {} }, (later) => steps.push(...later))
  const run = async () => {
    for (const [, step] of steps.splice(0)) await step()
  }
  return { hive, steps, scan, run }
}

it("a project that was never scanned is not scanned at a session's start", async () => {
  const { hive, scan, run } = await starting()
  scan()
  await run()
  expect(existsSync(join(hive.home, ".hivemind"))).toBe(false)
})

it("one that was is looked at for what has changed, and its mems follow", async () => {
  const { hive, scan, run } = await starting()
  await scanHive(hive, { session: null, agent: null, tool: "test" }, "full")
  writeFileSync(join(hive.dir, "go.mod"), "module example.com/x\n\ngo 1.25\n")
  scan()
  await run()
  const facts = [...hive.store.read().state.mem.by("scanned", ALL)].map(({ content }) => content)
  expect(facts.join("\n")).toContain("managed by go 1.25")
})

it("one scan at a time: a second session that starts meanwhile adds none, a later one does", async () => {
  const { steps, scan, run } = await starting()
  scan()
  scan()
  expect(steps).toHaveLength(1)
  await run()
  scan()
  expect(steps).toHaveLength(1)
})
