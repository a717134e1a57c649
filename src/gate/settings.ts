import { resolve } from "node:path"
import { HiveError } from "../shared/error.ts"
import { isGlob } from "../shared/glob.ts"
import { shorten } from "../shared/text/clean.ts"
import { callText } from "../shared/tool-names.ts"
import type { GateCall } from "./call.ts"
import { filesMeant } from "./files-meant.ts"

export interface Settings {
  isHostConfig: (path: string) => boolean
  /** The user's configuration of HiveMind, absolute. */
  userConfig: string | null
}

/**
 * Only a person lifts governance. The command line refuses an agent by itself; here it is told so early. A command that
 * writes the host's configuration cannot be foreseen, an edit of it can.
 */
export function refuseLifting(call: GateCall, settings: Settings | undefined, dir: string | undefined): void {
  const { tool, command } = call
  const path = call.changesLoading ? call.writes[0] : settings && settingWritten(call, settings, dir)
  if (path !== undefined) throw changesSettings(call, path)
  if (command === null || !acknowledges(command.text)) return
  throw new HiveError({
    code: "protected",
    what: `${tool} was not run: it would acknowledge a warning in the user's name.`,
    why: "On the command line that is the user's word.",
    use_instead: `Use ${callText("inspect", "drift")} with acknowledge, or ask the user to run it.`,
    evidence: shorten(command.text, 200),
  })
}

/** Command by command, each looked through once: a here-document may be as long as files are. */
function acknowledges(text: string): boolean {
  if (!text.includes("--ack")) return false
  return text.split(/[\n;|&]/).some((part) => {
    const at = [...part.matchAll(/\s--ack/g)].at(-1)?.index
    return at !== undefined && /hivemind\b|\binspect\s/.test(part.slice(0, at + 1))
  })
}

/** By its name, by a pattern that means it, or with a folder that goes as a whole. */
function settingWritten(
  { writes, command, shell, effects }: GateCall,
  { userConfig, isHostConfig }: Settings,
  dir: string | undefined,
): string | undefined {
  const isSetting = (path: string) => path === userConfig || (command !== null && isHostConfig(path))
  const named = writes.find(isSetting)
  if (named !== undefined || dir === undefined || shell === null) return named
  const folders = effects
    .filter(({ how }) => how === "removed whole" || how === "moved")
    .map(({ path }) => `${path}/*`)
  const patterns = [...writes.filter(isGlob), ...folders].map((path) => resolve(dir, path))
  return filesMeant(patterns).find(isSetting)
}

function changesSettings({ tool }: GateCall, path: string): HiveError {
  return new HiveError({
    code: "protected",
    what: `${tool} may not write ${path}.`,
    why: "How HiveMind is loaded and governs is the user's to say.",
    use_instead:
      "Ask the user to change it. Other settings of that file: change those alone, with an edit of the file.",
    evidence: path,
  })
}
