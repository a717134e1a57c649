import { AGENTS } from "../history/read/step.ts"
import { type FoundPassage, openTurnIndex } from "../history/turn-index.ts"
import type { Hive } from "../hive/hive.ts"
import { type FailedHit, type Hit, recallKnown } from "../knowledge/recall/recall.ts"
import { unreadNotice } from "../migrate/automatic.ts"
import { symbolsNamed } from "../project/codemap/answers.ts"
import { type Mem, memKind } from "../schemas/knowledge.ts"
import { shortId } from "../shared/ids.ts"
import { shorten } from "../shared/text/clean.ts"
import { openHistoryFiles } from "../store/history-files.ts"
import { withHive } from "./project/open-project.ts"
import { type CliCommand, type CliResult, textLines } from "./terminal/command.ts"
import { choiceOption, numberOption } from "./terminal/options.ts"
import { cleanValues } from "./terminal/output.ts"
import type { Style } from "./terminal/style.ts"

type RecallOptions = { limit: number; kind?: Mem["kind"][]; archived?: boolean; history?: boolean }

export const command: CliCommand<RecallOptions> = {
  configure(recall) {
    const history = "search what was said in past sessions instead (`hivemind import sessions` indexes them)"
    recall
      .argument("<words...>", "the topic, in any words")
      .addOption(numberOption("--limit <count>", "show at most this many", { max: 1000, fallback: 10 }))
      .addOption(choiceOption("--kind <kind...>", "only mems of these kinds", memKind.options))
      .option("--archived", "only archived mems")
      .option("--history", history)
  },

  help: "Example: hivemind recall why postgres and not sqlite --kind decision",

  run: (input) =>
    withHive(input, async ({ project, hive }) => {
      const { limit, kind, archived } = input.options
      const { style } = input
      const query = input.args.join(" ")
      if (input.options.history === true) return historyResult(hive, query, limit, style)
      const how = { limit, kinds: kind, isArchived: archived }
      const { mems, failed, notice } = await recallKnown(hive, query, how)
      const isPlain = kind === undefined && archived !== true
      const symbols = isPlain ? await symbolsNamed(hive, query) : []
      const found = [
        ...mems.map((hit) => memText(hit, style)),
        ...failed.map(({ task, why }) =>
          hitText({ ...task, facts: "failed task", text: task.title, replaces: null, why }, style),
        ),
        ...cleanValues(symbols).map(
          ({ file, line, name, signature }) => `${style("bold", `${file}:${line}`)} ${signature ?? name}`,
        ),
      ]
      const isEmpty = found.length === 0
      const older = isEmpty ? unreadNotice(project) : undefined
      return {
        data: { query, hits: mems.map(memData), failed_tasks: failed.map(failedTaskData), symbols },
        text: [isEmpty ? "Nothing is known about that." : found.join("\n\n"), older, notice],
        trouble: isEmpty,
      }
    }),
}

async function historyResult(hive: Hive, query: string, limit: number, style: Style): Promise<CliResult> {
  const files = openHistoryFiles(hive.home, hive.source)
  const found = await openTurnIndex(files).find(query, limit)
  const none =
    files.sessions().length === 0
      ? "No past sessions are indexed yet: run `hivemind import sessions`."
      : "Nothing was said about that in past sessions."
  return {
    data: {
      query,
      passages: found.map(({ session, passage, score, why }) => ({
        ...{ agent: session.agent, session: session.id, path: session.path, branch: session.branch },
        ...{ at: passage.at, messages: passage.ids, text: passage.text, score, why },
      })),
    },
    text: found.length === 0 ? none : found.map((hit) => passageText(hit, style)).join("\n\n"),
    trouble: found.length === 0,
  }
}

function passageText({ session, passage, why }: FoundPassage, style: Style): string {
  const lines = passage.text.split("\n").filter((line) => line.trim() !== "")
  const shown = lines.slice(0, MAX_LINES).map((line) => `  ${shorten(line, 200)}`)
  return [
    `${style("bold", cleanValues(passage.at).slice(0, 16).replace("T", " "))} ${AGENTS[session.agent]} session ${cleanValues(session.id)}`,
    ...shown,
    ...(lines.length > MAX_LINES ? [`  … ${lines.length - MAX_LINES} more lines`] : []),
    `  ${style("dim", `found by ${why}`)}`,
  ].join("\n")
}

function memData({ mem, score, share, why, isArchived, replaces }: Hit) {
  const { id, kind, status, content, reason, tags, created_at } = mem
  const replaced = replaces && { id: replaces.id, content: replaces.content }
  const known = { id, kind, status, content, reason, tags, created_at }
  return { ...known, score, share, why, archived: isArchived, replaces: replaced }
}

function failedTaskData({ task, score, share, why }: FailedHit) {
  const { id, title, reason, created_at } = task
  return { id, title, reason, created_at, score, share, why }
}

function memText({ mem, why, isArchived, replaces }: Hit, style: Style): string {
  const { id, kind, status, content, reason, created_at } = mem
  const facts = textLines([kind, status !== "active" && status, isArchived && "archived"])
  return hitText({ id, facts: facts.join(", "), created_at, text: content, reason, replaces, why }, style)
}

interface ShownHit {
  id: string
  facts: string
  created_at: string
  text: string
  reason: string | null
  replaces: Pick<Mem, "content"> | null
  why: string
}

function hitText({ id, facts, created_at, text, reason, replaces, why }: ShownHit, style: Style): string {
  return textLines([
    `${style("bold", shortId(id))} ${facts}, ${created_at.slice(0, 10)}`,
    `  ${shorten(text, MAX_CONTENT)}`,
    reason !== null && `  ${style("yellow", `because: ${shorten(reason, MAX_CONTENT)}`)}`,
    replaces && `  instead of: ${shorten(replaces.content, 160)}`,
    `  ${style("dim", `found by ${why}`)}`,
  ]).join("\n")
}

const MAX_CONTENT = 600
const MAX_LINES = 12
