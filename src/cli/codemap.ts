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
import { installParser } from "./install/install-parser.ts"
import { withHive } from "./project/open-project.ts"
import { ask } from "./terminal/ask.ts"
import { cleanValues } from "./terminal/clean-values.ts"
import {
  diffText,
  graphText,
  inconsistencyText,
  overviewText,
  scanText,
  todoText,
} from "./terminal/codemap-text.ts"
import type { CliCommand, CliInput, CliResult } from "./terminal/command.ts"
import { fileProgress } from "./terminal/file-progress.ts"
import { withProgress } from "./terminal/progress.ts"
import { type Style, styleFor } from "./terminal/style.ts"

interface CodemapOptions {
  install?: boolean
  yes?: boolean
}

/** What the code says of itself: imports, exports, comments, todos, circles, and what breaks if a file is changed. */
export const codemapCommand: CliCommand<CodemapOptions> = {
  configure(command: Command) {
    command
      .addArgument(command.createArgument("[what]", "what to show (default: scan)").choices(WHAT))
      .argument("[path]", "only of this file or folder; with graph: what breaks if it is changed")
      .option("--install", `get the parser for TypeScript and JavaScript (${PACKAGE}) for all your projects`)
      .option("--yes", "with --install: do not ask")
      .addHelpText("after", "\nExample: hivemind codemap graph src/auth/session.ts")
  },

  run: (input) =>
    input.options.install === true
      ? install(input)
      : withHive(input, async ({ project, hive }) => {
          const [what = "scan", path] = input.args
          const progress = fileProgress(input.io)
          try {
            const answer = await answerTo(
              hive,
              what,
              path,
              progress.show,
              styleFor(input.io.stdout, input.io.env),
            )
            return { ...answer, data: { project, ...answer.data } }
          } finally {
            progress.clear()
          }
        }),
}

async function answerTo(
  hive: Hive,
  what: string,
  path: string | undefined,
  onProgress: (done: number, total: number) => void,
  style: Style,
): Promise<CliResult> {
  switch (what) {
    case "diff": {
      const found = await diffCode(hive)
      return { data: { ...found }, text: diffText(cleanValues(found), style) }
    }
    case "inconsistencies": {
      const found = await inconsistenciesIn(hive, path)
      return {
        data: { ...found },
        text: inconsistencyText(cleanValues(found), style),
        trouble: found.found.length > 0,
      }
    }
    case "todos": {
      const found = await todosInCode(hive, path)
      return { data: { ...found }, text: todoText(cleanValues(found), style) }
    }
    case "graph": {
      if (path === undefined) {
        const found = await graphOverview(hive)
        return { data: { ...found }, text: overviewText(cleanValues(found), style) }
      }
      const found = await graphAround(hive, path)
      return { data: { ...found }, text: graphText(cleanValues(found), style) }
    }
    default: {
      const found = await scanCode(hive, path, onProgress)
      return { data: { ...found }, text: scanText(cleanValues(found), style) }
    }
  }
}

async function install({ options, io }: CliInput<CodemapOptions>): Promise<CliResult> {
  const folder = parserCache()
  const question = `Download ${PACKAGE} (about 5 MB) to ${folder}?`
  if (options.yes !== true && !(await ask(question, "codemap --install", io)))
    return { data: { installed: false }, text: "Nothing was installed.", trouble: true }
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

const WHAT = ["scan", "diff", "inconsistencies", "todos", "graph"]
