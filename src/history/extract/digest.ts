import type { Pausing } from "../../shared/slices.ts"
import { shorten } from "../../shared/text/clean.ts"
import { isApproval, saysGoOn } from "../../shared/text/corrections.ts"
import type { CallStep, Step, Steps } from "../read/step.ts"
import { type Candidate, candidateFrom, candidatesHeard, candidatesSaid, outcomeSaid } from "./candidates.ts"
import { type CommandRuns, createRunTracker } from "./runs.ts"

export interface Digest {
  began: string
  ended: string
  branch: string | null
  candidates: Candidate[]
  commands: CommandRuns[]
  endedRules: string[]
  edited: string[]
  installed: string[]
}

/** Collects candidates, files and commands from a session's steps. Also passes every step to `take`. */
export function* digestSession(steps: Steps, take: (step: Step) => void): Pausing<Digest> {
  const runs = createRunTracker()
  const [edited, installed] = [new Set<string>(), new Set<string>()]
  let [began, ended, asked] = ["", "", ""]
  let branch: string | null = null
  let candidates: Candidate[] = []
  const endedRules: string[] = []
  /** Candidates since the user's last message. The user's next message confirms or rejects them. */
  let open: Candidate[] = []
  let hasEdited = false
  let outcome: Candidate | undefined
  let [commit, todos]: [string, CallStep | undefined] = ["", undefined]

  for (const step of steps) {
    yield
    if (step === undefined) continue
    take(step)
    began ||= step.at
    ended = step.at || ended
    branch ??= step.branch
    if (step.what === "user") {
      const heard = candidatesHeard(step, asked)
      asked = step.text
      const isDoubted = heard.found.some(({ kind }) => kind === "correction") || DOUBTS.test(asked)
      const isConfirmed = CONFIRMS.test(asked) || isApproval(asked) || saysGoOn(asked)
      closeWork(isConfirmed ? 2 : isDoubted ? -3 : 0)
      keep(heard.found)
      endedRules.push(...heard.ended)
    } else if (step.what === "say") {
      const found = candidatesSaid(step)
      // A newer statement replaces earlier ones of the same kind, because the agent knew less when it made them.
      open = [...open.filter(({ kind }) => !found.some((each) => each.kind === kind)), ...found]
      outcome = outcomeSaid(step) ?? outcome
    } else if (step.kind === "edit") {
      hasEdited = true
      for (const file of step.files) if (file !== "" && edited.size < MAX_FILES) edited.add(file)
      runs.edited(step.files)
    } else if (step.kind === "run") {
      for (const name of installedBy(step.command)) installed.add(name)
      if (step.isOk === true) commit = COMMITTED.exec(step.output)?.[1] ?? commit
      keep([runs.ran(step) ?? []].flat())
    } else if (step.kind === "todo") todos = step
  }
  closeWork(0)
  const files = [...edited]
  if (outcome !== undefined && files.length > 0) keep([withCommit(outcome, commit, files)])
  keep(openEnds(todos))
  for (const each of candidates)
    if (each.files.length === 0)
      each.files = files.filter((file) => each.text.includes(file.slice(file.lastIndexOf("/") + 1)))
  const commands = runs.commands()
  return { began, ended, branch, candidates, commands, endedRules, edited: files, installed: [...installed] }

  function keep(found: readonly Candidate[]): void {
    candidates = [...candidates, ...found].sort((a, b) => b.worth - a.worth).slice(0, MAX_CANDIDATES)
  }

  function closeWork(change: number): void {
    // The agent's statements are worth more if it also edited files in the same turn.
    keep(open.map((each) => ({ ...each, worth: each.worth + change + Number(hasEdited) })))
    open = []
    hasEdited = false
  }
}

function withCommit(outcome: Candidate, commit: string, files: readonly string[]): Candidate {
  if (commit === "") return outcome
  const text = `${shorten(commit, 120)}: ${outcome.text}`
  return { ...outcome, text, files: files.slice(0, 8), worth: outcome.worth + 1 }
}

function openEnds(step: CallStep | undefined): Candidate[] {
  const left = step?.todos.filter(({ isDone, text }) => !isDone && text !== "") ?? []
  if (step === undefined || left.length === 0 || left.length === step.todos.length) return []
  const texts = left.slice(0, 5).map(({ text }) => shorten(text, 100))
  return [candidateFrom(step, { kind: "open", text: `Left open: ${texts.join("; ")}`, worth: 5 })]
}

function installedBy(command: string): string[] {
  const [, words = ""] = INSTALLS.exec(command) ?? []
  return words.split(/\s+/).flatMap((word) => /^(@?[a-z][\w./-]*?)(?:@[\w.^~-]+)?$/i.exec(word)?.[1] ?? [])
}

const CONFIRMS =
  /^\W*(?:yes|yep|yeah|right|exactly|correct|indeed),? (?:that|it|this) (?:was|is|did|works?|fixed)\b|\bthat (?:was it|fixed it|works|helped)\b/i
const DOUBTS =
  /\bi'm (?:not sure|questioning|not sold)\b|\bare you sure\b|\bbut (?:why|this|that|we)\b|^(?:but|hmm|no)\b/i
const INSTALLS =
  /\b(?:npm (?:i|install|add)|pnpm add|yarn add|bun add|pip3? install|uv add|poetry add|cargo add|go get|gem install|bundle add)((?: (?!-)[^\s;&|]+| -[\w-]+)+)/
const COMMITTED = /^\[\S+(?: \(root-commit\))? [0-9a-f]{7,}\] (.+)$/m
// The most candidates kept of one session. Fewer are imported: some are duplicates or outdated.
const MAX_CANDIDATES = 12
const MAX_FILES = 500
