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
export type IsInScope = (agent: string | null, path: string) => boolean

export function refuseOutOfScope(call: GateCall, isInScope: IsInScope): void {
  const path = call.writes.find((each) => !isInScope(call.agent, each))
  if (path === undefined) return
  throw new HiveError({
    code: "scope",
    what: `${call.agent} may not write ${path}.`,
    why: "It is outside the paths of this role.",
    use_instead:
      "Write only to the role's paths, or ask the user to widen path_scopes in .hivemind/system/config.json.",
    evidence: `path_scopes of ${call.agent}`,
  })
}

export async function pathScope(scopes: Config["path_scopes"]): Promise<IsInScope> {
  const { default: picomatch } = await import("picomatch") // Loaded only when an agent writes.
  const matchers = new Map<string, Matcher>()

  function matcherOf(globs: readonly string[]): Matcher {
    const outs = globs.filter((glob) => glob.startsWith("!")).map((glob) => glob.slice(1))
    const ins = globs.filter((glob) => !glob.startsWith("!"))
    const isIn = picomatch(ins, { dot: true })
    const absolute = ins.filter(isAbsolutePath)
    const isNamed = picomatch(absolute, { dot: true })
    const isOut = picomatch(outs, { dot: true, nocase: true })
    return (path) => {
      // Writes to an unknown path are checked after the call, by change detection.
      if (path === UNKNOWN_PATH) return true
      if (isAbsolutePath(path)) return isTemporary(path) || (absolute.length > 0 && isNamed(path))
      // A glob is in scope if it could match a path of the scope, and names no path that the scope excludes.
      if (isGlob(path))
        return ins.some((glob) => pathsMeet(glob, path)) && !outs.some((glob) => namesOne(glob, path))
      // "." is the whole project: picomatch gets the name of any file at the top instead.
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

/** Whether the glob of a write (`*.json`) could match an excluded path (`opencode.json`). `*` alone does not count. */
function namesOne(glob: string, pattern: string): boolean {
  const isBroad = /(^|\/)\*+$/.test(pattern) || (glob.endsWith("**") && pattern.includes("**"))
  return !isBroad && pathsMeet(glob, pattern)
}

export function refuseLocked({ tool, writes }: GateCall, state: GraphState, task: Task | undefined): void {
  for (const path of writes) {
    if (path === UNKNOWN_PATH) continue
    const holder = lockHolder((index, key) => state.task.by(index, key), state, path, task?.id)
    if (holder === undefined) continue
    throw new HiveError({
      code: "conflict",
      what: `${tool} may not write ${path}.`,
      why: `The task "${holder.title}" has locked that file until it is done.`,
      use_instead: `Work on something else, or wait until task ${shortId(holder.id)} is done.`,
      evidence: `task ${holder.id}: file_locks`,
    })
  }
}
