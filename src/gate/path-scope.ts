import type { Config } from "../schemas/config.ts"

type Matcher = (path: string) => boolean

/** Answers whether an agent may write a path. Globs are compiled once per agent. */
export async function pathScope(
  scopes: Config["path_scopes"],
): Promise<(agent: string | null, path: string) => boolean> {
  const { default: picomatch } = await import("picomatch") // Needed for the first write only.
  const matchers = new Map<string, Matcher>()
  return (agent, path) => {
    const globs = agent === null ? undefined : scopes[agent]
    if (agent === null || globs === undefined) return true
    const matcher = matchers.get(agent) ?? picomatch(globs, { dot: true })
    matchers.set(agent, matcher)
    return matcher(path)
  }
}
