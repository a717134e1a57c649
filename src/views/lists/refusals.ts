import type { Hive } from "../../hive/hive.ts"
import type { RefusedCall } from "../../schemas/refusal.ts"
import { type ErrorCode, HiveError } from "../../shared/error.ts"
import { derivedId, shortId } from "../../shared/ids.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { refusalFile } from "../../store/files/log-file.ts"
import { hasWords } from "./page.ts"

/** A refused call. Equal refusals in a row are one row. */
export interface RefusalRow extends RefusedCall {
  id: string
  short: string
  /** The session's task when the call was refused. */
  task: string | null
  times: number
  /** How a person can allow the call; null if nothing allows it. */
  lift: string | null
}

type RefusalFilter = { since?: number } & Partial<Record<"session" | "task" | "code" | "words", string>>

export function refusalsOf(hive: Hive, { since = 0, session, task, code, words }: RefusalFilter) {
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
    ...(found.length === 0
      ? { what: `There is no refusal ${given}.`, why: "HiveMind keeps only the newest few thousand." }
      : { what: `"${given}" is ambiguous.`, why: `${found.length} refusals have an id that starts so.` }),
    use_instead: "`hivemind log refusals` shows them, with their ids.",
    evidence: given,
  })
}

function groupRepeats(refused: readonly RefusedCall[]): RefusalRow[] {
  const rows: RefusalRow[] = []
  for (const each of refused) {
    const { at, session, tool, what, code, task = null } = each
    const last = rows.at(-1)
    const isRepeat = last?.session === session && last.tool === tool && last.what === what
    if (isRepeat) rows.pop()
    const id = derivedId("refusal", at, session, tool, what)
    const lift = each.needs_permission ? LIFT_PERMISSION : (LIFTS[code as ErrorCode] ?? null)
    rows.push({ ...each, id, short: shortId(id), task, times: isRepeat ? last.times + 1 : 1, lift })
  }
  return rows
}

const LIFT_PERMISSION =
  "run it yourself, or let HiveMind run commands without asking: `hivemind config set run_commands allow --global`, then restart the agent"
const LIFTS: Partial<Record<ErrorCode, string>> = {
  protected: "change that file or setting yourself",
  destructive:
    "run it yourself, ask for it in your next message, or add it to `allow_commands` in .hivemind/system/config.json",
  role: "give the work to another agent",
  scope: "widen `path_scopes` in .hivemind/system/config.json",
  no_task: 'let it start a task, or set `governance` to "assisted"',
  no_delegation: 'have the agent assign the task first, or set `governance` to "assisted"',
  not_allowed: "have the task assigned again, with more `allowed_tools`, or have another task assigned",
  lifecycle: "settle its dependencies (`hivemind tasks <id>` lists them), or have another task started",
  conflict: "let the other task end, or ask its session to give the task up",
  wrong_agent: "have the task assigned to the agent that was to be started",
}
