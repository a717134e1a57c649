import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ALL } from "../../graph/indexes.ts"
import { sessionOf } from "../../graph/read-head.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { derivedId } from "../../shared/ids.ts"
import { stampOf } from "../../shared/stamp.ts"
import { findRelated } from "../rules/find-related.ts"
import { findRules, instructionIn } from "../rules/find-rules.ts"
import { isAboutSame, relationOf } from "../rules/same-subject.ts"
import { memByRule } from "./by-rule.ts"
import { purgeMems } from "./change.ts"
import { addCompared, type SavedMem } from "./save.ts"

export interface HeardRules {
  /** Rules that the user has ended. */
  ended: Mem[]
  /** Kept from this message, each with what it replaced. */
  kept: SavedMem[]
  /** A sentence that may be a rule: the model is asked to save it if it is one. */
  possible: string | undefined
}

export interface HeardMessage {
  text: string
  /** The host's id of the message; null where it has none. */
  id: string | null
  /** The user typed it while rejecting a call. */
  rejectsCall?: boolean
  /** The agent had asked. */
  isAnswer?: boolean
}

/** Keeps the standing instructions in what the user typed. One that a person has removed is not kept again. */
export async function keepRules(
  hive: Hive,
  caller: Caller & { session: string },
  message: HeardMessage,
): Promise<HeardRules> {
  if (!hive.store.isThere()) return { ended: [], kept: [], possible: undefined }
  const { certain, ended: endings, possible } = findRules(message.text, message)
  const ended: Mem[] = []
  for (const text of endings) ended.push(...(await endRules(hive, caller, text)))
  const kept: SavedMem[] = []
  for (const sentence of certain) {
    const saved = await keepRule(hive, caller, sentence, message.id)
    if (saved !== undefined) kept.push(saved)
  }
  return { ended, kept, possible }
}

async function keepRule(
  hive: Hive,
  caller: Caller & { session: string },
  sentence: string,
  message: string | null,
): Promise<SavedMem | undefined> {
  const { store, source, config } = hive
  const { state } = store.read()
  const related = findRelated(state, sentence, "rule")
  const [same] = related.same
  if (same !== undefined) {
    await noteRepeated(hive, caller, same)
    return undefined
  }
  const words = wordsIn(sentence)
  const first = saidRuleId(sentence)
  const before = state.mem.get(first) ?? store.archive.get(first)
  if (before !== undefined && before.status !== "superseded") return undefined
  if (isStatedInProject(hive.dir, sentence)) return undefined
  // Back to a rule that another one had replaced: it is a new rule.
  const id = before === undefined ? first : derivedId("said", `${words} ${message ?? source.now()}`)
  const now = source.now()
  const rule = memByRule(
    {
      id,
      shelf: "rules",
      origin: "said",
      kind: "rule",
      content: sentence,
      scope: scopeIn(sentence),
      session_id: caller.session,
      evidence: message === null ? [] : [`message ${message}`],
      stamp: sessionOf(state, caller.session)?.stamp ?? stampOf(now),
    },
    new Date(now).toISOString(),
    config.stale_after_hours,
  )
  return addCompared(hive, caller, { ...rule, confidence: 1 }, related)
}

/** The id of a rule by its words: one that a person has removed is known by it. */
export function saidRuleId(sentence: string): string {
  return derivedId("said", wordsIn(sentence))
}

function wordsIn(sentence: string): string {
  const words = sentence.toLowerCase().match(/[\p{L}\p{N}_]+/gu)
  return words?.join(" ") ?? sentence
}

async function endRules({ store, source }: Hive, caller: Caller, text: string): Promise<Mem[]> {
  const rules = [...store.read().state.mem.by("rule", ALL)].filter(({ content }) =>
    isAboutSame(text, content),
  )
  if (rules.length === 0) return []
  const updated_at = new Date(source.now()).toISOString()
  const reason = "The user ended it."
  await store.write(authorOf(caller), (tx) => {
    for (const { id } of rules) tx.set("mem", id, { status: "superseded", reason, updated_at })
  })
  return rules
}

