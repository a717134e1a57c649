import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { expect, it } from "vitest"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { FORMAT } from "../../src/store/format.ts"
import type { Store } from "../../src/store/store.ts"
import { trials } from "../support/effort.ts"
import { aCheckpoint, aMem, anAnchor, aPhase, aPlan, aTask, by, uuid } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"

it("any byte of any file damaged: it loads, keeps all that is valid, quarantines and tells the rest, loses no original", async () => {
  const project = await tempProject()
  const intact = join(project, "intact")
  await fill(intact)
  const files = readdirSync(join(intact, ".hivemind"), { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(join(intact, ".hivemind", name)).isFile(),
  )
  const sizes = new Map(files.map((name) => [name, statSync(join(intact, ".hivemind", name)).size]))
  const ids = contents(open(intact))
  const whole = records(open(intact))
  const places = fc
    .constantFrom(...files.filter((name) => (sizes.get(name) ?? 0) > 0))
    .chain((name) =>
      fc.record({ name: fc.constant(name), at: fc.nat((sizes.get(name) ?? 1) - 1), byte: fc.nat(255) }),
    )

  let run = 0
  await fc.assert(
    fc.asyncProperty(places, async ({ name, at, byte }) => {
      const copy = join(project, `copy-${run++}`)
      cpSync(intact, copy, { recursive: true })
      const path = join(copy, ".hivemind", name)
      const bytes = readFileSync(path)
      bytes[at] = byte
      writeFileSync(path, bytes)
      const hourAgo = Date.now() / 1000 - 3600
      utimesSync(path, hourAgo, hourAgo)

      const store = open(copy)
      const before = contents(store)
      const raws = store
        .health()
        .problems.flatMap(({ level, raw }) => (level === "quarantined" && raw !== null ? [raw] : []))
      expect(lost(ids, before).length).toBeLessThanOrEqual(1)
      const isChanged = lost(whole, records(store)).length > 0

      // Writing goes on, unless the damage says that the files are of a format to come.
      const isNewer = name === "system/manifest.json" && store.health().format > FORMAT
      const writing = store.append(by, (tx) => tx.add("mem", aMem(500)))
      if (isNewer) await expect(writing).rejects.toMatchObject({ code: "newer_format" })
      else {
        await writing
        // A torn last line may be on its way, until another one follows it.
        const { problems, edited } = store.health()
        if (isChanged) expect([...problems, ...edited]).not.toEqual([])
        await store.fold()
        await store.fold()
        const after = contents(open(copy))
        expect(lost(before, after)).toEqual([])
        expect(after).toContain(`mem ${uuid(500)}`)
      }
      const kept = everything(copy)
      for (const raw of raws) expect(kept.some((text) => text.includes(raw))).toBe(true)
      rmSync(copy, { recursive: true })
    }),
    { numRuns: trials(20, 1000), seed: 7 },
  )
})

async function fill(project: string): Promise<void> {
  const store = open(project)
  await store.write(by, (tx) => {
    tx.add("plan", aPlan(1))
    tx.add("phase", aPhase(2, 1))
    tx.add("task", aTask(3, 1, 2))
    for (let n = 10; n < 20; n++) tx.add("mem", aMem(n))
    tx.add("anchor", anAnchor(30))
  })
  await store.fold()
  await store.write(by, (tx) => tx.add("task", aTask(4, 1, 2)))
  await store.append(by, (tx) => {
    tx.add("checkpoint", aCheckpoint(40, 3))
    tx.count("ses_1", "turns")
  })
  await store.fold()
  await store.write(by, (tx) => tx.add("task", aTask(5, 1, 2)))
  await store.append(by, (tx) => tx.add("mem", aMem(20)))
  await store.close()
}

function open(project: string): Store {
  const leaving: [] = []
  return openFileStore(project, { source: systemSource, leaving: () => leaving })
}

function contents(store: Store): string[] {
  const { state } = store.read()
  return Object.entries(state).flatMap(([kind, records]) => [...records.keys()].map((id) => `${kind} ${id}`))
}

/** The records themselves, without what was counted. */
function records(store: Store): string[] {
  const { metrics: _, ...graph } = store.read().state
  return Object.values(graph).flatMap((each) => [...each.values()].map((record) => JSON.stringify(record)))
}

function lost(before: string[], after: string[]): string[] {
  const there = new Set(after)
  return before.filter((each) => !there.has(each))
}

/** The text of every file, and every text that the quarantine quotes. */
function everything(project: string): string[] {
  const root = join(project, ".hivemind")
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).map((name) => join(root, name))
  const texts = names.filter((path) => statSync(path).isFile()).map((path) => readFileSync(path, "utf8"))
  const orphans = join(root, "graph", "orphans.json")
  if (!existsSync(orphans)) return texts
  const quoted = JSON.parse(readFileSync(orphans, "utf8")) as { orphans: { raw: string | null }[] }
  return [...texts, ...quoted.orphans.flatMap(({ raw }) => raw ?? [])]
}
