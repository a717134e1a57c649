import { readFileSync } from "node:fs"
import type { Injection } from "../../../src/context/inject/record.ts"
import type { Hive } from "../../../src/hive/hive.ts"
import type { Mem } from "../../../src/schemas/knowledge.ts"
import { shortId } from "../../../src/shared/ids.ts"
import type { memoryHive } from "../../support/hive.ts"
import { aMem, by, T0, uuid } from "../../support/records.ts"
import { injectorIn, userMessage } from "../at-work.ts"

interface Why {
  decisions: [text: string, question: string][]
  neutral: string[]
  noise: { subjects: string[]; verbs: string[]; causes: string[] }
}

const why: Why = JSON.parse(readFileSync(new URL("../../fixtures/recall/why.json", import.meta.url), "utf8"))
const DAY_MS = 24 * 3_600_000
const MEMS = 2000

/** Asks each decision's question in a session of its own. `missed`: the block lacks the decision; `unexplained`: it does not say why it has it. */
export async function askWhy(hive: Hive) {
  const missed: string[] = []
  const unexplained: string[] = []
  for (const [n, [, question]] of why.decisions.entries()) {
    const { parts, items } = await firstBlock(hive, question)
    const item = items.find(({ id }) => id === uuid(n + 1))
    if (item === undefined || !parts.join("").includes(`id="${shortId(item.id)}" kind="decision"`))
      missed.push(question)
    else if (!item.reason.startsWith("words: ")) unexplained.push(question)
  }
  return { asked: why.decisions.length, missed, unexplained }
}

/** Messages that ask for nothing: those after which the first block brings something back, and what. */
export async function askNothing(hive: Hive) {
  const wrong: string[] = []
  for (const text of why.neutral) {
    const { items } = await firstBlock(hive, text)
    const found = items.filter(({ reason }) => reason.startsWith("words: "))
    if (found.length > 0) wrong.push(`${text}: ${found.map(({ reason }) => reason).join(" | ")}`)
  }
  return { asked: why.neutral.length, wrong }
}

let sessions = 0
async function firstBlock(hive: Hive, text: string): Promise<Injection> {
  const injector = injectorIn(hive.home)
  const session = `ses_${++sessions}`
  const messages = [userMessage(`msg_${sessions}`, text)]
  // A turn waits for it only so long, which a busy machine may need for other things.
  await injector.beginRecall(hive, session, text)
  injector.inject(hive, session, messages, undefined, await injector.recalledFor(hive, session, messages))
  return injector.injections(session)[0] as Injection
}

/** Decisions 1 to 20 days old among what else was noted; most of it is past its time and in the archive. */
export async function threeWeeksOfWork(hive: ReturnType<typeof memoryHive>) {
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
