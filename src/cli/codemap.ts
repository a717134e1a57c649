import type { Command } from "commander"
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
import { withFileProgress, withProgress } from "./terminal/progress.ts"
import { viewLines } from "./terminal/style.ts"

interface CodemapOptions {
  install?: boolean
  yes?: boolean
}

/** Imports, exports, comments, todos and circles of the code, and what breaks if a file is changed. */
export const codemapCommand: CliCommand<CodemapOptions> = {
  configure(command: Command) {
    command
      .addArgument(
        command.createArgument("[what]", "the part to show (default: scan)").choices(Object.keys(PARTS)),
      )
      .argument("[path]", "only of this file or folder; with graph: its dependents")
      .option("--install", `get the parser for TypeScript and JavaScript (${PACKAGE}) for all your projects`)
      .option("--yes", "with --install: do not ask")
      .addHelpText("after", "\nExample: hivemind scan codemap graph src/auth/session.ts")
  },

  run: (input) =>
    input.options.install === true
      ? install(input)
      : withHive(input, ({ hive }) =>
          withFileProgress(input.io, async (onProgress) => {
            const [what = "scan", path] = input.args
            const answer = PARTS[what as keyof typeof PARTS]
            const { found, view } = await answer(hive, path, onProgress)
            const trouble = what === "inconsistencies" && "found" in view
            return { data: { ...found }, text: viewLines(view, input.style), trouble }
          }),
        ),
}

/** All that was found, for programs, and the part that is shown. */
type Part = (
  hive: Hive,
  path: string | undefined,
  onProgress: (done: number, total: number) => void,
) => Promise<{ found: object; view: object }>

const PARTS: Record<"scan" | "diff" | "inconsistencies" | "todos" | "graph", Part> = {
  async scan(hive, path, onProgress) {
    const found = await scanCode(hive, path, onProgress)
    return { found, view: codeScanView(found, path) }
  },
  async diff(hive) {
    const found = await diffCode(hive)
    return { found, view: diffView(found) }
  },
  async inconsistencies(hive, path) {
    const found = await inconsistenciesIn(hive, path)
    return { found, view: inconsistencyView(found) }
  },
  async todos(hive, path) {
    const found = await todosInCode(hive, path)
    return { found, view: todoView(found) }
  },
  async graph(hive, path) {
    if (path === undefined) {
      const found = await graphOverview(hive)
      return { found, view: overviewView(found) }
    }
    const found = await graphAround(hive, path)
    return { found, view: codeGraphView(found) }
  },
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
    why: "npm could not do it.",
    use_instead: `Run \`npm install ${PACKAGE}\` in the project, or see what npm says.`,
    evidence: failure,
  })
}
