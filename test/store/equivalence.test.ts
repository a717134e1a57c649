import fc from "fast-check"
import { expect, it } from "vitest"
import { openFileStore } from "../../src/store/file-store.ts"
import type { Store } from "../../src/store/store.ts"
import { trials } from "../support/effort.ts"
import { openMemoryStore } from "../support/memory-store.ts"
import { aMem, aPhase, aPlan, aTask, by, countingSource, uuid } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"

const operations = ["plan", "task", "mem", "count", "undo", "fold", "reopen"] as const
const statuses = ["active", "completed", "review", "planned"] as const
type Step = { do: (typeof operations | typeof statuses)[number]; n: number; other: number }
const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom(...operations, ...operations, ...statuses),
  n: fc.nat(6),
  other: fc.nat(6),
})

it("after any operations, files and memory give the same answers, also after folds and reopening", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const project = await tempProject()
      const memorySource = countingSource()
      const fileSource = countingSource()
      const memory = openMemoryStore(memorySource)
      let files = openFileStore(project, { source: fileSource })
      for (const each of steps) {
        if (each.do === "fold") await files.fold()
        else if (each.do === "reopen") files = openFileStore(project, { source: fileSource })
        else {
          const answers = [await run(memory, each), await run(files, each)]
          expect(answers[1]).toBe(answers[0])
        }
        expect(shown(files)).toEqual(shown(memory))
      }
      await files.fold()
      const reopened = openFileStore(project, { source: fileSource })
      expect(shown(reopened)).toEqual(shown(memory))
      const opsOf = async (store: Store) => (await store.log()).map((entry) => entry.ops)
      expect(await opsOf(reopened)).toEqual(await opsOf(memory))
      expect(await reopened.compareWithLog()).toEqual([])
      expect(reopened.read().problems).toEqual([])
    }),
    { numRuns: trials(25, 300), seed: 11 },
  )
})

async function run(store: Store, { do: what, n, other }: Step): Promise<string> {
  const task = uuid(300 + n)
  try {
    if (what === "plan")
      await store.write(by, (tx) => {
        tx.add("plan", aPlan(100 + n))
        tx.add("phase", aPhase(200 + n, 100 + n))
      })
    else if (what === "task")
      await store.write(by, (tx) => {
        const depends_on = other === n ? [] : [uuid(300 + other)]
        if (tx.get("task", task) !== undefined) tx.set("task", task, { depends_on })
        else tx.add("task", aTask(300 + n, 100 + (n % 3), 200 + (n % 3)))
      })
    else if (what === "mem") await store.append(by, (tx) => tx.add("mem", aMem(400 + n)))
    else if (what === "count") await store.append(by, (tx) => tx.count("ses_1", `c${n % 2}`))
    else if (what === "undo") await store.undo((await store.log()).at(-1 - n - other)?.id ?? uuid(0), by)
    else if (what !== "fold" && what !== "reopen")
      await store.write(by, (tx) => tx.set("task", task, { status: what }))
    return "done"
  } catch (error) {
    return String((error as { code?: string }).code ?? error)
  }
}

function shown(store: Store) {
  const { state } = store.read()
  return Object.fromEntries(
    Object.entries(state).map(([kind, records]) => [
      kind,
      [...records.values()].sort((a, b) => String(a.id).localeCompare(String(b.id))),
    ]),
  )
}
