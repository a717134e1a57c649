import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { expect, it } from "vitest"
import { adoptFork, frozenInjections, injectedFile } from "../../../src/context/inject/frozen-injections.ts"
import { createLayout, hivePaths } from "../../../src/store/files/layout.ts"
import { tempProject } from "../../support/temp-project.ts"
import { anInjection } from "../at-work.ts"

const SESSION = "ses_1"
const carrying = (message: string, part: string) => anInjection(message, { parts: [part] })

async function project() {
  const dir = await tempProject()
  await createLayout(dir)
  const paths = hivePaths(dir)
  const errors: string[] = []
  const open = () => frozenInjections(paths, (what) => errors.push(what))
  const saved = () =>
    injectedFile(paths, SESSION)
      .read()
      .map(({ message }) => message)
  return { paths, errors, open, saved }
}

it("an injection that could not be saved stays frozen, and is saved with the next, once", async () => {
  const { paths, errors, open, saved } = await project()
  const frozen = open()
  expect(frozen.of(SESSION).size).toBe(0)
  rmSync(paths.injected, { recursive: true, force: true })
  mkdirSync(dirname(paths.injected), { recursive: true })
  writeFileSync(paths.injected, "a file where the folder should be")
  frozen.add(SESSION, [carrying("msg_1", "one")])
  expect(errors).toEqual(["an injection could not be saved"])
  expect(frozen.of(SESSION).get("msg_1")?.parts).toEqual(["one"])
  rmSync(paths.injected)
  frozen.add(SESSION, [carrying("msg_2", "two")])
  frozen.add(SESSION, [])
  expect(saved()).toEqual(["msg_1", "msg_2"])
  expect(errors).toHaveLength(1)
})

it("an injection that was decided before there was a graph is saved once there is one", async () => {
  const dir = await tempProject()
  const paths = hivePaths(dir)
  const frozen = frozenInjections(paths, () => {})
  frozen.add(SESSION, [carrying("msg_1", "one")])
  await createLayout(dir)
  frozen.add(SESSION, [])
  expect(injectedFile(paths, SESSION).read()).toMatchObject([{ message: "msg_1" }])
})

it("the first decision of another process for a message counts here too", async () => {
  const { open } = await project()
  const [here, there] = [open(), open()]
  here.add(SESSION, [carrying("msg_1", "here")])
  expect([...there.of(SESSION).keys()]).toEqual(["msg_1"])
  here.add(SESSION, [carrying("msg_2", "here")])
  expect(there.of(SESSION).has("msg_2")).toBe(false)
  there.refresh(SESSION)
  expect(there.of(SESSION).get("msg_2")?.parts).toEqual(["here"])
  there.add(SESSION, [carrying("msg_2", "there")])
  here.refresh(SESSION)
  expect(here.of(SESSION).get("msg_2")?.parts).toEqual(["here"])
})

const sentAt = (message: string, sent: number) => anInjection(message, { sent, parts: [`of ${message}`] })

it("a fork carries the injections of its source, up to where it was forked", () => {
  const source = { session: "ses_1", injections: [sentAt("m1", 100), sentAt("m2", 200), sentAt("m3", 300)] }
  const users = [
    { id: "f1", sentAt: 100 },
    { id: "f2", sentAt: 200 },
    { id: "f4", sentAt: 999 },
  ]
  const unrelated = { session: "ses_0", injections: [sentAt("x", 50)] }
  const shorter = { session: "ses_2", injections: [sentAt("s1", 100)] }
  expect(adoptFork(users, [unrelated, source, shorter])).toMatchObject({
    source: "ses_1",
    records: [
      { message: "f1", parts: ["of m1"] },
      { message: "f2", parts: ["of m2"] },
    ],
  })
})

it.each([
  ["a single message", [100]],
  ["an unknown beginning", [150, 200]],
  ["no times", [undefined, undefined]],
])("does not count as a fork: %s", (_, times) => {
  const source = { session: "ses_1", injections: [sentAt("m1", 100), sentAt("m2", 200)] }
  const users = times.map((time, n) => ({ id: `n${n}`, sentAt: time }))
  expect(adoptFork(users, [source])).toBeUndefined()
})
