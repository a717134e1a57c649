import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, it } from "vitest"
import { sessionWithFile } from "./session-with-file.ts"

/** `null` for a folder in place of the template. */
async function withTemplate(text: string | Buffer | null) {
  const session = await sessionWithFile()
  const path = join(session.hive.dir, ".hivemind", "templates", "session.md")
  mkdirSync(text === null ? path : dirname(path), { recursive: true })
  if (text !== null) writeFileSync(path, text)
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
  ["unreadable", null],
])("that is %s is replaced by the built-in one, and the log says so", async (_, template) => {
  const { read, stamp, log } = await withTemplate(template)
  expect(read()).toContain(`# Session ${stamp}`)
  const said = template === null ? "cannot be used" : "templates/session.md is empty, too long or not text"
  expect(log.mock.calls[0]?.slice(0, 2)).toEqual(["error", expect.stringContaining(said)])
})
