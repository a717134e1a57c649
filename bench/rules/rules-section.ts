import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { pack } from "../../src/context/pack/pack.ts"
import { keepRules } from "../../src/knowledge/memory/keep-rules.ts"
import { saveAndCompare } from "../../src/knowledge/memory/save.ts"
import { findRules } from "../../src/knowledge/rules/find-rules.ts"
import { memoryHive } from "../../test/support/hive.ts"
import { count, figure } from "../figures.ts"
import type { Bench, Findings, Section } from "../section.ts"

/** How many of the user's standing instructions are caught, followed and replaced. */
export const rulesSection: Section = { name: "rules", title: "The user's standing instructions", run }

async function run(bench: Bench): Promise<Findings> {
  const prompts = readPrompts()
  const dialogues = readDialogues()
  if (prompts === undefined || dialogues === undefined) return notHere()
  bench.progress(`${prompts.length} real prompts`)
  const real = judgePrompts(prompts)
  bench.progress(`${dialogues.length} dialogues of MemoryCode`)
  const said = await playDialogues(dialogues, "said")
  const saved = await playDialogues(dialogues, "saved")
  const share = (part: number, whole: number) => (part / whole) * 100
  const caught = share(said.caught, said.rules)
  return {
    table: {
      head: ["", "rules in the end", "current one in the block", "changed rules", "outdated one shown"],
      rows: [said, saved].map((played) => [
        played.how,
        count(played.last),
        `${figure(share(played.current, played.last))} %`,
        count(played.changed),
        `${figure(share(played.outdated, played.changed))} %`,
      ]),
    },
    bars: [
      {
        what: "real prompts: kept wrongly, of 100 prompts",
        value: share(real.keptWrongly, prompts.length),
        unit: "",
        atMost: 0.5,
      },
      {
        what: "real prompts: rules kept or asked about",
        value: share(real.rulesCovered, real.rules),
        unit: "%",
        atLeast: 60,
      },
      {
        what: "real prompts: corrections kept or asked about",
        value: share(real.correctionsCovered, real.corrections),
        unit: "%",
        atLeast: 35,
      },
      {
        what: "real prompts with the asking line",
        value: share(real.asked, prompts.length),
        unit: "%",
        atMost: 12,
      },
      { what: "MemoryCode: rules caught from the user's words", value: caught, unit: "%", atLeast: 70 },
      ...[said, saved].flatMap(({ how, current, last, outdated, changed }) => [
        {
          what: `MemoryCode, ${how}: current rule in the block`,
          value: share(current, last),
          unit: "%",
          atLeast: 95,
        },
        {
          what: `MemoryCode, ${how}: outdated rule shown`,
          value: share(outdated, changed),
          unit: "%",
          atMost: 5,
        },
      ]),
    ],
    notes: [
      `Real prompts: ${real.rulesKept} of ${real.rules} labelled rules kept at once, ${real.rulesCovered} by either way; ${real.correctionsCovered} of ${real.corrections} corrections; ${real.keptWrongly} prompts kept wrongly; the line on ${real.asked} of ${prompts.length}.`,
      `MemoryCode: ${said.caught} of ${said.rules} rules caught. Current and outdated are counted among rules that were caught or saved.`,
      "A rule's telling part is what its canonical wording quotes, together with what is named; another rule with the same value is another rule.",
    ],
    figures: {
      real_prompts: { ...real, prompts: prompts.length },
      said: figuresOf(said),
      saved: figuresOf(saved),
    },
  }
}

interface Prompt {
  text: string
  rules: unknown[]
  correction?: string
}

function judgePrompts(prompts: readonly Prompt[]) {
  const result = {
    rules: 0,
    rulesKept: 0,
    rulesCovered: 0,
    corrections: 0,
    correctionsCovered: 0,
    keptWrongly: 0,
    asked: 0,
  }
  for (const { text, rules, correction } of prompts) {
    const { certain, possible } = findRules(text)
    const isCovered = certain.length > 0 || possible !== undefined
    if (possible !== undefined) result.asked++
    if (rules.length > 0) result.rules++
    if (rules.length > 0 && certain.length > 0) result.rulesKept++
    if (rules.length > 0 && isCovered) result.rulesCovered++
    if (rules.length === 0 && certain.length > 0) result.keptWrongly++
    if (correction !== undefined) result.corrections++
    if (correction !== undefined && isCovered) result.correctionsCovered++
  }
  return result
}

interface Rule {
  rule: number
  version: number
  text: string
  /** A request for code to which it applies. */
  ask: string
}
interface Dialogue {
  sessions: { said: ["user" | "agent", string][]; rules: Rule[] }[]
}

interface Played {
  how: "said" | "saved"
  rules: number
  caught: number
  last: number
  current: number
  changed: number
  outdated: number
}

/** `said`: the user's messages alone. `saved`: an agent saves every rule, in its canonical wording. */
async function playDialogues(dialogues: readonly Dialogue[], how: Played["how"]): Promise<Played> {
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
        model: { window: 200_000 },
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

function figuresOf({ how: _, ...figures }: Played) {
  return figures
}

function readPrompts(): Prompt[] | undefined {
  return existsSync(PROMPTS)
    ? readFileSync(PROMPTS, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
    : undefined
}

function readDialogues(): Dialogue[] | undefined {
  if (!existsSync(DIALOGUES)) return undefined
  const text = execFileSync("xzcat", [DIALOGUES], { maxBuffer: 1 << 30 }).toString()
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
}

function notHere(): Findings {
  return {
    table: { head: [], rows: [] },
    bars: [{ what: "rules caught", value: undefined, unit: "%" }],
    notes: ["The recorded prompts and MemoryCode are not here; bench/README.md says where they belong."],
    figures: {},
  }
}

const DATA = new URL("../../../shared/bench/", import.meta.url)
const PROMPTS = fileURLToPath(new URL("prompts-dev.jsonl", DATA))
const DIALOGUES = fileURLToPath(new URL("memorycode-dev.jsonl.xz", DATA))
const COMMON = new Set(["always", "your", "code", "names", "even", "used"])
const NAMED =
  /function|method|variable|attribute|argument|class|start|\bend|module|decorator|docstring|annotation|try|assert|comment|digit/g