/** Said again in another session: it comes first from now on, because it was not followed. */
async function noteRepeated(
  { store, source }: Hive,
  caller: Caller,
  { id, tags, session_id, origin }: Mem,
): Promise<void> {
  const updated_at = new Date(source.now()).toISOString()
  // What was found in a past session is the user's word now.
  const confirmed = { origin: "said", confidence: 1, session_id: caller.session, updated_at } as const
  if (origin === "history") await store.write(authorOf(caller), (tx) => tx.set("mem", id, confirmed))
  if (origin === "history" || session_id === caller.session || tags.includes(REPEATED)) return
  await store.write(authorOf(caller), (tx) => tx.set("mem", id, { tags: [...tags, REPEATED], updated_at }))
}

/** "in tests", "in packages/web", "for class names": where a rule holds, as far as its words say. */
export function scopeIn(sentence: string): string | null {
  const [, path] =
    /\b(?:in|under|inside|for) [`"']?([\w.@-]*\/[\w./@*-]*[\w/*]|\*\.\w+)/i.exec(sentence) ?? []
  if (path !== undefined) return path
  const [, place] = SCOPE.exec(sentence) ?? []
  return place?.toLowerCase() ?? null
}

/** Of a rule that the user had to say again. */
export const REPEATED = "repeated"
const SCOPE =
  /\b((?:in|for|when writing) (?:(?:unit |integration |e2e |our |your |the )?(?:tests?|migrations|docs|documentation|commit messages|pull requests|PRs|comments)|TypeScript|JavaScript|Python|Go|Rust|Java|Kotlin|Ruby|PHP|SQL|CSS|Swift|Bash))\b/i

/** Files in which a project tells every agent its rules. Their host shows them to the model already. */
const RULE_FILES = ["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".cursorrules", ".github/copilot-instructions.md"]

/** True where one of the project's own instruction files says the same. */
export function isStatedInProject(dir: string, sentence: string): boolean {
  return RULE_FILES.some((file) =>
    linesOf(join(dir, file)).some((line) => relationOf(sentence, line) === "same"),
  )
}

function linesOf(path: string): string[] {
  let text: string
  try {
    text = readFileSync(path, "utf8").slice(0, MAX_CHARS)
  } catch {
    return [] // Most projects have one of these files at most.
  }
  return text
    .split(/\n|(?<=[.!?])\s+/)
    .map((line) => line.replace(/^\s*(?:[-*+]|\d+[.)])\s+/, "").trim())
    .filter((line) => line !== "")
}

const MAX_CHARS = 60_000

export function listRules({ store }: Hive): Mem[] {
  return [...store.read().state.mem.by("rule", ALL).backwards()]
}

/** Drops the rule that was noted last, of those said in the session or in any. Undefined where there is none. */
export async function forgetLastRule(
  hive: Hive,
  caller: Caller & { session: string },
): Promise<Mem | undefined> {
  const said = listRules(hive).filter(({ origin }) => origin === "said")
  const last = said.find(({ session_id }) => session_id === caller.session) ?? said[0]
  if (last !== undefined) await purgeMems(hive, caller, { mem_id: last.id })
  return last
}

/** A file's text with the rules between two marks: in place of what stood there, else at its end. */
export function textWithRules(text: string, rules: readonly Pick<Mem, "content" | "scope">[]): string {
  const lines = rules.map(({ content, scope }) => {
    const rule = instructionIn(content)
    return `- ${scope === null || rule.includes(scope) ? rule : `${rule} (${scope})`}`
  })
  const section = [BEGIN, "## Rules", "", ...lines, END].join("\n")
  const start = text.indexOf(BEGIN)
  const end = text.indexOf(END)
  if (start >= 0 && end > start) return `${text.slice(0, start)}${section}${text.slice(end + END.length)}`
  return text.trim() === "" ? `${section}\n` : `${text.trimEnd()}\n\n${section}\n`
}

const BEGIN = "<!-- hivemind rules: begin -->"
const END = "<!-- hivemind rules: end -->"
