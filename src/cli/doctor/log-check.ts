import type { Difference, DifferenceCode } from "../../store/compare.ts"
import type { Store } from "../../store/store.ts"
import { type Check, ok, trouble, warning } from "./check.ts"

/** Replays the whole log: the graph must be what it makes. */
export async function checkLog(store: Store): Promise<Check> {
  const all = await store.compareWithLog()
  const differences = all.filter(({ code }) => code !== "torn_line")
  if (differences.length === 0)
    return ok("log", "replayed: it makes the same graph", ...describeDifferences(all))
  const isLoss = differences.some(({ code }) => code === "lost_entries" || code === "lost_record")
  const say = isLoss ? trouble : warning
  return say("log", null, "replayed: it does not make the same graph", ...describeDifferences(differences))
}

/** The first few of each sort, and what to do about them. */
function describeDifferences(differences: readonly Difference[]): string[] {
  const codes = [...new Set(differences.map(({ code }) => code))]
  return codes.flatMap((code) => {
    const alike = differences.filter((each) => each.code === code).map(({ text }) => text)
    const shown = alike.slice(0, MAX_SHOWN)
    const more = alike.length - shown.length
    return [...shown, ...(more > 0 ? [`and ${more} more`] : []), `→ ${ADVICE[code]}`]
  })
}

const ADVICE: Record<DifferenceCode, string> = {
  lost_entries:
    "Put the file back, from git or a backup: `.hivemind/graph/log/` is the only copy of the history. The graph does " +
    "not need it; what it held cannot be shown or undone, and is missing from what `--as-of` shows.",
  torn_line:
    "Nothing to do: a write that is told to have failed leaves such a line. It holds nothing that was saved.",
  broken_line:
    "Put the file back as it was, from git or a backup. The graph does not need the line; what it held cannot be " +
    "shown or undone.",
  not_logged_yet:
    "Nothing to do: it is in use, and the next change of a plan or a task puts it into the log.",
  not_logged:
    "What the graph has is in use. If it is wrong, correct it in its file in `.hivemind/graph/parts/`; if a file of " +
    "the log is damaged or gone, putting it back explains it.",
  lost_record:
    "Bring it back with the text that `hivemind log --record <id>` shows, or put `.hivemind/graph/` back from git or " +
    "a backup. A mem that is missing from the archive comes back with `hivemind doctor --repair`.",
}
const MAX_SHOWN = 5
