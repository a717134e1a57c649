import fc from "fast-check"
import { expect, it } from "vitest"
import { openFileStore } from "../../src/store/file-store.ts"
import type { Store } from "../../src/store/store.ts"
import { trials } from "../support/effort.ts"
import { openMemoryStore } from "../support/memory-store.ts"
import { aMem, aPhase, aPlan, aTask, by, countingSource, uuid } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"

type Step =
  | { do: "plan" | "mem" | "fold" | "reopen"; n: number }
  | { do: "task"; n: number; depends: number }
  | { do: "status"; n: number; to: "active" | "completed" | "review" | "planned" }
  | { do: "count"; n: number }
  | { do: "undo"; n: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constantFrom("plan" as const, "mem" as const, "fold" as const, "reopen" as const),
    n: fc.nat(6),
  }),
  fc.record({ do: fc.constant("task" as const), n: fc.nat(6), depends: fc.nat(6) }),
  fc.record({
    do: fc.constant("status" as const),
    n: fc.nat(6),
    to: fc.constantFrom("active" as const, "completed" as const, "review" as const, "planned" as const),
  }),
  fc.record({ do: fc.constant("count" as const), n: fc.nat(6) }),
  fc.record({ do: fc.constant("undo" as const), n: fc.nat(20) }),
)

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

async function run(store: Store, each: Step): Promise<string> {
  try {
    if (each.do === "plan") {
      await store.write(by, (tx) => {
        tx.add("plan", aPlan(100 + each.n))
        tx.add("phase", aPhase(200 + each.n, 100 + each.n))
      })
    }
    if (each.do === "task") {
      const depends_on = each.depends === each.n ? [] : [uuid(300 + each.depends)]
      await store.write(by, (tx) => {
        if (tx.get("task", uuid(300 + each.n)) !== undefined)
          tx.set("task", uuid(300 + each.n), { depends_on })
        else tx.add("task", aTask(300 + each.n, 100 + (each.n % 3), 200 + (each.n % 3)))
      })
    }
    if (each.do === "status")
      await store.write(by, (tx) => tx.set("task", uuid(300 + each.n), { status: each.to }))
    if (each.do === "mem") await store.append(by, (tx) => tx.add("mem", aMem(400 + each.n)))
    if (each.do === "count") await store.append(by, (tx) => tx.count("ses_1", `c${each.n % 2}`))
    if (each.do === "undo") await store.undo((await store.log()).at(-1 - each.n)?.id ?? uuid(0), by)
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
