import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import fc from "fast-check"
import { expect, it } from "vitest"
import { shorten } from "../../../src/shared/text/clean.ts"
import { markedLines, readMarks, withoutMarks } from "../../../src/views/session-file/template.ts"
import { uuid } from "../../support/records.ts"
import { sessionWithFile } from "./session-with-file.ts"

async function withTemplate(text: string | Buffer) {
  const session = await sessionWithFile()
  const path = join(session.hive.dir, ".hivemind", "templates", "session.md")
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  await session.update()
  return session
}

it("is written with the first session file and never overwritten", async () => {
  const { hive, update, path, read, stamp } = await sessionWithFile()
  const template = join(hive.dir, ".hivemind", "templates", "session.md")
  expect(existsSync(template)).toBe(false)
  await update()
  expect(existsSync(template)).toBe(true)
  writeFileSync(template, "Mine\n\n## Log\n")
  rmSync(path(`${stamp}.md`))
  await update()
  expect(read()).toMatch(/^Mine\n\n## Log\n\n- \d\d:\d\d a session began/)
})

it("fills in known placeholders once and leaves others", async () => {
  const { call, update, read, stamp, path } = await withTemplate(
    "{stamp} {intent} {colour} {constructor}\n## Log",
  )
  expect(read().split("\n")[0]).toBe(`${stamp} Add a login page {colour} {constructor}`)
  await call("session", { action: "start", intent: "{stamp} $& --> {mode}" })
  rmSync(path(`${stamp}.md`))
  await update()
  expect(read().split("\n")[0]).toBe(`${stamp} {stamp} $& -- > {mode} {colour} {constructor}`)
})

it.each([
  ["no log", "# {stamp}\n\n## Notes\n"],
  ["the log before other parts", "# {stamp}\n\n## Log\n\n## Notes\n"],
])("with %s it gets one at the end", async (_, template) => {
  const { read } = await withTemplate(template)
  expect(read()).toMatch(
    /\n## Notes\n\n## Log\n\n- \d\d:\d\d a session began: Add a login page <!-- .* -->\n$/,
  )
})

it.each([
  ["empty", "  \n"],
  ["no text", Buffer.from([0, 1, 2])],
  ["far too long", "x".repeat(200_000)],
])("that is %s is passed over, and the log says so", async (_, template) => {
  const { read, stamp, log } = await withTemplate(template)
  expect(read()).toContain(`# Session ${stamp}`)
  expect(log).toHaveBeenCalledWith(
    "error",
    expect.stringContaining("templates/session.md is empty, too long or not text"),
  )
})

it("unreadable, is logged and replaced by the built-in one", async () => {
  const { hive, update, read, stamp, log } = await sessionWithFile()
  mkdirSync(join(hive.dir, ".hivemind", "templates", "session.md"), { recursive: true })
  await update()
  expect(read()).toContain(`# Session ${stamp}`)
  expect(log).toHaveBeenCalledWith("error", expect.stringContaining("cannot be used"), expect.any(Error))
})

const text = fc
  .oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("a --> b", `<!-- ${uuid(9)} 00000000 -->`, "x\ny\r\n- z", "…👍"),
  )
  .map((words) => withoutMarks(shorten(words)))

const lines = fc
  .array(text, { minLength: 1, maxLength: 8 })
  .map((texts) => texts.map((each, n) => ({ id: uuid(n + 100), text: each })))

const bytes = fc.uint8Array({ maxLength: 60 }).map((each) => Buffer.from(each))

function grown(head: Buffer, more: { id: string; text: string }[]): Buffer {
  return Buffer.concat([head, Buffer.from(markedLines(head, more))])
}

it("a file with only our lines is untouched and lists every entry", () => {
  fc.assert(
    fc.property(bytes, lines, lines, (head, first, second) => {
      const later = second.map(({ id, text: words }) => ({ id: id.replace("-8000-", "-9000-"), text: words }))
      const file = grown(grown(head, first), later)
      const { ids, isUntouched } = readMarks(file)
      expect(isUntouched).toBe(true)
      expect([...ids]).toEqual([...first, ...later].map(({ id }) => id))
      expect(file.subarray(0, head.length)).toEqual(head)
    }),
    { seed: 1 },
  )
})

it("detects every changed, added or removed byte", () => {
  fc.assert(
    fc.property(
      bytes,
      lines,
      fc.double({ min: 0, max: 1, noNaN: true }),
      bytes,
      fc.nat(20),
      (head, more, where, put, out) => {
        const file = grown(head, more)
        const at = Math.floor(where * file.length)
        const edited = Buffer.concat([file.subarray(0, at), put, file.subarray(at + out)])
        // What ends exactly behind a mark is a shorter file of ours: nothing in it tells that there was more.
        const isWhole =
          file.subarray(0, edited.length).equals(edited) && edited.toString("latin1").endsWith(" -->\n")
        fc.pre(!isWhole)
        expect(readMarks(edited).isUntouched).toBe(false)
      },
    ),
    { seed: 2, numRuns: 500 },
  )
})
