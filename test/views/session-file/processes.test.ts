import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { expect, it, onTestFinished } from "vitest"
import { toldSession } from "./told-session.ts"

// Real processes on the built code, as with the store.
const script = fileURLToPath(new URL("../../support/session-file-keeper.mjs", import.meta.url))

it("two processes that keep the same file at the same moment, 40 times: every entry once, no outside edit seen", async () => {
  const { hive, keep, read, edits, told } = await toldSession()
  const keepers = [keeper(hive.dir, "ses_1"), keeper(hive.dir, "ses_1")]
  for (const each of keepers) expect(await each.next()).toBe("ready")
  for (let n = 0; n < 40; n++) {
    keepers.forEach((each, index) => {
      each.go(`Mem ${n} of ${index}`)
    })
    expect(await Promise.all(keepers.map((each) => each.next()))).toEqual(["kept", "kept"])
  }
  await keep()
  expect(edits()).toBe(0)
  expect(told()).toHaveLength(1 + 2 * 40)
  for (const { id } of hive.store.log()) expect(read().split(`<!-- ${id} `)).toHaveLength(2)
})

function keeper(project: string, session: string) {
  const child = spawn(process.execPath, [script, project, session], { stdio: ["pipe", "pipe", "inherit"] })
  onTestFinished(() => {
    child.kill("SIGKILL")
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    go: (words: string) => child.stdin.write(`${words}\n`),
    next: async () => (await lines.next()).value as string,
  }
}
