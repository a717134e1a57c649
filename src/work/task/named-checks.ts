import { checkProgram, fileCheck, programCheck, scriptCheck } from "../../shared/shell/check-names.ts"
import type { Step } from "./certain-steps.ts"
import { baseName } from "./shell-words.ts"

/** Is it plain by its words that a command tests, builds, checks or commits something? */
export function isCheck({ words, isReader }: Step): boolean {
  if (isReader) return false
  const [program = "", ...rest] = words
  if (program === "git") return gitVerb(rest) === "commit"
  if (ABOUT_CHECKS.test(words.join(" "))) return false
  if (namesCheck(words, /\//)) return true
  // What it runs stands somewhere among its words, so do images and files.
  return RUNS_ANOTHER.has(program) && rest.slice(0, MANY).some((_, at) => namesCheck(rest.slice(at), SCRIPT))
}

/** What git is told to do, behind its own options. */
export function gitVerb(words: readonly string[]): string {
  return words.find((word, at) => !word.startsWith("-") && !/^-[Cc]$/.test(words[at - 1] ?? "")) ?? ""
}

/** `file` is how a script of the project's own is written here. */
function namesCheck([word = "", ...rest]: readonly string[], file: RegExp): boolean {
  if (!/^[\w@./+-]+$/.test(word)) return false
  const program = baseName(word).replace(/^python[\d.]+$/, "python")
  if (FORMATTERS.test(`${program} ${rest.join(" ")} `)) return false
  const names = rest.filter((one) => !FILE.test(one))
  if (programCheck(program, names) !== undefined) return true
  if (INTERPRETERS.has(program)) {
    const at = rest.findIndex((one) => !one.startsWith("-"))
    const isTest = program === "node" && rest.slice(0, at === -1 ? rest.length : at).includes("--test")
    return isTest || (at !== -1 && namesCheck(rest.slice(at), SCRIPT))
  }
  if (SCRIPT_RUNNERS.has(program)) return goalsOf(names).some(isGoal)
  return file.test(word) && fileCheck(word) !== undefined
}

/** Of what is behind `run` only the next word; a value of an option may stand before the goal. */
function goalsOf(words: readonly string[]): string[] {
  const goals = words.filter((word) => !word.startsWith("-"))
  const run = goals.indexOf("run")
  return goals.slice(0, run === -1 ? 3 : run + 2)
}

function isGoal(word: string): boolean {
  return scriptCheck(word) !== undefined || checkProgram(baseName(word)) !== undefined
}

const setOf = (text: string): ReadonlySet<string> => new Set(text.split(" "))
/** They run the program among their words. */
const RUNS_ANOTHER = setOf(
  "timeout env sudo doas nice ionice time nohup stdbuf xvfb-run cross-env dotenv npx bunx pnpx uvx corepack " +
    "poetry uv pipenv pdm hatch rye conda bundle mise asdf direnv doppler op coverage docker podman",
)
/** One of their first words is the name of a script or of a goal. */
const SCRIPT_RUNNERS = setOf("npm pnpm yarn bun cargo go composer rails rake artisan poetry uv pdm hatch rye")
const INTERPRETERS = setOf("python pypy node tsx ts-node ruby php perl sh bash zsh dash")
/** Without being told to only look, they change files and find nothing wrong. */
const FORMATTERS =
  /^(prettier|black|isort|dprint|(ruff|biome) format)\b(?!.* (-c|-l|--check|--list-different|--diff|check)[ =])/
/** Installs, publishes, lists or cleans up after what a check is named like. */
const ABOUT_CHECKS =
  /^((npm|pnpm|yarn|bun|pip3?|poetry|uv|pdm|hatch|rye|cargo|go|composer|bundle|conda) (i|ci|install|add|ls|list|why|view|info|remove|uninstall|publish|pack|get|mod|update|run clean\S*)|(go|cargo) run|coverage (html|xml|json|report|erase))( |$)/
/** The name of a file that is read or written says nothing about the program. */
const FILE = /\.[a-z]+$/
/** A path that is run, or the name of a file with code. */
const SCRIPT = /^\.{1,2}\/|\.(\w?[jt]sx?|py|sh|bash|rb|php|pl)$/
const MANY = 12
