import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { expect, it } from "vitest"
import { frozenInjections, injectedFile } from "../../../src/context/inject/frozen-injections.ts"
import type { Injection } from "../../../src/context/inject/record.ts"
import { createLayout, hivePaths } from "../../../src/store/files/layout.ts"
import { T0 } from "../../support/records.ts"
import { tempProject } from "../../support/temp-project.ts"

const SESSION = "ses_1"
const carrying = (message: string, part: string): Injection => ({
  message,
  at: new Date(T0).toISOString(),
  kind: "keyframe",
  parts: [part],
  tokens: 1,
  repeated: 0,
  budget: 100,
  items: [],
  gone: [],
  dropped: [],
  reason: "x",
  score: 0,
  pruned: [],
})

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

it("the first decision of another process for a message counts here too", async () => {
  const { open } = await project()
  const [here, there] = [open(), open()]
  here.add(SESSION, [carrying("msg_1", "here")])
  expect([...there.of(SESSION).keys()]).toEqual(["msg_1"])
  here.add(SESSION, [carrying("msg_2", "here")])
  expect(there.of(SESSION).has("msg_2")).toBe(false)
  there.refresh(SESSION)
  expect(there.of(SESSION).get("msg_2")?.parts).toEqual(["here"])
})
