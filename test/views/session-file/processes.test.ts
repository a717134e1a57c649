import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { expect, it, onTestFinished } from "vitest"
import { sessionWithFile } from "./session-with-file.ts"

// Real processes on the built code, as with the store.
const script = fileURLToPath(new URL("../../support/session-file-writer.mjs", import.meta.url))

it("two processes that update the same file at the same moment, 40 times: every entry once, no outside edit seen", async () => {
  const { hive, update, read, edits, words } = await sessionWithFile()
  const writers = [writer(hive.dir, "ses_1"), writer(hive.dir, "ses_1")]
  for (const each of writers) expect(await each.next()).toBe("ready")
  for (let n = 0; n < 40; n++) {
    writers.forEach((each, index) => {
      each.go(`Mem ${n} of ${index}`)
    })
    expect(await Promise.all(writers.map((each) => each.next()))).toEqual(["updated", "updated"])
  }
  await update()
  expect(edits()).toBe(0)
  expect(words()).toHaveLength(1 + 2 * 40)
  for (const { id } of await hive.store.log()) expect(read().split(`<!-- ${id} `)).toHaveLength(2)
})

function writer(project: string, session: string) {
  const child = spawn(process.execPath, [script, project, session], { stdio: ["pipe", "pipe", "inherit"] })
  onTestFinished(() => {
    child.kill("SIGKILL")
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    go: (words: string) => child.stdin.write(`${words}\n`),
    next: async (): Promise<string> => (await lines.next()).value,
  }
}
