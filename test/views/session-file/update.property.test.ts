import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import fc from "fast-check"
import { expect, it } from "vitest"
import { trials } from "../../support/effort.ts"
import { lineProcess } from "../../support/line-process.ts"
import { sessionWithFile } from "./session-with-file.ts"

const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  out: fc.oneof(fc.nat(10), fc.nat(5000)),
  put: fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }).map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
    fc
      .constantFrom("\n", "\r\n", "- 14:30 mine\n", "## Log\n", "<!-- ", " -->")
      .map((text) => Buffer.from(text)),
  ),
})

const round = fc.record({
  saves: fc.array(fc.string({ unit: "binary", minLength: 1, maxLength: 60 }), { maxLength: 3 }),
  edits: fc.array(edit, { maxLength: 3 }),
  restarts: fc.boolean(),
})

it("keeps every outside edit of a session file, with exactly one line per entry", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 5 }), async (rounds) => {
      const { hive, save, update, restart, path, stamp, edits: counted } = await sessionWithFile()
      const file = path(`${stamp}.md`)
      await update()
      let noticed = 0
      for (const { saves, edits, restarts } of rounds) {
        const left = readFileSync(file)
        const edited = edits.reduce(applied, left)
        if (!edited.equals(left)) writeFileSync(file, edited)
        for (const content of saves) await save(`a${content}`)
        if (restarts) restart()
        await update()

        const after = readFileSync(file)
        expect(after.subarray(0, edited.length)).toEqual(edited)
        const wasThere = (id: string) => edited.includes(`<!-- ${id} `) && marksIn(edited).has(id)
        const added = [...marksIn(after.subarray(edited.length))]
        for (const { id } of await hive.store.log()) {
          expect(marksIn(after).has(id)).toBe(true)
          expect(added.filter((each) => each === id)).toHaveLength(wasThere(id) ? 0 : 1)
        }
        // A cut behind a line of ours cannot be noticed by a new process.
        const isShorter = left.subarray(0, edited.length).equals(edited)
        const isNoticed = after.subarray(edited.length).includes("found an outside edit")
        if (edited.equals(left)) expect(isNoticed).toBe(false)
        else if (!restarts || !isShorter) expect(isNoticed).toBe(true)
        if (!restarts) expect(counted()).toBe(noticed + (edited.equals(left) ? 0 : 1))
        noticed = counted()
      }
    }),
    { seed: 3, numRuns: trials(25, 300) },
  )
})

function applied(file: Buffer, { at, out, put }: { at: number; out: number; put: Buffer }): Buffer {
  const from = Math.floor(at * file.length)
  return Buffer.concat([file.subarray(0, from), put, file.subarray(from + out)])
}

function marksIn(file: Buffer): Set<string> {
  const marks = file.toString("latin1").matchAll(/<!-- ([0-9a-f-]{36}) [0-9a-f]{8} -->/gi)
  return new Set([...marks].map(([, id = ""]) => id))
}

// Real processes on the built code, as with the store.
const script = fileURLToPath(new URL("../../support/session-file-writer.mjs", import.meta.url))

it("two processes updating the same session file write every entry once and see no outside edit", async () => {
  const { hive, update, read, edits, words } = await sessionWithFile()
  const writers = [1, 2].map(() => lineProcess(script, hive.dir, "ses_1"))
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
