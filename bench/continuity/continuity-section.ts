import { leavingMems } from "../../src/graph/mem-status.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { playSession } from "../../test/context/inject/oracle/session.ts"
import { askNothing, askWhy, threeWeeksOfWork } from "../../test/context/words/three-weeks.ts"
import { memoryHive } from "../../test/support/hive.ts"
import { figure } from "../figures.ts"
import { readLocomo } from "../recall/locomo.ts"
import { scoreMiniSearch, scoreRecall } from "../recall/retrieval.ts"
import { type Dialogue, playDialogues, readDialogues } from "../rules/memorycode.ts"
import type { Bar, Bench, Findings, Section } from "../section.ts"
import { playCompactions } from "./compactions.ts"

/** What a session still knows of the ones before it. Public data and our own; no model judges. */
export const continuitySection: Section = {
  name: "continuity",
  title: "Continuity from session to session",
  run,
}

interface Part {
  what: string
  score: number | undefined
  /** The same done in the plainest way. */
  instead: string
  bar: Pick<Bar, "atLeast" | "atMost">
}

async function run(bench: Bench): Promise<Findings> {
  const parts = [
    ...(await conversations(bench)),
    ...(await changingRules(bench)),
    ...(await reasons(bench)),
    ...(await compactions(bench)),
    beliefs(bench),
  ]
  return {
    table: {
      head: ["percent", "HiveMind", "instead"],
      rows: parts.map(({ what, score, instead }) => [
        what,
        score === undefined ? "" : figure(score),
        instead,
      ]),
    },
    bars: parts.map(({ what, score, bar }) => ({ what, value: score, unit: "%", ...bar })),
    notes: [
      "LoCoMo: the right turns of old conversations among the first five and ten. MemoryCode: a mentor gives rules and changes them over up to 100 sessions; current and outdated are counted among the rules that were noticed.",
      "Why: 2,000 mems of three weeks, most of them archived; the first block of a new session answers 'why X over Y?'.",
      "Compactions: the real OpenCode with a scripted model; counted are the task at hand and every decision so far, in the first request after each.",
      "Untrue: turns after which something that the model was told and that was never taken back is not so (random sessions; the graph changes before each turn).",
      "bench/README.md says where the public data is to be had.",
    ],
    figures: Object.fromEntries(parts.map(({ what, score }) => [what, score ?? "not measured"])),
  }
}

async function conversations(bench: Bench): Promise<Part[]> {
  const data = readLocomo()
  bench.progress("LoCoMo")
  const [ours, miniSearch] = data === undefined ? [] : [await scoreRecall(data), await scoreMiniSearch(data)]
  return ([5, 10] as const).map((first) => ({
    what: `LoCoMo: found among the first ${first}`,
    score: ours?.[first],
    instead: miniSearch === undefined ? "" : `MiniSearch: ${figure(miniSearch[first])}`,
    bar: { atLeast: first === 5 ? 60 : 68 },
  }))
}

async function changingRules(bench: Bench): Promise<Part[]> {
  const data = readDialogues()
  bench.progress("MemoryCode")
  const played = data === undefined ? undefined : await playDialogues(data, "said")
  const file = data === undefined ? undefined : ruleFile(data)
  return [
    {
      what: "MemoryCode: rules noticed in what the mentor said",
      score: played === undefined ? undefined : (played.caught / played.rules) * 100,
      instead: "",
      bar: { atLeast: 70 },
    },
    {
      what: "MemoryCode: the current rule is shown",
      score: played === undefined ? undefined : (played.current / played.last) * 100,
      instead: file === undefined ? "" : `a file of all rules: ${figure(file.current)}`,
      bar: { atLeast: 95 },
    },
    {
      what: "MemoryCode: an outdated rule is shown",
      score: played === undefined ? undefined : (played.outdated / played.changed) * 100,
      instead: file === undefined ? "" : `a file of all rules: ${figure(file.outdated)}`,
      bar: { atMost: 5 },
    },
  ]
}

/** A file to which every rule is appended, cut to the newest that fit into our block. */
function ruleFile(dialogues: readonly Dialogue[]): { current: number; outdated: number } {
  const counts = { last: 0, current: 0, changed: 0, outdated: 0 }
  for (const { sessions } of dialogues) {
    const rules = sessions.flatMap(({ rules }) => rules)
    let used = 0
    const shown = rules.toReversed().filter(({ text }) => {
      used += text.length + 3
      return used <= BLOCK_CHARACTERS
    })
    for (const number of new Set(rules.map(({ rule }) => rule))) {
      const versions = rules.filter(({ rule }) => rule === number)
      const last = versions.at(-1)?.text
      const older = versions.filter(({ text }) => text !== last)
      counts.last++
      if (shown.some(({ text }) => text === last)) counts.current++
      if (older.length === 0) continue
      counts.changed++
      if (shown.some((each) => older.some(({ text }) => text === each.text))) counts.outdated++
    }
  }
  return {
    current: (counts.current / counts.last) * 100,
    outdated: (counts.outdated / counts.changed) * 100,
  }
}

async function reasons(bench: Bench): Promise<Part[]> {
  bench.progress("why X over Y")
  const { source, ...hive } = memoryHive()
  const dir = bench.folder()
  const store = openFileStore(dir, { source, leaving: leavingMems })
  try {
    const filled = await threeWeeksOfWork({ ...hive, source, home: dir, dir, store })
    const { asked, missed } = await askWhy(filled)
    const neutral = await askNothing(filled)
    return [
      {
        what: "'Why X over Y?' answered in the first block",
        score: ((asked - missed.length) / asked) * 100,
        instead: "",
        bar: { atLeast: 95 },
      },
      {
        what: "messages that ask nothing, answered all the same",
        score: (neutral.wrong.length / neutral.asked) * 100,
        instead: "",
        bar: { atMost: 5 },
      },
    ]
  } finally {
    await store.close()
  }
}

async function compactions(bench: Bench): Promise<Part[]> {
  const { known, told } = await playCompactions(bench, bench.isQuick ? 2 : 20)
  return [
    {
      what: "20 compactions: facts still told after each",
      score: (told / known) * 100,
      instead: "",
      bar: { atLeast: 100 },
    },
  ]
}

function beliefs(bench: Bench): Part {
  const sessions = bench.isQuick ? 2 : 40
  bench.progress(`${sessions} random sessions of ${TURNS} turns`)
  let untrue = 0
  for (let seed = 1; seed <= sessions; seed++) untrue += playSession(seed + 5000, TURNS, true).length
  return {
    what: "turns after which the model believes something untrue",
    score: (untrue / (sessions * TURNS)) * 100,
    instead: "",
    bar: { atMost: 0 },
  }
}

const TURNS = 45
// 6,000 tokens, as in the default config, at some four characters each.
const BLOCK_CHARACTERS = 24_000
