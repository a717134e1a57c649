import { keepOutOfGit } from "../hive/git-index.ts"
import { refreshQueue } from "../watch/validation/refresh-queue.ts"
import { purgeAbandoned } from "../work/plan/end.ts"
import type { Step } from "./background.ts"
import { describeProblems } from "./describe-problems.ts"
import type { SyncBetween } from "./sync-between.ts"
import type { TurnInput } from "./turn-input.ts"

/** A session has begun: what is checked and put in order while the first answer is on its way. */
export function sessionStart({ hive, log, toast, validate }: TurnInput, sync: SyncBetween, scan: () => void) {
  let lastShown = ""

  async function checkFiles(): Promise<void> {
    const { store } = await hive()
    const message = describeProblems(store.health().problems)
    if (message === "" || message === lastShown) return
    lastShown = message
    log("info", message)
    await toast(message)
  }

  /** What was abandoned before this session started is no longer shown from now on. */
  async function purge(session: string): Promise<void> {
    const count = await purgeAbandoned(await hive(), { session, agent: null, tool: "session start" })
    if (count > 0) log("info", `${count} task(s) of abandoned plans left the packed state`)
  }

  async function validateAll(session: string): Promise<void> {
    const opened = await hive()
    const marked = await validate(opened, { session, agent: null, tool: "session start" }, "session start")
    const { state, problems } = opened.store.read()
    const due = refreshQueue(state, opened.source.now())
    const found = [...marked]
    if (problems.length > 0) found.push(`${problems.length} broken link(s) or record(s), mended or set aside`)
    if (due.length > 0) found.push(`to refresh: ${due.map(({ title }) => title).join("; ")}`)
    if (found.length > 0) log("info", "validated", found)
  }

  /** Another branch may have brought an old `.gitignore`, or taken ours away. */
  async function ignore(): Promise<void> {
    keepOutOfGit((await hive()).home)
  }

  /** The first message asks what is known about its words: by then the index may be there. */
  async function indexMems(): Promise<void> {
    const { warmMemIndex } = await import("../knowledge/recall/mem-index.ts") // Of no use before a session.
    await warmMemIndex((await hive()).store)
  }

  return (session: string, isChild: boolean): Step[] => [
    ["index of the mems", indexMems],
    ...(isChild ? [] : [["keeping out of git", ignore] as const]),
    // First: what others have written belongs into what the session begins with.
    ...(isChild ? [] : [["sync", () => sync("session start")] as const]),
    ["check of the files", checkFiles],
    ...(isChild ? [] : [["purge", () => purge(session)] as const]),
    ...(isChild ? [] : [["validation", () => validateAll(session)] as const]),
    ...(isChild ? [] : [["project scan", async () => scan()] as const]),
  ]
}
