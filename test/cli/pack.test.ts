import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { injectedFile } from "../../src/context/inject/frozen-injections.ts"
import { createInjector } from "../../src/context/inject/injector.ts"
import { sessionIdOf } from "../../src/graph/read-head.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { readableStamp } from "../../src/shared/stamp.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { usageFile } from "../../src/store/files/usage-file.ts"
import { memoryHive } from "../support/hive.ts"
import { aMem, by } from "../support/records.ts"
import { addMem, everyFile, SESSION, useFilledProject, withStore } from "./filled-project.ts"
import { cli, cliJson, shown } from "./harness.ts"

const box = useFilledProject()
const pack = (more = "") => shown(box, `context pack${more}`)

describe("pack", () => {
  test("prints the active chain and the mems, and writes nothing", async () => {
    const before = await everyFile(box.project)
    const stdout = await pack()
    expect(stdout).toMatch(/^<hivemind_state>\n<head [^>]*>Add a login page<\/head>\n/)
    expect(stdout).toMatch(/<task id="\w{8}" status="active"[^>]*>Build login<\/task>/)
    expect(stdout).toMatch(/<mem id="\w{8}" kind="insight">Use jose<\/mem>/)
    expect(await everyFile(box.project)).toEqual(before)
  })

  test("shows the block of a session, given by stamp or host id, with its turning points", async () => {
    const at = new Date().toISOString()
    const turning_points = [{ at, kind: "decision" as const, text: "JWT, not cookies", about: null }]
    await withStore(box.project, (store) =>
      store.write(by, (tx) => tx.set("session", sessionIdOf(SESSION), { turning_points })),
    )
    for (const name of [box.stamp, SESSION]) {
      const json = await cliJson(box, `context pack --session ${name}`)
      expect(json).toMatchObject({ status: "success", session: SESSION, as_of: null })
      expect(json.xml).toContain(`session="${box.stamp}"`)
      expect(json.xml).toContain(
        '<turning_points>\n<turn kind="decision">JWT, not cookies</turn>\n</turning_points>',
      )
    }
    expect(await pack()).not.toContain("<turn")
  })

  test("shows the block of an earlier time", async () => {
    const then = new Date().toISOString()
    while (Date.now() <= Date.parse(then)) await new Promise(setImmediate)
    await addMem(box.project, 11)
    expect(await pack()).toContain("Mem 11")
    const { as_of, xml } = await cliJson(box, `context pack --as-of ${then}`)
    expect(as_of).toBe(then)
    expect(xml).toContain("Use jose")
    expect(xml).not.toContain("Mem 11")
    expect(await pack(" --as-of 1d")).toBe("<hivemind_state>\n<head/>\n</hivemind_state>\n")
  })

  test("does not compare the block of an earlier time with today's files", async () => {
    const evidence = [`src/gone.ts@${"0".repeat(64)}`]
    await withStore(box.project, (store) => store.append(by, (tx) => tx.add("mem", aMem(11, { evidence }))))
    expect(await pack()).toMatch(/<mem [^>]*unverified[^>]*>Mem 11/)
    const then = new Date(Date.now() + 1).toISOString()
    expect(await pack(` --as-of ${then}`)).toMatch(/<mem id="\w{8}" kind="insight">Mem 11/)
  })

  test("an unknown session is a refusal that names the newest ones; a wrong time is wrong usage", async () => {
    const { code, stderr } = await cli(box, "context pack --session nobody")
    const newest = `The newest ones: ${readableStamp(box.stamp)} (Add a login page).`
    expect([code, stderr]).toEqual([1, expect.stringContaining(newest)])
    expect((await cli(box, "context pack --as-of soon")).code).toBe(2)
  })

  test("--explain gives every item a reason and a cost, and says what was dropped", async () => {
    const stale_at = new Date(0).toISOString()
    await withStore(box.project, (store) => store.append(by, (tx) => tx.add("mem", aMem(11, { stale_at }))))
    const stdout = await pack(" --explain")
    expect(stdout).toMatch(/\n\d+ tokens\n/)
    expect(stdout).toMatch(/ mems +\d+ {2}mem \w{8} {2}from the task at hand/)
    expect(stdout).toContain("left out  1 of mems: stale")
    expect((await cliJson(box, "context pack --explain")).items.length).toBeGreaterThan(3)
  })
})

test("context says each turn's kind, tokens, items with their reasons, and what was dropped", async () => {
  expect(await shown(box, "context")).toMatch(
    /^Nothing has been sent to a model yet\.\n\nEach request also has \d+ tokens of HiveMind/,
  )
  const paths = hivePaths(box.project)
  const onError = (what: string) => {
    throw new Error(what)
  }
  const nothing = () => undefined
  const injector = createInjector({ paths, onError, more: "ask", evidence: nothing, files: nothing })
  await withStore(box.project, async (store) => {
    const place = { home: box.project, dir: box.project, usage: usageFile(paths) }
    const hive = { ...memoryHive(), ...place, store, source: systemSource }
    const message = { role: "user" as const, text: "go on", isCompactionRequest: false }
    const messages = [1, 2].map((n) => ({ ...message, id: `msg_${n}` }))
    injector.inject(hive, SESSION, messages.slice(0, 1), undefined)
    await store.append(by, (tx) => tx.add("mem", aMem(12)))
    injector.inject(hive, SESSION, messages, undefined)
  })
  for (const args of ["context", `context --session ${box.stamp}`]) {
    const stdout = await shown(box, args)
    expect(stdout).toMatch(/^Session ses_one: 2 messages, \d+ tokens sent by HiveMind/)
    expect(stdout).toMatch(/1\. .* keyframe, \d+ of 3840 tokens: the first message of the session/)
    expect(stdout).toMatch(/2\. .* delta, \d+ of 3840 tokens: what changed since the last message/)
    expect(stdout).toContain("the task at hand")
    expect(stdout).not.toContain("tool output removed")
  }
  const [line = ""] = readFileSync(join(paths.injected, `${SESSION}.jsonl`), "utf8")
    .trim()
    .split("\n")
  // In local time, to the second.
  const [, first = ""] = /1\. ([\d: -]{19}) /.exec(await shown(box, "context")) ?? []
  expect(new Date(first).toISOString().slice(0, 19)).toBe(JSON.parse(line).at.slice(0, 19))
  const pruned = [{ call: "prt_1", text: "<output_removed/>" }]
  injectedFile(paths, SESSION).append([{ ...JSON.parse(line), message: "msg_3", pruned }])
  expect(await shown(box, "context")).toContain("old tool output removed: 1")
  expect(await cliJson(box, "context")).toMatchObject({
    session: SESSION,
    items: [{ turn: 1, kind: "keyframe" }, { kind: "delta" }, { turn: 3, pruned }],
  })
})
