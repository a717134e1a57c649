import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ALL } from "../../graph/indexes.ts"
import type { Caller, Hive } from "../../hive/hive.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { derivedId } from "../../shared/ids.ts"
import type { MessageContext } from "../../shared/text/corrections.ts"
import { type SessionCaller, writeGraph } from "../../work/write.ts"
import { findRelated } from "../rules/find-related.ts"
import { findRules, instructionIn } from "../rules/find-rules.ts"
import { isAboutSame, relationOf } from "../rules/same-subject.ts"
import { memByRule } from "./by-rule.ts"
import { purgeMems } from "./change.ts"
import { addCompared, type SavedMem } from "./save.ts"

export interface HeardRules {
  ended: Mem[]
  kept: SavedMem[]
  /** A sentence that may be a rule: the model is asked to save it if it is one. */
  possible: string | undefined
}

export interface HeardMessage extends MessageContext {
  text: string
  id: string | null
}

/** Saves the standing instructions in a user's message as rules. A rule that a person removed is not saved again. */
export async function keepRules(
  hive: Hive,
  caller: SessionCaller,
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
  caller: SessionCaller,
  sentence: string,
  message: string | null,
): Promise<SavedMem | undefined> {
  const { store, source } = hive
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
  // A rule that was replaced and that the user states again becomes a new record.
  const id = before === undefined ? first : derivedId("said", `${words} ${message ?? source.now()}`)
  const rule = memByRule(hive, new Date(source.now()).toISOString(), {
    id,
    shelf: "rules",
    origin: "said",
    kind: "rule",
    content: sentence,
    scope: scopeIn(sentence),
    session_id: caller.session,
    evidence: message === null ? [] : [`message ${message}`],
  })
  return addCompared(hive, caller, { ...rule, confidence: 1 }, related)
}

/** The id of a rule depends only on its words, so that a removed rule is recognised. */
export const saidRuleId = (sentence: string): string => derivedId("said", wordsIn(sentence))

function wordsIn(sentence: string): string {
  return (
    sentence
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+/gu)
      ?.join(" ") ?? sentence
  )
}

async function endRules(hive: Hive, caller: Caller, text: string): Promise<Mem[]> {
  const rules = [...hive.store.read().state.mem.by("rule", ALL)].filter(({ content }) =>
    isAboutSame(text, content),
  )
  if (rules.length === 0) return []
  const reason = "The user ended this rule."
  await writeGraph(hive, caller, (tx, updated_at) => {
    for (const { id } of rules) tx.set("mem", id, { status: "superseded", reason, updated_at })
  })
  return rules
}

/** Marks a rule that the user repeats in another session: it was not followed, so it comes first from now on. */
async function noteRepeated(
  hive: Hive,
  caller: Caller,
  { id, tags, session_id, origin }: Mem,
): Promise<void> {
  const isFound = origin === "history"
  if (!isFound && (session_id === caller.session || tags.includes(REPEATED))) return
  // The user's own words confirm a rule that was found in a past session.
  const confirmed = { origin: "said", confidence: 1, session_id: caller.session } as const
  const to = isFound ? confirmed : { tags: [...tags, REPEATED] }
  await writeGraph(hive, caller, (tx, updated_at) => tx.set("mem", id, { ...to, updated_at }))
}

/** Returns the scope that a rule names: "in tests", "in packages/web", "for class names". */
export function scopeIn(sentence: string): string | null {
  const [, path] =
    /\b(?:in|under|inside|for) [`"']?([\w.@-]*\/[\w./@*-]*[\w/*]|\*\.\w+)/i.exec(sentence) ?? []
  return path ?? SCOPE.exec(sentence)?.[1]?.toLowerCase() ?? null
}

export const REPEATED = "repeated"
const SCOPE =
  /\b((?:in|for|when writing) (?:(?:unit |integration |e2e |our |your |the )?(?:tests?|migrations|docs|documentation|commit messages|pull requests|PRs|comments)|TypeScript|JavaScript|Python|Go|Rust|Java|Kotlin|Ruby|PHP|SQL|CSS|Swift|Bash))\b/i

/** Files with a project's rules for all agents. The host already shows them to the model. */
const RULE_FILES = ["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".cursorrules", ".github/copilot-instructions.md"]

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
    return [] // The file does not exist: most projects have at most one of these files.
  }
  return text
    .split(/\n|(?<=[.!?])\s+/)
    .map((line) => line.replace(/^\s*(?:[-*+]|\d+[.)])\s+/, "").trim())
    .filter((line) => line !== "")
}

const MAX_CHARS = 60_000

export const listRules = ({ store }: Hive): Mem[] => [...store.read().state.mem.by("rule", ALL).backwards()]

/** Purges the newest rule that the user said, preferably in this session. Undefined if there is none. */
export async function forgetLastRule(hive: Hive, caller: SessionCaller): Promise<Mem | undefined> {
  const said = listRules(hive).filter(({ origin }) => origin === "said")
  const last = said.find(({ session_id }) => session_id === caller.session) ?? said[0]
  if (last !== undefined) await purgeMems(hive, caller, { mem_id: last.id })
  return last
}

/** Returns a file's text with the rules between `BEGIN` and `END`: in place of the earlier section, else at the end. */
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
