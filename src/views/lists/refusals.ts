import type { Hive } from "../../hive/hive.ts"
import type { RefusedCall } from "../../schemas/refusal.ts"
import { type ErrorCode, HiveError } from "../../shared/error.ts"
import { derivedId, shortId } from "../../shared/ids.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { refusalFile } from "../../store/files/log-file.ts"
import { hasWords } from "./page.ts"

/** A refused call. Equal refusals in a row are one row. */
export interface RefusalRow extends RefusedCall {
  /** Derived from the refusal and its time. */
  id: string
  short: string
  /** The session's task at that moment. */
  task: string | null
  times: number
  /** How a person can allow it; null if it cannot be allowed. */
  lift: string | null
}

interface RefusalFilter {
  /** In ms. */
  since?: number
  session?: string
  task?: string
  code?: string
  words?: string
}

/** Refused calls, newest first. */
export function refusalsOf(
  hive: Hive,
  { since = 0, session, task, code, words }: RefusalFilter,
): RefusalRow[] {
  const matching = refusalFile(hivePaths(hive.home))
    .read()
    .filter((each) => Date.parse(each.at) >= since && (session === undefined || each.session === session))
    .filter((each) => task === undefined || each.task === task)
    .filter((each) => code === undefined || each.code === code)
    .filter((each) => hasWords(words, each.what, each.why, each.command, ...each.files))
  return groupRepeats(matching).reverse()
}

export function requireRefusal(hive: Hive, given: string): RefusalRow {
  const found = refusalsOf(hive, {}).filter(({ id }) => id.startsWith(given.toLowerCase()))
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  throw new HiveError({
    code: "not_found",
    what: found.length === 0 ? `There is no refusal ${given}.` : `"${given}" is not clear.`,
    why:
      found.length === 0
        ? "Old refusals are deleted after a few thousand."
        : `${found.length} begin like that.`,
    use_instead: "`hivemind log refusals` shows them, with their ids.",
    evidence: given,
  })
}

function groupRepeats(refused: readonly RefusedCall[]): RefusalRow[] {
  const rows: RefusalRow[] = []
  for (const each of refused) {
    const last = rows.at(-1)
    const isSame = last?.session === each.session && last.tool === each.tool && last.what === each.what
    const times = isSame ? last.times + 1 : 1
    if (isSame) rows.pop()
    const id = derivedId("refusal", each.at, each.session, each.tool, each.what)
    rows.push({
      ...each,
      id,
      short: shortId(id),
      task: each.task ?? null,
      times,
      lift: LIFTS[each.code as ErrorCode] ?? null,
    })
  }
  return rows
}

const LIFTS: Partial<Record<ErrorCode, string>> = {
  protected: "change that file or setting yourself",
  destructive:
    "run it yourself, ask for it in your next message, or add it to `allow_commands` in .hivemind/system/config.json",
  role: "give the work to another agent",
  scope: "widen `path_scopes` in .hivemind/system/config.json",
  no_task: 'let it start a task, or set `governance` to "assisted"',
  no_delegation: 'have the task assigned first, or set `governance` to "assisted"',
  not_allowed: "have the task assigned again, with more `allowed_tools`",
  lifecycle: "settle its dependencies (`hivemind tasks <id>` lists them), or have another task started",
  conflict: "let the other task end, or have it failed by its session",
  wrong_agent: "have the task assigned to that agent",
}
