import type { Pausing } from "../../shared/slices.ts"
import { shorten } from "../../shared/text/clean.ts"
import { isApproval, saysGoOn } from "../../shared/text/corrections.ts"
import type { Step, Steps } from "../read/step.ts"
import { candidatesSaid, outcomeSaid, pick } from "./agent-says.ts"
import type { Candidate } from "./candidate.ts"
import { type CommandRuns, createRunTracker } from "./runs.ts"
import { candidatesHeard } from "./user-says.ts"

/** All that a session taught. */
export interface Digest {
  began: string
  ended: string
  branch: string | null
  steps: number
  candidates: Candidate[]
  commands: CommandRuns[]
  endedRules: string[]
  /** Changed files, as the agent named them. */
  edited: string[]
  /** Names of packages that were installed. */
  installed: string[]
}

/** Reads a session once, in order, and keeps little of it. Every step is also given to `take`. */
export function* digestSession(steps: Steps, take: (step: Step) => void): Pausing<Digest> {
  const runs = createRunTracker()
  const edited = new Set<string>()
  const installed = new Set<string>()
  const digest: Digest = {
    began: "",
    ended: "",
    branch: null,
    steps: 0,
    candidates: [],
    commands: [],
    endedRules: [],
    edited: [],
    installed: [],
  }
  /** Of the work since the user's last message; the user's answer tells whether they hold. */
  let open: Candidate[] = []
  let [asked, said] = ["", ""]
  let hasEdited = false
  let outcome: Candidate | undefined
  let todos: { text: string; isDone: boolean }[] = []
  let todoStep: Step | undefined

  const keep = (found: readonly Candidate[]) => {
    digest.candidates.push(...found)
    if (digest.candidates.length > MAX_CANDIDATES)
      digest.candidates = digest.candidates.toSorted((a, b) => b.worth - a.worth).slice(0, MAX_CANDIDATES / 2)
  }
  const closeWork = (change: number) => {
    // An approach that the agent acted upon was more than an idea.
    for (const each of open) each.worth += change + (hasEdited ? 1 : 0)
    keep(open)
    open = []
    hasEdited = false
  }

  for (const step of steps) {
    yield
    if (step === undefined) continue
    take(step)
    digest.steps++
    if (step.at !== "") {
      if (digest.began === "") digest.began = step.at
      digest.ended = step.at
    }
    digest.branch ??= step.branch
    if (step.what === "user") {
      const { found, ended } = candidatesHeard(step, { asked, said })
      asked = step.text
      const isDoubted = found.some(({ kind }) => kind === "correction") || DOUBTS.test(step.text)
      closeWork(
        CONFIRMS.test(step.text) || isApproval(step.text) || saysGoOn(step.text) ? 2 : isDoubted ? -3 : 0,
      )
      keep(found)
      digest.endedRules.push(...ended)
    } else if (step.what === "say") {
      said = step.text
      const found = candidatesSaid(step)
      // The newest statement of a kind replaces those before it: the agent knew less then.
      open = [...open.filter(({ kind }) => !found.some((each) => each.kind === kind)), ...found]
      outcome = outcomeSaid(step) ?? outcome
    } else {
      if (step.kind === "edit") {
        hasEdited = true
        for (const file of step.files) if (file !== "" && edited.size < MAX_FILES) edited.add(file)
        runs.edited(step.files)
      } else if (step.kind === "run") {
        for (const name of installedBy(step.command)) installed.add(name)
        const found = runs.ran(step)
        if (found !== undefined) keep([found])
      } else if (step.kind === "todo") {
        todos = [...step.todos]
        todoStep = step
      }
    }
  }
  closeWork(0)
  const files = [...edited]
  if (outcome !== undefined && edited.size > 0)
    keep([
      withCommits(
        outcome,
        runs.commits.map(({ subject }) => subject),
        files,
      ),
    ])
  const left = todos.filter(({ isDone, text }) => !isDone && text !== "")
  if (todoStep !== undefined && left.length > 0 && left.length < todos.length)
    keep([openEnds(left, todoStep)])
  for (const each of digest.candidates)
    if (each.files.length === 0) each.files = files.filter((file) => names(each.text, file))
  return { ...digest, commands: runs.commands(), edited: files, installed: [...installed] }
}

function withCommits(outcome: Candidate, subjects: readonly string[], files: readonly string[]): Candidate {
  const last = subjects.at(-1)
  if (last === undefined) return outcome
  return {
    ...outcome,
    text: `${shorten(last, 120)}: ${outcome.text}`,
    files: files.slice(0, 8),
    worth: outcome.worth + 1,
  }
}

function openEnds(left: readonly { text: string }[], step: Step): Candidate {
  const text = `Left open: ${left
    .slice(0, 5)
    .map((each) => shorten(each.text, 100))
    .join("; ")}`
  return { kind: "open", text, quote: text, by: "agent", files: [], worth: 5, ...pick(step) }
}

function names(text: string, file: string): boolean {
  return text.includes(file.slice(file.lastIndexOf("/") + 1))
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
const MAX_CANDIDATES = 200
const MAX_FILES = 500
