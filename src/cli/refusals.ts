import type { Command } from "commander"
import type { RefusedCall } from "../schemas/refusal.ts"
import type { ErrorCode } from "../shared/error.ts"
import { oneLine } from "../shared/text/clean.ts"
import { localTime } from "../shared/time.ts"
import { hivePaths } from "../store/files/layout.ts"
import { refusalFile } from "../store/files/refusal-file.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand } from "./terminal/command.ts"
import { parseLimit } from "./terminal/parse-limit.ts"
import { parseTime } from "./terminal/parse-time.ts"
import { type Style, styleFor } from "./terminal/style.ts"

interface RefusalsOptions {
  limit: string
  since?: string
  session?: string
}

/** What agents were kept from, why, and how to lift it. Reads only. */
export const refusalsCommand: CliCommand<RefusalsOptions> = {
  configure(command: Command) {
    command
      .option("--limit <n>", "how many of the newest", "20")
      .option("--since <time>", "only those after: 2h, 3d, 2026-02-11, 2026-02-11T14:30")
      .option("--session <id>", "only those of that session of the host")
      .addHelpText("after", "\nExample: hivemind refusals --since 2h")
  },

  run: (input) =>
    withHive(input, ({ project, hive }) => {
      const { limit, since, session } = input.options
      const from = since === undefined ? 0 : parseTime(since, "--since", hive.source.now())
      const matching = refusalFile(hivePaths(project))
        .read()
        .filter((each) => Date.parse(each.at) >= from && (session === undefined || each.session === session))
      const repeated = inARow(matching)
      const shown = repeated.slice(-parseLimit(limit)).reverse()
      const style = styleFor(input.io.stdout, input.io.env)
      const more = repeated.length - shown.length
      const lines = [
        ...shown.flatMap((each) => render(each, style)),
        ...(shown.length === 0 ? ["Nothing was refused."] : []),
        ...(more > 0 ? [style("dim", `${more} more; \`--limit ${repeated.length}\` shows them.`)] : []),
      ]
      const refusals = shown.map((each) => ({ ...each, lift: howToLift(each) }))
      return { data: { project, refusals, matching: repeated.length }, text: lines.join("\n") }
    }),
}

type Repeated = RefusedCall & { times: number }

/** The same refusal over and over is one, with how often. */
function inARow(refused: readonly RefusedCall[]): Repeated[] {
  const rows: Repeated[] = []
  for (const each of refused) {
    const last = rows.at(-1)
    const isSame = last?.session === each.session && last.tool === each.tool && last.what === each.what
    if (last !== undefined && isSame) Object.assign(last, each, { times: last.times + 1 })
    else rows.push({ ...each, times: 1 })
  }
  return rows
}

function render(refused: Repeated, style: Style): string[] {
  const { at, what, why, use_instead, evidence, files, command, session, agent, times } = refused
  const who = oneLine([agent, session].filter((part) => part !== null).join(", "))
  const often = times === 1 ? "" : `  ${style("yellow", `${times} times in a row`)}`
  const row = (label: string, value: string) => `    ${style("dim", `${label}:`)} ${value}`
  const lift = howToLift(refused)
  return [
    `${style("dim", localTime(at))}  ${style("red", what)}  (${who})${often}`,
    row("why", why),
    ...(files.length === 0 ? [] : [row("files", files.join(", "))]),
    ...(command === null ? [] : [row("command", command)]),
    row("instead", use_instead),
    ...(lift === null ? [] : [row("to lift", lift)]),
    ...(evidence === command || files.includes(evidence) ? [] : [row("evidence", evidence)]),
  ]
}

/** What a person can do where it should have been allowed; null where nobody lifts it. */
function howToLift({ code, why }: RefusedCall): string | null {
  const named = /hivemind inspect drift --session \S+ --acknowledge \w+/.exec(why)?.[0]
  return named ?? LIFTS[code as ErrorCode] ?? null
}

const LIFTS: Partial<Record<ErrorCode, string>> = {
  protected: "change that file or setting yourself",
  destructive: "run it yourself, or commit what would be lost first",
  role: "give the work to another agent",
  scope: "widen `path_scopes` in .hivemind/system/config.json",
  no_task: 'let it start a task, or set `governance` to "assisted"',
  no_delegation: 'have the task assigned first, or set `governance` to "assisted"',
  not_allowed: "have the task assigned again, with more `allowed_tools`",
  conflict: "let the other task end, or have it failed by its session",
  wrong_agent: "have the task assigned to that agent",
}
