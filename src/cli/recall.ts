import type { Command } from "commander"
import { type FailedHit, type Hit, recallKnown } from "../knowledge/recall/recall.ts"
import { unreadNotice } from "../migrate/automatic.ts"
import { symbolsNamed } from "../project/codemap/answers.ts"
import { type Mem, memKind } from "../schemas/knowledge.ts"
import { shortId } from "../shared/ids.ts"
import { shorten } from "../shared/text/clean.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand } from "./terminal/command.ts"
import { choiceOption, numberOption } from "./terminal/options.ts"
import { cleanValues } from "./terminal/output.ts"
import type { Style } from "./terminal/style.ts"

interface RecallOptions {
  limit: number
  kind?: Mem["kind"][]
  archived?: boolean
}

/** Searches memory and failed tasks by words, and says why each was found. Reads only. */
export const command: CliCommand<RecallOptions> = {
  configure(recall: Command) {
    recall
      .argument("<words...>", "the topic, in any words")
      .addOption(numberOption("--limit <count>", "at most so many", { max: 1000, fallback: 10 }))
      .addOption(choiceOption("--kind <kind...>", "only of these kinds", memKind.options))
      .option("--archived", "only archived mems")
      .addHelpText("after", "\nExample: hivemind recall why postgres and not sqlite --kind decision")
  },

  run: (input) =>
    withHive(input, async ({ project, hive }) => {
      const { limit, kind, archived } = input.options
      const { style } = input
      const query = input.args.join(" ")
      const { mems, failed, notice } = await recallKnown(hive, query, {
        limit,
        kinds: kind,
        isArchived: archived,
      })
      const isPlain = kind === undefined && archived !== true
      const symbols = isPlain ? await symbolsNamed(hive, query) : []
      const found = [
        ...mems.map((hit) => memText(hit, style)),
        ...failed.map((hit) => failedTaskText(hit, style)),
        ...cleanValues(symbols).map(
          ({ file, line, name, signature }) => `${style("bold", `${file}:${line}`)} ${signature ?? name}`,
        ),
      ]
      const isEmpty = found.length === 0
      const older = isEmpty ? unreadNotice(project) : undefined
      return {
        data: { query, hits: mems.map(memData), failed_tasks: failed.map(failedTaskData), symbols },
        text: [
          isEmpty ? "Nothing is known about that." : found.join("\n\n"),
          older ?? [],
          notice ?? [],
        ].flat(),
        trouble: isEmpty,
      }
    }),
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
  const facts = [kind, ...(status === "active" ? [] : [status]), ...(isArchived ? ["archived"] : [])]
  return hitText({ id, facts: facts.join(", "), created_at, text: content, reason, replaces, why }, style)
}

function failedTaskText({ task: { id, title, reason, created_at }, why }: FailedHit, style: Style): string {
  return hitText({ id, facts: "failed task", created_at, text: title, reason, replaces: null, why }, style)
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
  return [
    `${style("bold", shortId(id))} ${facts}, ${created_at.slice(0, 10)}`,
    `  ${shorten(text, MAX_CONTENT)}`,
    ...(reason === null ? [] : [`  ${style("yellow", `because: ${shorten(reason, MAX_CONTENT)}`)}`]),
    ...(replaces === null ? [] : [`  instead of: ${shorten(replaces.content, MAX_REPLACED)}`]),
    `  ${style("dim", `found by ${why}`)}`,
  ].join("\n")
}

const MAX_CONTENT = 600
const MAX_REPLACED = 160
