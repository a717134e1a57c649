import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { budgetFor } from "../../src/context/pack/fit-block.ts"
import { pack } from "../../src/context/pack/pack.ts"
import { keepRules } from "../../src/knowledge/memory/keep-rules.ts"
import { saveAndCompare } from "../../src/knowledge/memory/save.ts"
import { findRules } from "../../src/knowledge/rules/find-rules.ts"
import { memoryHive } from "../../test/support/hive.ts"
import { dataFile } from "../data.ts"

/** The dialogues of MemoryCode: a clone of its repository, or the reshaped half; undefined where neither is there. */
export function readDialogues(): Dialogue[] | undefined {
  const published = dataFile("MemoryCode", "dataset")
  if (existsSync(published)) return readdirSync(published).map((name) => reshaped(join(published, name)))
  const half = dataFile("memorycode-dev.jsonl.xz")
  if (!existsSync(half)) return undefined
  const text = execFileSync("xzcat", [half], { maxBuffer: 1 << 30 }).toString()
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
}

function reshaped(file: string): Dialogue {
  const { context, instructions, sessions }: Published = JSON.parse(readFileSync(file, "utf8"))
  return {
    sessions: sessions.map(({ type, topic, session_eval_query, text }, n) => ({
      said: text.split("\n\n").map((turn) => {
        const [, who = "", words = turn] = /^([^:]+): ([\s\S]*)$/.exec(turn) ?? []
        return [who === context.mentor ? "user" : "agent", words]
      }),
      rules: topic
        .filter((_, each) => type[each]?.startsWith("instruction") === true)
        .map((text, each) => {
          const [rule = Number.NaN, version = 0] = instructions[n]?.[each] ?? []
          return { rule, version, text, ask: session_eval_query[each] ?? "" }
        }),
    })),
  }
}

/** A file of MemoryCode as it is published. */
interface Published {
  context: { mentor: string }
  /** By session: the number and the version of each instruction given in it. */
  instructions: [rule: number, version: number][][]
  sessions: { type: string[]; topic: string[]; session_eval_query: string[]; text: string }[]
}

/** A coding rule that the mentor gives in a session. A later one with the same number replaces it. */
interface Rule {
  rule: number
  version: number
  text: string
  /** A request for code to which it applies. */
  ask: string
}
export interface Dialogue {
  sessions: { said: ["user" | "agent", string][]; rules: Rule[] }[]
}

export interface Played {
  how: "said" | "saved"
  rules: number
  caught: number
  last: number
  current: number
  changed: number
  outdated: number
}

/** `said`: the user's messages alone. `saved`: an agent saves every rule, in its canonical wording. */
export async function playDialogues(dialogues: readonly Dialogue[], how: Played["how"]): Promise<Played> {
  const played: Played = { how, rules: 0, caught: 0, last: 0, current: 0, changed: 0, outdated: 0 }
  for (const { sessions } of dialogues) {
    const hive = memoryHive()
    const known = new Map<number, Rule[]>()
    for (const [n, { said, rules }] of sessions.entries()) {
      const caller = { session: `ses_${n}`, agent: "build", tool: "bench" }
      const kept: string[] = []
      if (how === "saved")
        for (const { text } of rules)
          kept.push((await saveAndCompare(hive, caller, { content: text, kind: "rule" })).mem.content)
      else
        for (const [, text] of said.filter(([who]) => who === "user")) {
          kept.push(...findRules(text).certain)
          await keepRules(hive, caller, { text, id: null })
        }
      played.rules += rules.length
      for (const rule of rules) {
        if (!kept.some((text) => isAbout(text, rule.text))) continue
        played.caught++
        known.set(rule.rule, [...(known.get(rule.rule) ?? []), rule])
      }
    }
    const { state } = hive.store.read()
    const shownFor = (ask: string): string[] =>
      pack(state, undefined, {
        now: hive.source.now(),
        budget: budgetFor(200_000),
        message: `Write a ${ask}`,
      })
        .items.filter(({ role }) => role === "rule")
        .map(({ text }) => text.replaceAll("&apos;", "'").replaceAll("&quot;", '"'))
    for (const versions of known.values()) {
      const last = versions.at(-1) as Rule
      const shown = shownFor(last.ask)
      const older = versions.filter(({ text }) => text !== last.text)
      played.last++
      if (shown.some((text) => isAbout(text, last.text))) played.current++
      if (older.length === 0) continue
      played.changed++
      if (shown.some((text) => older.some((each) => isAbout(text, each.text)) && !isAbout(text, last.text)))
        played.outdated++
    }
  }
  return played
}

/** True where a text names the same thing as a rule's canonical wording, with the same value. */
function isAbout(text: string, canonical: string): boolean {
  const [said, wanted] = [text.toLowerCase(), canonical.toLowerCase()]
  const values = [...wanted.matchAll(/'([^']+)'/g)].map(([, value = ""]) => value)
  const words = (wanted.match(/[a-z_0-9]{4,}/g) ?? []).filter((word) => !COMMON.has(word))
  const shared = words.filter((word) => said.includes(word.slice(0, 5)))
  return (
    namedIn(said) === namedIn(wanted) &&
    values.every((value) => said.includes(value)) &&
    shared.length >= Math.ceil(words.length * 0.6)
  )
}

function namedIn(text: string): string {
  const plain = text
    .replace(/beginn?(?:ing)?|prefix/g, "start")
    .replace(/suffix/g, "end")
    .replace(/start(?:ing)? (\w+ing)/g, "$1")
  const found = new Set(plain.match(NAMED))
  if (found.has("argument")) for (const each of ["function", "variable"]) found.delete(each)
  return [...found].sort().join(" ")
}

const COMMON = new Set(["always", "your", "code", "names", "even", "used"])
const NAMED =
  /function|method|variable|attribute|argument|class|start|\bend|module|decorator|docstring|annotation|try|assert|comment|digit/g
