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

it("is put there with the first session file, and never again over what the user made of it", async () => {
  const { hive, update, path, read, stamp } = await sessionWithFile()
  const template = join(hive.dir, ".hivemind", "templates", "session.md")
  expect(existsSync(template)).toBe(false)
  await update()
  expect(existsSync(template)).toBe(true)
  writeFileSync(template, "Mine\n\n## Log\n")
  rmSync(path(`${stamp}.md`))
  await update()
  expect(read()).toMatch(/^Mine\n\n## Log\n\n- \d\d:\d\d began/)
})

it("fills in what it knows, once, and leaves other placeholders as they are", async () => {
  const { call, update, read, stamp, compact } = await withTemplate(
    "{stamp} {intent} {colour} {constructor}\n## Log",
  )
  expect(read().split("\n")[0]).toBe(`${stamp} Add a login page {colour} {constructor}`)
  await call("session", { action: "start", intent: "{stamp} $& --> {mode}" })
  await compact()
  await update()
  expect(read().split("\n")[0]).toBe(`${stamp} {stamp} $& -- > {mode} {colour} {constructor}`)
})

it.each([
  ["no log", "# {stamp}\n\n## Notes\n"],
  ["the log before other parts", "# {stamp}\n\n## Log\n\n## Notes\n"],
])("with %s it gets one at the end", async (_, template) => {
  const { read } = await withTemplate(template)
  expect(read()).toMatch(/\n## Notes\n\n## Log\n\n- \d\d:\d\d began: "Add a login page" <!-- .* -->\n$/)
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

it("that cannot be read is passed over, and the log says so", async () => {
  const { hive, update, read, stamp, log } = await sessionWithFile()
  mkdirSync(join(hive.dir, ".hivemind", "templates", "session.md"), { recursive: true })
  await update()
  expect(read()).toContain(`# Session ${stamp}`)
  expect(log).toHaveBeenCalledWith("error", expect.stringContaining("cannot be used"), expect.any(Error))
})
