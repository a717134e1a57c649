import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { injectedFile } from "../../src/context/inject/frozen-injections.ts"
import { createInjector } from "../../src/context/inject/injector.ts"
import { sessionIdOf } from "../../src/graph/read-head.ts"
import { defaultConfig } from "../../src/schemas/config.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { readableStamp } from "../../src/shared/stamp.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { usageFile } from "../../src/store/files/usage-file.ts"
import { aMem, by } from "../support/records.ts"
import { everyFile, fillProject, SESSION, withStore } from "./filled-project.ts"
import { cli, useSandbox } from "./harness.ts"

const box = useSandbox()

describe("pack", () => {
  test("prints the active chain and the mems, and writes nothing", async () => {
    await fillProject(box.project)
    const before = await everyFile(box.project)
    const { code, stdout, stderr } = await cli(box, ["context", "pack"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toMatch(/^<hivemind_state>\n<head [^>]*>Add a login page<\/head>\n/)
    expect(stdout).toMatch(/<task id="\w{8}" status="active"[^>]*>Build login<\/task>/)
    expect(stdout).toMatch(/<mem id="\w{8}" kind="insight">Use jose<\/mem>/)
    expect(await everyFile(box.project)).toEqual(before)
  })

  test("with what the session's work has turned on, and only that session's", async () => {
    await fillProject(box.project)
    const at = new Date().toISOString()
    const turning_points = [{ at, kind: "decision" as const, text: "JWT, not cookies", about: null }]
    await withStore(box.project, (store) =>
      store.write(by, (tx) => tx.set("session", sessionIdOf(SESSION), { turning_points })),
    )
    const { stdout } = await cli(box, ["context", "pack", "--session", SESSION])
    expect(stdout).toContain(
      '<turning_points>\n<turn kind="decision">JWT, not cookies</turn>\n</turning_points>',
    )
    expect((await cli(box, ["context", "pack"])).stdout).not.toContain("<turn")
  })

  test("as a session sees it, by its stamp or the host's id", async () => {
    const { stamp } = await fillProject(box.project)
    for (const name of [stamp, SESSION]) {
      const { stdout } = await cli(box, ["context", "pack", "--session", name, "--json"])
      expect(JSON.parse(stdout)).toMatchObject({
        status: "success",
        session: SESSION,
        as_of: null,
        xml: expect.stringContaining(`session="${stamp}"`),
      })
    }
  })

  test("as it was at an earlier moment", async () => {
    await fillProject(box.project)
    const then = new Date().toISOString()
    while (Date.now() <= Date.parse(then)) await new Promise(setImmediate)
    await withStore(box.project, (store) => store.append(by, (tx) => tx.add("mem", aMem(11))))
    expect((await cli(box, ["context", "pack"])).stdout).toContain("Mem 11")
    const { stdout } = await cli(box, ["context", "pack", "--as-of", then, "--json"])
    expect(JSON.parse(stdout)).toMatchObject({ as_of: then })
    expect(stdout).toContain("Use jose")
    expect(stdout).not.toContain("Mem 11")
    expect((await cli(box, ["context", "pack", "--as-of", "1d"])).stdout).toBe(
      "<hivemind_state>\n<head/>\n</hivemind_state>\n",
    )
  })

  test("an earlier moment is not measured against the files of now", async () => {
    await fillProject(box.project)
    await withStore(box.project, (store) =>
      store.append(by, (tx) => tx.add("mem", aMem(11, { evidence: [`src/gone.ts@${"0".repeat(64)}`] }))),
    )
    expect((await cli(box, ["context", "pack"])).stdout).toMatch(/<mem [^>]*unverified[^>]*>Mem 11/)
    const then = new Date(Date.now() + 1).toISOString()
    expect((await cli(box, ["context", "pack", "--as-of", then])).stdout).toMatch(
      /<mem id="\w{8}" kind="insight">Mem 11/,
    )
  })

  test("an unknown session is a refusal that names the newest ones; a wrong time is wrong usage", async () => {
    const { stamp } = await fillProject(box.project)
    const { code, stderr } = await cli(box, ["context", "pack", "--session", "nobody"])
    expect(code).toBe(1)
    expect(stderr).toContain(`The newest ones: ${readableStamp(stamp)} (Add a login page).`)
    expect((await cli(box, ["context", "pack", "--as-of", "soon"])).code).toBe(2)
  })

  test("--explain gives every item a reason and a cost, and says what was dropped", async () => {
    await fillProject(box.project)
    await withStore(box.project, (store) =>
      store.append(by, (tx) => tx.add("mem", aMem(11, { stale_at: new Date(0).toISOString() }))),
    )
    const { stdout } = await cli(box, ["context", "pack", "--explain"])
    expect(stdout).toMatch(/\n\d+ tokens\n/)
    expect(stdout).toMatch(/ mems +\d+ {2}mem \w{8} {2}from the task at hand/)
    expect(stdout).toContain("left out  1 of mems: stale")
    const json = JSON.parse((await cli(box, ["context", "pack", "--explain", "--json"])).stdout)
    expect(json.items.length).toBeGreaterThan(3)
  })
})

describe("context", () => {
  test("says each turn's kind, tokens, items with their reasons, and what was dropped", async () => {
    const { stamp } = await fillProject(box.project)
    const paths = hivePaths(box.project)
    const onError = (what: string) => {
      throw new Error(what)
    }
    const injector = createInjector({
      paths,
      evidence: () => undefined,
      files: () => undefined,
      more: "ask",
      onError,
    })
    await withStore(box.project, async (store) => {
      const hive = {
        home: box.project,
        dir: box.project,
        branch: () => null,
        endSession: async () => {},
        startSession: async () => "ses_new",
        usage: usageFile(hivePaths(box.project)),
        store,
        source: systemSource,
        config: defaultConfig,
      }
      const messages = [1, 2].map((n) => ({
        id: `msg_${n}`,
        role: "user" as const,
        text: "go on",
        isCompactionRequest: false,
      }))
      injector.inject(hive, SESSION, messages.slice(0, 1), undefined)
      await store.append(by, (tx) => tx.add("mem", aMem(12)))
      injector.inject(hive, SESSION, messages, undefined)
    })
    for (const args of [["context"], ["context", "--session", stamp]]) {
      const { code, stdout } = await cli(box, args)
      expect(code).toBe(0)
      expect(stdout).toMatch(/^Session ses_one: 2 messages, \d+ tokens in all/)
      expect(stdout).toMatch(/1\. .* keyframe, \d+ of 3840 tokens: the first message of the session/)
      expect(stdout).toMatch(/2\. .* delta, \d+ of 3840 tokens: what changed since the last message/)
      expect(stdout).toContain("the task at hand")
    }
    const [line = ""] = readFileSync(join(paths.injected, `${SESSION}.jsonl`), "utf8")
      .trim()
      .split("\n")
    const { stdout } = await cli(box, ["context"])
    // In local time, to the second.
    const [, first = ""] = /1\. ([\d: -]{19}) /.exec(stdout) ?? []
    expect(new Date(first).toISOString().slice(0, 19)).toBe(JSON.parse(line).at.slice(0, 19))
    expect(stdout).not.toContain("taken out")
    const pruned = [{ call: "prt_1", text: "<output_removed/>" }]
    injectedFile(paths, SESSION).append([{ ...JSON.parse(line), message: "msg_3", pruned }])
    expect((await cli(box, ["context"])).stdout).toContain("old tool output taken out: 1")
    const json = JSON.parse((await cli(box, ["context", "--json"])).stdout)
    expect(json).toMatchObject({
      session: SESSION,
      items: [{ turn: 1, kind: "keyframe" }, { kind: "delta" }, { turn: 3, pruned }],
    })
  })

  test("says so where nothing was injected", async () => {
    await fillProject(box.project)
    const { stdout } = await cli(box, ["context"])
    expect(stdout).toMatch(/^Nothing has been injected yet\.\n\nevery request besides: \d+ tokens/)
  })
})
