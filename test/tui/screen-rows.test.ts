import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { Hive } from "../../src/hive/hive.ts"
import { openHiveIn } from "../../src/hive/open.ts"
import { drain, enqueue } from "../../src/queue/queue.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { refusalFile } from "../../src/store/files/log-file.ts"
import { act, actionFor, restore, undo } from "../../src/tui/actions.ts"
import { readPanel } from "../../src/tui/read/panel.ts"
import { readScreen, type tabs } from "../../src/tui/read/screen.ts"
import { type Subject, visibleLines, wholeRow } from "../../src/tui/text/lines.ts"
import { screenRows } from "../../src/tui/text/screen-rows.ts"
import { planTasks } from "../../src/work/plan/create.ts"
import { fillProject, MEM } from "../cli/filled-project.ts"
import { dropSandbox, makeSandbox } from "../cli/harness.ts"
import { aroundCommand } from "../support/snapshots.ts"

const CALLER = { tool: "test", session: "ses_9", agent: null }

/** The toasts that flagging a mem shows. */
async function flagged(hive: Hive, subject: Subject): Promise<string[]> {
  const toasts: string[] = []
  const host = { askText: async () => "we use another", toast: (text: string) => void toasts.push(text) }
  await act(hive, host as never, subject)
  return toasts
}

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
    expect(facts).toMatch(/^ {2}active · ░{10} 0 of 2 tasks done · just now/)
    expect(tasks).toEqual([
      expect.stringMatching(/^ {2}▶ Build login: session of \d{4}-\d\d-\d\d \d\d:\d\d/),
      "  → Write tests",
    ])
  })

  it("says how many more tasks a plan has, and at 80 columns why one waits", async () => {
    await using box = await filled()
    const plan = box.hive.store.read().state.plan.values().next().value
    const title = "A title that goes on for so long that the rest of the line has no room for anything else"
    const tasks = Array.from({ length: 9 }, (_, at) => ({ title: `Part ${at}`, expected_output: "x" }))
    await planTasks(box.hive, CALLER, plan?.id ?? "", [
      ...tasks.slice(0, 1),
      { title, expected_output: "x", depends_on: ["#0"] },
      ...tasks.slice(1),
    ])
    const texts = await box.textsOf("plans")
    expect(texts.at(-1)).toBe("    and 4 more: `hivemind tasks`")
    const at = texts.findIndex((text) => text.startsWith("  ■ A title"))
    expect(texts[at + 1]).toMatch(/^ {6}It depends on "Part 0"/)
  })

  it("shows what waits for a person, and a decision is taken through the queue", async () => {
    await using box = await filled()
    expect(await box.textsOf("to decide")).toEqual(["Nothing waits for you."])
    const question = "Which database?"
    const plan = box.hive.store.read().state.plan.values().next().value
    await planTasks(box.hive, CALLER, plan?.id ?? "", [
      { title: "Migrate", expected_output: "x", decisions: [question] },
    ])
    expect((await readPanel(box.hive, "ses_9")).decisions).toEqual([question])
    const [row] = screenRows(await readScreen(box.hive, "to decide"), Date.now(), 80)
    expect(row?.lines[0]?.text).toBe(`? ${question}`)
    const toasts: string[] = []
    const answers = ["  ", "Postgres"]
    const host = { askText: async () => answers.shift(), toast: (text: string) => void toasts.push(text) }
    for (const _ of [1, 2]) await act(box.hive, host as never, row?.of as Subject)
    expect(toasts).toEqual(["Nothing was changed: enter the decision.", "Done."])
    expect(await box.textsOf("to decide")).toEqual(["Nothing waits for you."])
  })

  it("a task is blocked and unblocked by a person", async () => {
    await using box = await filled()
    const find = async () =>
      screenRows(await readScreen(box.hive, "plans"), Date.now(), 80).find(({ lines }) =>
        lines[0]?.text.includes("Write tests"),
      )
    const host = { askText: async () => "the key", toast: () => {} }
    expect(actionFor((await find())?.of)).toEqual({ key: "b", title: "block" })
    await act(box.hive, host as never, (await find())?.of as Subject)
    expect((await find())?.lines[0]?.text).toMatch(/■ Write tests: .*the key/)
    expect(actionFor((await find())?.of)).toEqual({ key: "b", title: "unblock" })
    await act(box.hive, host as never, (await find())?.of as Subject)
    expect((await find())?.lines[0]?.text).toBe("  → Write tests")
  })

  it("lists mems with their ids, and one that is flagged through the queue is gone", async () => {
    await using box = await filled()
    const [row] = screenRows(await readScreen(box.hive, "memory"), Date.now(), 80)
    expect(row).toMatchObject({ of: { kind: "mem", id: MEM }, lines: [{ text: "Use jose" }, {}] })
    expect(await flagged(box.hive, row?.of as Subject)).toEqual(["Done."])
    expect(await box.textsOf("memory")).toEqual(["No mems yet: findings of agents are kept here."])
  })

  it("a change is taken back by its words, the newest first", async () => {
    await using box = await filled()
    await enqueue(box.hive, "panel", { do: "save_mem", content: "Amounts are euros" })
    await drain(box.hive)
    const offered: string[] = []
    const host = {
      choose: async (_: string, options: { title: string; value: string }[]) => {
        offered.push(...options.map(({ title }) => title))
        return options[0]?.value
      },
      toast: () => {},
    }
    await undo(box.hive, host as never)
    expect(offered[0]).toBe('just now: + mem "Amounts are euros"')
    expect((await box.textsOf("memory")).join()).not.toContain("euros")
  })

  it("files come back from a snapshot: the call is chosen, then what to write, and the end is told", async () => {
    await using box = await filled()
    const notes = join(box.project, "notes.md")
    writeFileSync(notes, "mine\n")
    const [offered, toasts]: [string[], string[]] = [[], []]
    const host = {
      choose: async (title: string, options: { title: string; value: unknown }[]) => {
        offered.push(title, ...options.map((each) => each.title))
        return options.at(-1)?.value
      },
      toast: (text: string) => toasts.push(text),
    }
    await restore(box.hive, host as never)
    await aroundCommand(box.project, "rm notes.md")
    await restore(box.hive, host as never)
    expect(readFileSync(notes, "utf8")).toBe("mine\n")
    expect(offered).toEqual([
      "Undo the changes of which call?",
      "just now: deleted 1 file: notes.md",
      "Restore S1?",
      "Write 1 file: notes.md",
    ])
    await aroundCommand(box.project, "echo call > notes.md")
    writeFileSync(notes, "newer\n")
    await restore(box.hive, { ...host, choose: answering("S3", true) } as never)
    expect(readFileSync(notes, "utf8")).toBe("mine\n")
    await restore(box.hive, { ...host, choose: answering("S3") } as never)
    expect(toasts).toEqual([
      "There is no snapshot to restore.",
      "1 file restored. S2 undoes it.",
      "1 file restored. S4 undoes it.",
      "Nothing to restore: the files are as they were.",
    ])

    function answering(...answers: unknown[]) {
      return async () => answers.shift()
    }
  })

  it("says why a change was refused", async () => {
    await using box = await filled()
    const toasts = await flagged(box.hive, { kind: "mem", id: "deadbeef", content: "x" })
    expect(toasts).toEqual([expect.stringContaining("deadbeef")])
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
      expect.stringMatching(/^ {2}just now · bash · build · Nobody asked\.$/),
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

it("what is opened is shown whole, in its own lines, broken between words", () => {
  const content = `one two three four\nfive ${"x".repeat(12)}\u001b[2J`
  const lines = wholeRow({ lines: [], whole: [content, "facts"] }, 10).map(({ text }) => text)
  expect(lines).toEqual([
    "one two",
    "three four",
    "five",
    "xxxxxxxxxx",
    expect.stringMatching(/^xx/),
    "",
    "facts",
  ])
  expect(lines.join("")).not.toMatch(/\p{Cc}/u)
})
