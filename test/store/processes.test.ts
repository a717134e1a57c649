import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { findBun } from "../support/bun.ts"
import { trials } from "../support/effort.ts"
import { openStore } from "../support/open-store.ts"
import { tempProject } from "../support/temp-project.ts"

// Runs the built code in real processes, because the test is about concurrent writes of the operating system.
const writerScript = fileURLToPath(new URL("../support/record-writer.mjs", import.meta.url))
const FOLD_OFTEN = 8000
const WRITES = trials(100, 250)

it(`4 processes × ${WRITES} writes, Node and Bun mixed: none lost, none rejected, none twice`, async () => {
  const project = await tempProject()
  const args = [writerScript, project, String(WRITES), String(FOLD_OFTEN)]
  const runtimes = [process.execPath, findBun(), process.execPath, findBun()]
  const writers = await Promise.all(runtimes.map((runtime) => promisify(execFile)(runtime, args)))
  expect(writers.map(({ stderr }) => stderr).join("")).toBe("")
  const acknowledged = writers.flatMap(({ stdout }) => stdout.trim().split("\n"))
  expect(acknowledged).toHaveLength(4 * WRITES)

  const store = openStore(project)
  const { state, problems } = store.read()
  const isThere = ([kind, id = ""]: string[]) => state[kind as "mem" | "plan"].has(id)
  expect(acknowledged.filter((line) => !isThere(line.split(" ")))).toEqual([])
  const mems = acknowledged.filter((line) => line.startsWith("mem "))
  expect(state.metrics.get("ses_shared")?.counts["writes"]).toBe(mems.length)
  expect(problems).toEqual([])
  const log = await store.log()
  expect(new Set(log.map((entry) => entry.id)).size).toBe(log.length)
  const added = log.flatMap((entry) => entry.ops).filter((op) => op.op === "add")
  expect(added).toHaveLength(state.mem.size + state.plan.size)
  expect(await store.compareWithLog()).toEqual([])
  await store.close()
})
