import type { Command } from "commander"
import type { Hit } from "../knowledge/recall/recall.ts"
import type { FailedHit } from "../knowledge/recall/recall-failed.ts"
import { recallKnown } from "../knowledge/recall/recall-known.ts"
import { untakenNotice } from "../migrate/take-over/notice.ts"
import { symbolsNamed } from "../project/codemap/symbols.ts"
import { type Mem, memKind } from "../schemas/knowledge.ts"
import { HiveError } from "../shared/error.ts"
import { shortId } from "../shared/ids.ts"
import { shorten } from "../shared/text/clean.ts"
import { withHive } from "./project/open-project.ts"
import { cleanValues } from "./terminal/clean-values.ts"
import type { CliCommand } from "./terminal/command.ts"
import { type Style, styleFor } from "./terminal/style.ts"

interface RecallOptions {
  limit: string
  kind?: Mem["kind"][]
  archived?: boolean
}

/** Finds mems by words, and the tasks that failed at it, each with why it was found. Reads only. */
export const recallCommand: CliCommand<RecallOptions> = {
  configure(command: Command) {
    command
      .argument("<words...>", "what it is about, in any words")
      .option("--limit <count>", "at most so many", "10")
      .addOption(command.createOption("--kind <kind...>", "only of these kinds").choices(memKind.options))
      .option("--archived", "only those that left the hot set")
      .addHelpText("after", "\nExample: hivemind recall why postgres and not sqlite --kind decision")
  },

  run: (input) =>
    withHive(input, async ({ project, hive }) => {
      const { limit, kind, archived } = input.options
      const query = input.args.join(" ")
      const wanted = { limit: wholeNumber(limit), kinds: kind, isArchived: archived }
      const { mems, failed, isCut, notice } = await recallKnown(hive, query, wanted)
      const isPlain = kind === undefined && archived !== true
      const symbols = isPlain ? await symbolsNamed(hive, query) : []
      const style = styleFor(input.io.stdout, input.io.env)
      const found = [
        ...mems.map((hit) => hitText(hit, style)),
        ...failed.map((hit) => failedText(hit, style)),
        ...cleanValues(symbols).map(
          ({ file, line, name, signature }) => `${style("bold", `${file}:${line}`)} ${signature ?? name}`,
        ),
      ]
      return {
        data: { project, query, hits: mems.map(hitData), failed_tasks: failed.map(failedData), symbols },
        text: [
          found.length === 0 ? "Nothing is known about that." : found.join("\n\n"),
          (found.length === 0 || isCut ? untakenNotice(project) : undefined) ?? [],
          notice ?? [],
        ]
          .flat()
          .join("\n"),
        trouble: found.length === 0,
      }
    }),
}

function hitData({ mem, score, share, why, isArchived, replaces }: Hit) {
  const { id, kind, status, content, reason, tags, created_at } = mem
  const replaced = replaces === null ? null : { id: replaces.id, content: replaces.content }
  return {
    id,
    kind,
    status,
    content,
    reason,
    tags,
    created_at,
    score,
    share,
    why,
    archived: isArchived,
    replaces: replaced,
  }
}

function hitText({ mem, why, isArchived, replaces }: Hit, style: Style): string {
  const facts = [
    mem.kind,
    ...(mem.status === "active" ? [] : [mem.status]),
    ...(isArchived ? ["archived"] : []),
  ]
  return [
    `${style("bold", shortId(mem.id))} ${facts.join(", ")}, ${mem.created_at.slice(0, 10)}`,
    `  ${shorten(mem.content, MAX_CONTENT)}`,
    ...(mem.reason === null ? [] : [`  ${style("yellow", `because: ${shorten(mem.reason, MAX_CONTENT)}`)}`]),
    ...(replaces === null ? [] : [`  instead of: ${shorten(replaces.content, MAX_REPLACED)}`]),
    `  ${style("dim", `found by ${why}`)}`,
  ].join("\n")
}

function failedData({ task, score, share, why }: FailedHit) {
  const { id, title, reason, created_at } = task
  return { id, title, reason, created_at, score, share, why }
}

function failedText({ task, why }: FailedHit, style: Style): string {
  return [
    `${style("bold", shortId(task.id))} failed task, ${task.created_at.slice(0, 10)}`,
    `  ${shorten(task.title, MAX_CONTENT)}`,
    ...(task.reason === null
      ? []
      : [`  ${style("yellow", `because: ${shorten(task.reason, MAX_CONTENT)}`)}`]),
    `  ${style("dim", `found by ${why}`)}`,
  ].join("\n")
}

function wholeNumber(text: string): number {
  const count = Number(text)
  if (Number.isInteger(count) && count >= 1 && count <= MAX_HITS) return count
  throw new HiveError({
    code: "invalid_argument",
    what: `${text} is not a number of hits.`,
    why: `\`--limit\` is a whole number from 1 to ${MAX_HITS}.`,
    use_instead: "Leave it out for ten.",
    evidence: `--limit ${text}`,
  })
}

const MAX_HITS = 1000
const MAX_CONTENT = 600
const MAX_REPLACED = 160
