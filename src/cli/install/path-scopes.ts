import { applyEdits, type Node } from "jsonc-parser"
import type { Config } from "../../schemas/config.ts"
import { appendChild } from "./jsonc-edit.ts"
import { parseJsonc, valueAt } from "./jsonc-file.ts"

/** The text of a project's configuration with these path scopes; comments, order and all else in it stay as they are. */
export function withScopes(text: string, file: string, wanted: Config["path_scopes"]): string {
  const { bom, body, root } = parseJsonc(text, file)
  if (root === undefined) return `${bom}${JSON.stringify({ path_scopes: wanted }, null, 2)}\n`
  const scopes = valueAt(root, "path_scopes")
  if (scopes?.type !== "object")
    return bom + applyEdits(body, appendChild(body, root, `"path_scopes": ${shown(wanted)}`))
  const edited = Object.entries(wanted).reduce(
    (before, [role, globs]) => withRole(before, file, role, globs),
    body,
  )
  return bom + edited
}

/** One after the other: each edit moves what stands behind it. */
function withRole(body: string, file: string, role: string, globs: readonly string[]): string {
  const find = (text: string): { scopes: Node | undefined; list: Node | undefined } => {
    const scopes = valueAt(parseJsonc(text, file).root, "path_scopes")
    return { scopes, list: valueAt(scopes, role) }
  }
  const { scopes, list } = find(body)
  if (scopes === undefined) return body
  if (list?.type !== "array")
    return applyEdits(body, appendChild(body, scopes, `${JSON.stringify(role)}: ${shown(globs)}`))
  const there = new Set(list.children?.map(({ value }): unknown => value))
  return globs
    .filter((glob) => !there.has(glob))
    .reduce((text, glob) => {
      const target = find(text).list
      return target === undefined ? text : applyEdits(text, appendChild(text, target, JSON.stringify(glob)))
    }, body)
}

function shown(value: unknown): string {
  return JSON.stringify(value).replaceAll('":', '": ').replaceAll('","', '", "')
}
