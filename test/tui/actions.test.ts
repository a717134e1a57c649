import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import type { Hive } from "../../src/hive/hive.ts"
import { openHiveIn } from "../../src/hive/open.ts"
import { drain, enqueue } from "../../src/queue/queue.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { actions } from "../../src/tui/actions.ts"
import { planTasks } from "../../src/work/plan/create.ts"
import { fillProject, MEM } from "../cli/filled-project.ts"
import { dropSandbox, makeSandbox } from "../cli/harness.ts"
import { aroundCommand } from "../support/snapshots.ts"

it("a decision is made, and an empty answer changes nothing", async () => {
  await using box = await filled()
  expect(await box.act("decide")).toMatchObject({ toasts: ["No decision is open."] })
  const question = "Which database?"
  const plan = box.hive.store.read().state.plan.values().next().value
  await planTasks(box.hive, { tool: "test", session: "ses_9", agent: null }, plan?.id ?? "", [
    { title: "Migrate", expected_output: "x", decisions: [question] },
  ])
  expect(await box.act("decide", { words: "  " })).toMatchObject({
    offered: [question],
    toasts: ["Nothing was changed: enter the decision."],
  })
  expect(await box.act("decide", { words: "Postgres" })).toMatchObject({ toasts: ["Done."] })
  expect(await box.act("decide")).toMatchObject({ toasts: ["No decision is open."] })
})

it("a task is blocked and unblocked", async () => {
  await using box = await filled()
  const { offered } = await box.act("block", { pick: "Write tests", words: "the key" })
  expect(offered).toContain("Block: Write tests")
  const task = [...box.hive.store.read().state.task.values()].find(({ title }) => title === "Write tests")
  expect(box.hive.store.read().state.task.get(task?.id ?? "")?.held_back).toBe("the key")
  await box.act("block", { pick: "Unblock: Write tests" })
  expect(box.hive.store.read().state.task.get(task?.id ?? "")?.held_back).toBeNull()
})

it("a mem is flagged as wrong, and a refused change says why", async () => {
  await using box = await filled()
  expect(await box.act("flag", { words: "we use another" })).toMatchObject({
    offered: ["Use jose"],
    toasts: ["Done."],
  })
  expect(box.hive.store.read().state.mem.get(MEM)).toMatchObject({ kind: "false_path" })
  await enqueue(box.hive, "panel", { do: "save_mem", content: "Amounts are euros" })
  await drain(box.hive)
  const during = async () => void (await box.hive.store.undo((await box.newest()).id, BY))
  const { toasts } = await box.act("flag", { words: "wrong", during })
  expect(toasts).toEqual([expect.stringMatching(/./)])
  expect(toasts).not.toEqual(["Done."])
})

it("a change is chosen by its description, the newest first, and undone", async () => {
  await using box = await filled()
  await enqueue(box.hive, "panel", { do: "save_mem", content: "Amounts are euros" })
  await drain(box.hive)
  const { offered } = await box.act("undo")
  expect(offered[0]).toMatch(/: \+ mem "Amounts are euros"$/)
  expect([...box.hive.store.read().state.mem.values()].map(({ content }) => content)).not.toContain(
    "Amounts are euros",
  )
})

it("files come back from a snapshot: the call is chosen, then what to write, and a toast says what was done", async () => {
  await using box = await filled()
  const notes = join(box.project, "notes.md")
  writeFileSync(notes, "mine\n")
  expect(await box.act("restore")).toMatchObject({ toasts: ["There is no snapshot to restore."] })
  await aroundCommand(box.project, "rm notes.md")
  expect(await box.act("restore")).toMatchObject({
    offered: [expect.stringMatching(/: deleted 1 file: notes.md$/), "Write 1 file: notes.md"],
    toasts: ["1 file restored. S2 undoes it."],
  })
  expect(readFileSync(notes, "utf8")).toBe("mine\n")
  await aroundCommand(box.project, "echo call > notes.md")
  writeFileSync(notes, "newer\n")
  expect(await box.act("restore")).toMatchObject({
    offered: expect.arrayContaining(["Also overwrite 1 file changed since: notes.md"]),
    toasts: ["1 file restored. S4 undoes it."],
  })
  expect(readFileSync(notes, "utf8")).toBe("mine\n")
})

const BY = { tool: "test", session: null, agent: null }

interface Answers {
  /** The chosen option begins or ends with this; default: the first. */
  pick?: string
  words?: string
  during?: () => Promise<void>
}

async function filled() {
  const box = await makeSandbox()
  await fillProject(box.project)
  const options = { name: "a test", value: undefined }
  const { hive } = await openHiveIn(box.project, { source: systemSource, userConfig: null, options })
  return {
    ...{ project: box.project, hive: hive as Hive },
    newest: async () => (await hive.store.log({ limit: 1 }))[0] ?? { id: "" },
    async act(name: string, { pick = "", words = "", during }: Answers = {}) {
      const [offered, toasts]: [string[], string[]] = [[], []]
      const host = {
        choose: async (_: string, given: { title: string; value: unknown }[]) => {
          offered.push(...given.map(({ title }) => title))
          await during?.()
          return (given.find(({ title }) => title.endsWith(pick)) ?? given[0])?.value
        },
        askText: async () => words,
        toast: (text: string) => toasts.push(text),
        session: () => null,
      }
      await actions.find((each) => each.name === name)?.run(hive, host as never)
      return { offered, toasts }
    },
    async [Symbol.asyncDispose]() {
      await hive.store.close()
      await dropSandbox(box)
    },
  }
}
