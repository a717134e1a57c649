import { execFileSync } from "node:child_process"
import { readFileSync, unlinkSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { openAppender } from "../../src/store/log/appender.ts"
import { segmentPath } from "../../src/store/log/segments.ts"
import { aMem, by, uuid } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"

const FILLER = fileURLToPath(new URL("../support/mem-filler.mjs", import.meta.url))

it("a line is not written to a file that another one was put in the place of", async () => {
  const folder = await tempProject()
  const path = segmentPath(folder, 1)
  const { append, close } = openAppender(folder)
  expect(await append(1, ["a"])).toEqual({ state: "synced" })
  unlinkSync(path) // As git does when it switches branches.
  writeFileSync(path, "\nother")
  expect(await append(1, ["b"])).toEqual({ state: "synced" })
  expect(readFileSync(path, "utf8")).toBe("\nother\nb")
  await close()
})

it("a save whose file is taken away under the write is in the new file", async () => {
  const project = await tempProject()
  const store = openFileStore(project, { source: systemSource })
  const path = segmentPath(hivePaths(project).log, 1)
  await store.append(by, (tx) => tx.add("mem", aMem(1)))
  const whole = readFileSync(path)
  const saving = store.append(by, (tx) => tx.add("mem", aMem(2)))
  unlinkSync(path)
  writeFileSync(path, whole)
  await saving
  for (const each of [store, openFileStore(project, { source: systemSource })])
    expect([...each.read().state.mem.keys()]).toEqual([uuid(1), uuid(2)])
  expect(store.read().problems).toEqual([])
  await store.close()
})

it("entries that were read before and are gone from the log are told", async () => {
  const project = await tempProject()
  const store = openFileStore(project, { source: systemSource })
  const path = segmentPath(hivePaths(project).log, 1)
  await store.append(by, (tx) => tx.add("mem", aMem(1)))
  const before = readFileSync(path)
  await store.append(by, (tx) => tx.add("mem", aMem(2)))
  writeFileSync(path, before)
  expect([...store.read().state.mem.keys()]).toEqual([uuid(1)])
  expect(store.read().problems).toMatchObject([
    { code: "lost_entries", file: "graph/log/000001.jsonl", reason: expect.stringContaining("1 entry") },
  ])
  await store.close()
})

it.skipIf(process.platform === "win32")(
  "a write that the system cuts short: what was acknowledged is there, what was not is refused, nothing is torn",
  async () => {
    const project = await tempProject()
    // The largest file a process may write, in KiB: the write that reaches it is cut in the middle.
    const limited = 'trap "" XFSZ; ulimit -f 24; exec "$@"'
    const told = execFileSync("bash", ["-c", limited, "bash", process.execPath, FILLER, project], {
      encoding: "utf8",
    })
    const { saved, refused } = JSON.parse(told) as { saved: string[]; refused: string }
    expect(saved.length).toBeGreaterThan(5)
    expect(refused).toMatch(/^(disk_full|not_writable)$/)
    const store = openFileStore(project, { source: systemSource })
    expect([...store.read().state.mem.keys()]).toEqual(saved)
    // With room again, the torn line is passed over and the next one counts.
    await store.append({ tool: "test", session: null, agent: null }, (tx) => tx.count("ses_1", "after"))
    const again = openFileStore(project, { source: systemSource }).read().state
    expect([again.mem.size, again.metrics.get("ses_1")?.counts]).toEqual([saved.length, { after: 1 }])
    await store.close()
  },
)
