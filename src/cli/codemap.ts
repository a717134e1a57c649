import type { Hive } from "../hive/hive.ts"
import {
  diffCode,
  graphAround,
  graphOverview,
  inconsistenciesIn,
  scanCode,
  todosInCode,
} from "../project/codemap/answers.ts"
import { PACKAGE, parserCache } from "../project/codemap/parser.ts"
import { HiveError } from "../shared/error.ts"
import {
  codeGraphView,
  codeScanView,
  diffView,
  inconsistencyView,
  overviewView,
  todoView,
} from "../views/code-map.ts"
import { installParser } from "./install/install-parser.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand, CliInput, CliResult } from "./terminal/command.ts"
import { ask, declined } from "./terminal/person.ts"
import { filesRead, withCount, withProgress } from "./terminal/progress.ts"
import { viewLines } from "./terminal/style.ts"

type CodemapOptions = { install?: boolean; yes?: boolean }

export const codemapCommand: CliCommand<CodemapOptions> = {
  configure(command) {
    const what = command.createArgument("[what]", "the part to show (default: scan)")
    command
      .addArgument(what.choices(Object.keys(PARTS)))
      .argument("[path]", "only this file or folder; with graph: the files that depend on it")
      .option("--install", `get the parser for TypeScript and JavaScript (${PACKAGE}) for all your projects`)
      .option("--yes", "with --install: do not ask for confirmation")
  },

  help: "Example: hivemind scan codemap graph src/auth/session.ts",

  run: (input) =>
    input.options.install === true
      ? install(input)
      : withHive(input, ({ hive }) =>
          withCount(input.io, filesRead, async (onProgress) => {
            const [what = "scan", path] = input.args
            const answer = PARTS[what as keyof typeof PARTS]
            const { found, view } = await answer(hive, path, onProgress)
            const trouble = what === "inconsistencies" && "found" in view
            return { data: { ...found }, text: viewLines(view, input.style), trouble }
          }),
        ),
}

type Part = (
  hive: Hive,
  path: string | undefined,
  onProgress: (done: number, total: number) => void,
) => Promise<{ found: object; view: object }>

async function shown<T extends object>(search: Promise<T>, view: (found: T) => object) {
  const found = await search
  return { found, view: view(found) }
}

const PARTS: Record<"scan" | "diff" | "inconsistencies" | "todos" | "graph", Part> = {
  scan: (hive, path, onProgress) =>
    shown(scanCode(hive, path, onProgress), (found) => codeScanView(found, path)),
  diff: (hive) => shown(diffCode(hive), diffView),
  inconsistencies: (hive, path) => shown(inconsistenciesIn(hive, path), inconsistencyView),
  todos: (hive, path) => shown(todosInCode(hive, path), todoView),
  graph: (hive, path) =>
    path === undefined
      ? shown(graphOverview(hive), overviewView)
      : shown(graphAround(hive, path), codeGraphView),
}

async function install({ options, io }: CliInput<CodemapOptions>): Promise<CliResult> {
  const folder = parserCache()
  const question = `Download ${PACKAGE} (about 5 MB) to ${folder}?`
  if (options.yes !== true && !(await ask(question, "scan codemap --install", io)))
    return declined({ installed: false }, "Nothing was installed.")
  const failure = await withProgress("Installing", io, () => installParser(folder))
  if (failure === null) return { data: { installed: true, folder }, text: `${PACKAGE} is in ${folder}.` }
  throw new HiveError({
    code: "not_writable",
    what: `${PACKAGE} was not installed.`,
    why: "npm could not install it.",
    use_instead: `Run \`npm install ${PACKAGE}\` in the project, or correct the error that npm reports.`,
    evidence: failure,
  })
}
