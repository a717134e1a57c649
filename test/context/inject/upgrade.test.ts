import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { injectedFile } from "../../../src/context/inject/injected-file.ts"
import { lastWarning } from "../../../src/context/inject/packed-warnings.ts"
import { knownFrom } from "../../../src/context/inject/record.ts"
import { defaultConfig } from "../../../src/schemas/config.ts"
import { hivePaths } from "../../../src/store/files/layout.ts"
import { tempProject } from "../../support/temp-project.ts"

// Five messages of a session as version 0.1 decided them: a keyframe, two deltas, nothing, and a keyframe on a tight
// budget. Each line is as that version's code wrote it, but for a removal put into the fourth.
const FIXTURE = new URL("injected-0.1.jsonl", import.meta.url)
const lines = readFileSync(FIXTURE, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line))
const uuid = (n: string) => `0000000${n}-0000-4000-8000-000000000000`

async function session01() {
  const paths = hivePaths(await tempProject())
  const path = join(paths.injected, "ses_1.jsonl")
  mkdirSync(dirname(path), { recursive: true })
  copyFileSync(FIXTURE, path)
  return { file: injectedFile(paths, "ses_1"), path }
}

describe("a session's file of version 0.1", () => {
  it("is read whole: every message carries the same bytes as before", async () => {
    const { file } = await session01()
    const read = file.read()
    const frozen = ({ message, parts, pruned }: (typeof read)[number]) => ({ message, parts, pruned })
    expect(read.map(frozen)).toEqual(lines.map(frozen))
    expect(read.map(({ items, gone }) => [items.length, gone.length])).toEqual(
      lines.map(({ items, gone }) => [items.length, gone.length]),
    )
  })

  it("keeps what each item is about, what it is shown as and how the model knows it", async () => {
    const [keyframe, delta] = (await session01()).file.read()
    const about = (role: string) => keyframe?.items.filter((item) => item.role === role)
    expect(about("head")).toMatchObject([{ kind: "head", id: "" }])
    expect(about("depends")).toMatchObject([
      { kind: "wait", id: uuid("5"), on: uuid("3"), identity: { task: "00000005", on: "00000003" } },
    ])
    expect(about("gate")).toMatchObject([{ kind: "wait", id: uuid("5"), on: uuid("3") }])
    for (const [role, id] of [
      ["task", "5"],
      ["parent", "4"],
      ["subtask", "6"],
    ] as const)
      expect(about(role)).toMatchObject([{ kind: "task", id: uuid(id), identity: { id: `0000000${id}` } }])
    expect(about("decision")).toMatchObject([{ kind: "mem", id: uuid("a"), section: "decisions" }])
    expect(about("avoid")).toMatchObject([{ kind: "mem", id: uuid("b"), section: "anti_patterns" }])
    expect(about("anchor")).toMatchObject([{ kind: "anchor", identity: { key: 'DB "main" <1>' } }])
    expect(about("warning")).toMatchObject([{ id: "failures", severity: "medium" }])
    expect(delta?.gone).toContainEqual({ kind: "task", id: uuid("5"), role: "task" })
    expect(delta?.gone).toContainEqual({ kind: "wait", id: uuid("5"), role: "depends", on: uuid("3") })
  })

  it("says what was dropped by record, also where it was named by its id alone", async () => {
    const { dropped = [] } = (await session01()).file.read()[4] ?? {}
    const stale = dropped.find(({ reason }) => reason === "stale")
    expect(stale?.examples).toEqual([{ kind: "mem", id: uuid("c"), role: "mem" }])
    expect(dropped.flatMap(({ examples }) => examples).every(({ id }) => id.includes("-"))).toBe(true)
  })

  it("leaves the model knowing what it knew: nothing is shown twice, a warning is remembered", async () => {
    const read = (await session01()).file.read().slice(0, 3)
    const known = [...knownFrom(read).values()].map(({ role, id }) => `${role} ${id.slice(0, 8)}`)
    expect(known).toContain("avoid 00000008")
    expect(known).toContain("task 00000007")
    expect(known.filter((each) => /^(mem 00000008|task 00000005|anchor|warning)/.test(each))).toEqual([])
    expect(lastWarning(read, "failures", { ...defaultConfig.detection, failures: 3 })).toEqual({
      at: Date.parse(lines[1].at),
      severity: "high",
      isRetracted: true,
    })
  })

  it("goes on in today's shape, line after line", async () => {
    const { file, path } = await session01()
    const before = file.read()
    writeFileSync(
      path,
      `${readFileSync(path, "utf8")}${before.map((each) => JSON.stringify(each)).join("\n")}`,
    )
    expect(file.read()).toEqual([...before, ...before])
  })

  it("an item nobody understands costs the item, not the message", async () => {
    const { file, path } = await session01()
    const strange = { ...lines[0].items[0], key: "oracle 1" }
    writeFileSync(path, JSON.stringify({ ...lines[0], items: [strange], gone: ["oracle 1"] }))
    expect(file.read()).toMatchObject([{ message: "msg_1", parts: lines[0].parts, items: [], gone: [] }])
  })
})
