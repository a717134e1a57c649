import { HiveError } from "../shared/error.ts"
import { shorten } from "../shared/text/clean.ts"
import type { AtRisk } from "./at-risk.ts"
import type { GateCall } from "./call.ts"
import { lossesOf, type Outside } from "./losses.ts"
import type { Finding, FindingKind } from "./shell/command-reading.ts"
import { askedFor } from "./user-asked.ts"

export interface LossInput {
  projectDir: string
  atRisk: AtRisk
  outside: Outside
  /** The user's last message in the conversation that the call belongs to. */
  userMessage: string
  /** Beginnings of commands that a person has allowed (`allow_commands`). */
  allowed: readonly string[]
}

/** Refuses what cannot be undone, unless the user has asked for it. Returns why something passed, for the log. */
export function refuseLosses(call: GateCall, input: LossInput): string[] {
  const passed: string[] = []
  for (const finding of lossesOf(call, input.projectDir, input.atRisk, input.outside)) {
    const allowed = input.allowed.find((prefix) => beginsWith(finding.part, prefix))
    const asked = askedFor(input.userMessage, finding)
    const part = () => shorten(finding.part, MAX_SHOWN)
    if (allowed !== undefined) passed.push(`${part()}: allow_commands has "${allowed}"`)
    else if (asked !== undefined) passed.push(`${part()}: the user asked "${shorten(asked, MAX_SHOWN)}"`)
    else throw refusal(call, finding)
  }
  return passed
}

function beginsWith(part: string, prefix: string): boolean {
  const [text, start] = [part, prefix].map((one) => one.trim().replaceAll(/\s+/g, " "))
  return start !== "" && start !== undefined && `${text} `.startsWith(`${start} `)
}

function refusal({ tool }: GateCall, { kind, what, part }: Finding): HiveError {
  return new HiveError({
    code: "destructive",
    what: `${tool} was not run: it ${what}.`,
    why: OWN_WORK.has(kind)
      ? "That work is in no commit, and the user did not ask to lose it."
      : "A snapshot of the project cannot bring it back.",
    use_instead: `${INSTEAD[kind]} Or ask the user to run it, or to allow it with allow_commands in .hivemind/system/config.json.`,
    evidence: shorten(part, MAX_SHOWN),
  })
}

const OWN_WORK: ReadonlySet<FindingKind> = new Set(["discarded changes", "deleted file", "stash"])
const INSTEAD: Record<FindingKind, string> = {
  "force push": "Push to a new branch, or use --force-with-lease on your own branch.",
  "remote deletion": "Leave it on the remote and report that it can go.",
  database: "Work on a temporary database, or make a backup first.",
  volume: "Remove only what this session created, by its name.",
  "cluster or cloud": "Show what would be deleted (a dry run).",
  "disk or machine": "Work on a file or on one process by its name.",
  "unread download": "Download it to a file, read it, then run it.",
  "fork bomb": "Start a fixed number of processes.",
  outside: "Work inside of the project or in a temporary folder.",
  "unknown target": "Name the folder instead of using a variable that may be empty.",
  "left out": "Move it aside instead of deleting it.",
  "discarded changes": "Commit or stash those files first, or name only files that you changed yourself.",
  "deleted file": "Move it aside, or commit it first.",
  stash: "Leave the stash where it is.",
}
const MAX_SHOWN = 160
