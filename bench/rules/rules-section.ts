import { existsSync, readFileSync } from "node:fs"
import { findRules } from "../../src/knowledge/rules/find-rules.ts"
import { dataFile } from "../data.ts"
import { count, figure } from "../figures.ts"
import type { Bench, Findings, Section } from "../section.ts"
import { type Played, playDialogues, readDialogues } from "./memorycode.ts"

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

function notHere(): Findings {
  return {
    table: { head: [], rows: [] },
    bars: [{ what: "rules caught", value: undefined, unit: "%" }],
    notes: ["The recorded prompts and MemoryCode are not here; bench/README.md says where they belong."],
    figures: {},
  }
}

const PROMPTS = dataFile("prompts-dev.jsonl")
