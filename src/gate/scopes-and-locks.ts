import type { GraphState } from "../graph/state.ts"
import type { Config } from "../schemas/config.ts"
import type { Task } from "../schemas/task.ts"
import { HiveError } from "../shared/error.ts"
import { isGlob, pathsMeet } from "../shared/glob.ts"
import { shortId } from "../shared/ids.ts"
import { isAbsolutePath, isTemporary } from "../shared/well-known-folders.ts"
import { lockHolder } from "../work/task/holder.ts"
import type { GateCall } from "./call.ts"
import { UNKNOWN_PATH } from "./shell/paths.ts"

type Matcher = (path: string) => boolean
/** May this agent write that path? */
export type IsInScope = (agent: string | null, path: string) => boolean

export function refuseOutOfScope(call: GateCall, isInScope: IsInScope): void {
  const path = call.writes.find((each) => !isInScope(call.agent, each))
  if (path === undefined) return
  throw new HiveError({
    code: "scope",
    what: `${call.agent} may not write ${path}.`,
    why: "It is outside the paths of this role.",
    use_instead:
      "Keep to the role's paths, or have the user widen path_scopes in .hivemind/system/config.json.",
    evidence: `path_scopes of ${call.agent}`,
  })
}

/** Answers whether an agent may write a path: relative to the project, or absolute outside of it. */
export async function pathScope(scopes: Config["path_scopes"]): Promise<IsInScope> {
  const { default: picomatch } = await import("picomatch") // Needed for the first write only.
  const matchers = new Map<string, Matcher>()

  function matcherOf(globs: readonly string[]): Matcher {
    const outs = globs.filter((glob) => glob.startsWith("!")).map((glob) => glob.slice(1))
    const ins = globs.filter((glob) => !glob.startsWith("!"))
    const isIn = picomatch(ins, { dot: true })
    const absolute = ins.filter(isAbsolutePath)
    const isNamed = picomatch(absolute, { dot: true })
    const isOut = picomatch(outs, { dot: true, nocase: true })
    return (path) => {
      // An unknown path is checked after the call.
      if (path === UNKNOWN_PATH) return true
      if (isAbsolutePath(path)) return isTemporary(path) || (absolute.length > 0 && isNamed(path))
      // A pattern is out of scope if it could match a path that is.
      if (isGlob(path))
        return ins.some((glob) => pathsMeet(glob, path)) && !outs.some((glob) => namesOne(glob, path))
      // The whole project counts as a file at its top.
      return isIn(path === "." ? "x" : path) && !isOut(path)
    }
  }

  return (agent, path) => {
    const globs = agent === null ? undefined : scopes[agent]
    if (agent === null || globs === undefined) return true
    const matcher = matchers.get(agent) ?? matcherOf(globs)
    matchers.set(agent, matcher)
    return matcher(path)
  }
}

/** `*.json` could match `opencode.json`; a pattern for everything does not name a single file. */
function namesOne(glob: string, pattern: string): boolean {
  const isBroad = /(^|\/)\*+$/.test(pattern) || (glob.endsWith("**") && pattern.includes("**"))
  return !isBroad && pathsMeet(glob, pattern)
}

/** Files that another task under way has locked. */
export function refuseLocked({ tool, writes }: GateCall, state: GraphState, task: Task | undefined): void {
  for (const path of writes) {
    if (path === UNKNOWN_PATH) continue
    const holder = lockHolder((index, key) => state.task.by(index, key), state, path, task?.id)
    if (holder === undefined) continue
    throw new HiveError({
      code: "conflict",
      what: `${tool} may not write ${path}.`,
      why: `"${holder.title}" has locked it while it is under way.`,
      use_instead: `Work on something else, or wait until ${shortId(holder.id)} is done.`,
      evidence: `task ${holder.id}: file_locks`,
    })
  }
}
