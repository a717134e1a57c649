import { execFileSync } from "node:child_process"
import { readFileSync, unlinkSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { systemSource } from "../../src/shared/ids.ts"
import { openAppender } from "../../src/store/appender.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { tempProject } from "../support/temp-project.ts"

const FILLER = fileURLToPath(new URL("../support/mem-filler.mjs", import.meta.url))

it("a line whose file is taken away under the write goes to the new file", async () => {
  const path = join(await tempProject(), "journal.jsonl")
  const { append, close } = openAppender(path)
  await append(["a"])
  const under = append(["b"]) // Has the old file open already.
  unlinkSync(path)
  expect(await under).toEqual({ written: 1 })
  expect(readFileSync(path, "utf8")).toBe("\nb")
  await close()
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
