import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { openHiveIn } from "../../src/hive/open.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { refusalFile } from "../../src/store/files/refusal-file.ts"
import { askFor } from "../../src/tui/ask-for.ts"
import { readScreen, type tabs } from "../../src/tui/read/screen.ts"
import { screenRows } from "../../src/tui/text/screen-rows.ts"
import { visibleLines } from "../../src/tui/text/visible-lines.ts"
import { fillProject, MEM } from "../cli/filled-project.ts"
import { dropSandbox, makeSandbox } from "../cli/harness.ts"

async function filled() {
  const box = await makeSandbox()
  await fillProject(box.project)
  const { hive } = await openHiveIn(box.project, {
    ...{ source: systemSource, userConfig: null, options: { name: "a test", value: undefined } },
  })
  const textsOf = async (tab: (typeof tabs)[number]) =>
    screenRows(await readScreen(hive, tab), Date.now(), 80).flatMap(({ lines }) =>
      lines.map(({ text }) => text),
    )
  return {
    ...{ project: box.project, hive, textsOf },
    async [Symbol.asyncDispose]() {
      await hive.store.close()
      await dropSandbox(box)
    },
  }
}

describe("the screen", () => {
  it("lists open plans with their open tasks", async () => {
    await using box = await filled()
    const [title, facts, ...tasks] = await box.textsOf("plans")
    expect(title).toBe("Login")
    expect(facts).toMatch(/^ {2}active · ░{10} 0 of 2 tasks done · \d+ s ago/)
    expect(tasks).toEqual([expect.stringMatching(/^ {2}▶ Build login: session \d{12}/), "  → Write tests"])
  })

  it("lists mems with their ids, and one that is flagged through the queue is gone", async () => {
    await using box = await filled()
    const [row] = screenRows(await readScreen(box.hive, "memory"), Date.now(), 80)
    expect(row).toMatchObject({ mem: MEM, lines: [{ text: "Use jose" }, {}] })
    expect(await askFor(box.hive, { do: "flag_mem", mem: MEM, reason: "we use another" })).toEqual({
      ...{ done: true, text: "Done." },
    })
    expect(await box.textsOf("memory")).toEqual(["No mems yet: what agents find out is kept here."])
  })

  it("says why a change was refused", async () => {
    await using box = await filled()
    const told = await askFor(box.hive, { do: "flag_mem", mem: "deadbeef", reason: "x" })
    expect(told).toEqual({ done: false, text: expect.stringContaining("deadbeef") })
  })

  it("lists what was refused, with what lifts it", async () => {
    await using box = await filled()
    expect(await box.textsOf("refusals")).toEqual(["Nothing was refused."])
    const file = refusalFile(hivePaths(box.project))
    const refused = { what: "It deletes the hive.", why: "Nobody asked.", use_instead: "-", evidence: "rm" }
    const at = new Date().toISOString()
    const call = {
      at,
      session: "ses_1",
      agent: "build",
      tool: "bash",
      code: "protected",
      files: [],
      command: "rm",
    }
    file.add({ ...call, ...refused })
    await file.idle()
    expect(await box.textsOf("refusals")).toEqual([
      "It deletes the hive.",
      expect.stringMatching(/^ {2}\d+ s ago · bash · build · Nobody asked\.$/),
      "  to allow it: change that file or setting yourself",
    ])
  })

  it("lists what is in quarantine as it is found", async () => {
    await using box = await filled()
    expect(await box.textsOf("quarantine")).toEqual(["All files are in order."])
    appendFileSync(join(hivePaths(box.project).log, "000001.jsonl"), "no entry\n")
    expect(await box.textsOf("quarantine")).toEqual([
      ".hivemind/graph/log/000001.jsonl",
      expect.stringContaining("torn or damaged"),
    ])
  })
})

it("the chosen row is marked and stays in sight, a long one from its top", () => {
  const row = (name: string, lines = 2) => ({
    lines: Array.from({ length: lines }, (_, index) => ({ text: `${name}${index}`, tone: "text" as const })),
  })
  const shown = (chosen: number, rows = [row("a"), row("b"), row("c", 5)]) =>
    visibleLines(rows, chosen, 4).map(({ text }) => text)
  expect(shown(0)).toEqual(["› a0", "  a1", "  b0", "  b1"])
  expect(shown(1)).toEqual(["  a0", "  a1", "› b0", "  b1"])
  expect(shown(2)).toEqual(["› c0", "  c1", "  c2", "  c3"])
})
