import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, it } from "vitest"
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
