import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { createInjector } from "../../../src/context/inject/injector.ts"
import type { Injection } from "../../../src/context/inject/record.ts"
import type { Hive } from "../../../src/hive/hive.ts"
import type { Mem } from "../../../src/schemas/knowledge.ts"
import { shortId } from "../../../src/shared/ids.ts"
import { hivePaths } from "../../../src/store/files/layout.ts"
import { fileHive } from "../../support/file-hive.ts"
import { aMem, by, T0, uuid } from "../../support/records.ts"

interface Why {
  decisions: [text: string, question: string][]
  neutral: string[]
  noise: { subjects: string[]; verbs: string[]; causes: string[] }
}

const why: Why = JSON.parse(readFileSync(new URL("../../fixtures/recall/why.json", import.meta.url), "utf8"))
const DAY_MS = 24 * 3_600_000
const MEMS = 2000

describe("three weeks and 2,000 mems later", () => {
  it("the answer to 'why did we choose X over Y?' is in the first block of a fresh session", async () => {
    const hive = await filled()
    const missed: string[] = []
    const unexplained: string[] = []
    for (const [n, [, question]] of why.decisions.entries()) {
      const { parts, items } = await firstBlock(hive, question)
      const item = items.find(({ id }) => id === uuid(n + 1))
      if (item === undefined || !parts.join("").includes(`id="${shortId(item.id)}" kind="decision"`))
        missed.push(question)
      else if (!item.reason.startsWith("words: ")) unexplained.push(question)
    }
    expect(why.decisions.length).toBeGreaterThanOrEqual(40)
    expect(missed.length / why.decisions.length, missed.join("\n")).toBeLessThanOrEqual(0.05)
    expect(unexplained).toEqual([])
  })

  it("a message that asks for nothing brings nothing back", async () => {
    const hive = await filled()
    const wrong: string[] = []
    for (const text of why.neutral) {
      const { items } = await firstBlock(hive, text)
      const found = items.filter(({ reason }) => reason.startsWith("words: "))
      if (found.length > 0) wrong.push(`${text}: ${found.map(({ reason }) => reason).join(" | ")}`)
    }
    expect(why.neutral.length).toBeGreaterThanOrEqual(40)
    expect(wrong.length / why.neutral.length, wrong.join("\n")).toBeLessThanOrEqual(0.05)
  })
})

let sessions = 0
async function firstBlock(hive: Hive, text: string): Promise<Injection> {
  const injector = createInjector({
    paths: hivePaths(hive.home),
    evidence: () => undefined,
    files: () => undefined,
    more: "ask",
    onError: (what, error) => {
      throw new Error(what, { cause: error })
    },
  })
  const session = `ses_${++sessions}`
  const messages = [{ id: `msg_${sessions}`, role: "user" as const, text, isCompactionRequest: false }]
  // A turn waits for it only so long, which a busy machine may need for other things.
  await injector.beginRecall(hive, session, text)
  injector.inject(hive, session, messages, undefined, await injector.recalledFor(hive, session, messages))
  return injector.injections(session)[0] as Injection
}

/** Decisions 1 to 20 days old among what else was noted; most of it is past its time and in the archive. */
async function filled() {
  const hive = await fileHive()
  await hive.store.append(by, (tx) => {
    for (const mem of threeWeeks()) tx.add("mem", mem)
  })
  hive.source.seconds = 21 * 24 * 3600
  await hive.store.fold()
  return hive
}

function threeWeeks(): Mem[] {
  const at = (day: number) => new Date(T0 + day * DAY_MS).toISOString()
  const dated = (day: number) => ({ created_at: at(day), updated_at: at(day), stale_at: at(day + 3) })
  const decisions = why.decisions.map(([content], n) =>
    aMem(n + 1, { content, kind: "decision", resolved: true, ...dated(1 + ((n * 7) % 20)) }),
  )
  const { subjects, verbs, causes } = why.noise
  const noise = Array.from({ length: MEMS - decisions.length }, (_, n) => {
    const pick = (list: string[], step: number) => list[(n * step) % list.length] ?? ""
    const content = `${pick(subjects, 7)} ${pick(verbs, 3)} ${pick(causes, 11)}; also seen with ${pick(subjects, 13)} (${n})`
    return aMem(1000 + n, { content, kind: n % 3 === 0 ? "fact" : "insight", ...dated((n * 21) / MEMS) })
  })
  return [...decisions, ...noise]
}
