import MiniSearch from "minisearch"
import { applyOp } from "../../src/graph/state.ts"
import { recall } from "../../src/knowledge/recall/recall.ts"
import { defaultConfig } from "../../src/schemas/config.ts"
import { mem as memSchema } from "../../src/schemas/knowledge.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { openMemoryStore } from "../../test/support/memory-store.ts"
import { type Conversation, memId, turnMem } from "./locomo.ts"

/** The share of the right turns among the first 1, 5 and 10, in percent, mean over the questions. */
export interface Scores {
  1: number
  5: number
  10: number
}

type Search = (question: string) => Promise<string[]> | string[]

/** How well HiveMind's recall finds the turns that answer a question. */
export function scoreRecall(conversations: readonly Conversation[]): Promise<Scores> {
  return score(conversations, ({ name, turns }) => {
    const store = openMemoryStore(systemSource)
    // Put in as they are: the tasks that stand for sessions are not there, and a write would ask for them.
    for (const [n, turn] of turns.entries())
      applyOp(store.read().state, {
        op: "add",
        kind: "mem",
        record: memSchema.parse(turnMem(name, turn, turns[n - 1])),
      })
    const hive = {
      home: "",
      dir: "",
      branch: () => null,
      store,
      config: defaultConfig,
      source: systemSource,
      ...NO_HOST,
    }
    const turnOf = new Map(turns.map(({ id }) => [memId(name, id), id]))
    return async (question) => (await recall(hive, question)).map(({ mem }) => turnOf.get(mem.id) ?? "")
  })
}

/** The same with MiniSearch as it comes. */
export function scoreMiniSearch(conversations: readonly Conversation[]): Promise<Scores> {
  return score(conversations, ({ turns }) => {
    const search = new MiniSearch<{ id: string; text: string }>({ fields: ["text"] })
    search.addAll(turns.map(({ id, text }) => ({ id, text })))
    return (question) => search.search(question).map(({ id }) => String(id))
  })
}

async function score(
  conversations: readonly Conversation[],
  open: (conversation: Conversation) => Search,
): Promise<Scores> {
  const sums: Scores = { 1: 0, 5: 0, 10: 0 }
  let questions = 0
  for (const conversation of conversations) {
    const search = open(conversation)
    for (const { text, answers } of conversation.questions) {
      const found = await search(text)
      questions++
      for (const k of [1, 5, 10] as const) {
        const first = new Set(found.slice(0, k))
        sums[k] += answers.filter((answer) => first.has(answer)).length / answers.length
      }
    }
  }
  return { 1: (100 * sums[1]) / questions, 5: (100 * sums[5]) / questions, 10: (100 * sums[10]) / questions }
}

const NO_HOST = { endSession: async () => {}, startSession: async () => "" }
