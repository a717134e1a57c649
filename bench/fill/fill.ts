import { fileURLToPath } from "node:url"
import { runToEnd } from "../child.ts"
import type { Shape } from "../section.ts"

export type Filling = Shape | "rewrite" | "mcp"

/**
 * Fills a project, or the file of another contender, in a process of its own: the one that measures stays small and
 * free to react.
 */
export async function fill(filling: Filling, path: string, mems: number): Promise<void> {
  const script = fileURLToPath(new URL("./main.ts", import.meta.url))
  const args = ["--import", import.meta.resolve("tsx"), script, filling, path, String(mems)]
  const { code, errors } = await runToEnd(process.execPath, args)
  if (code !== 0) throw new Error(`could not fill ${mems} mems: ${errors}`)
}
