import { applyEdits, getNodeValue, type Node } from "jsonc-parser"
import { HiveError } from "../../shared/error.ts"
import { appendChild, removeChild } from "./jsonc-edit.ts"
import { brokenConfig, parseJsonc, valueAt } from "./jsonc-file.ts"

/** How a client starts the server. */
export interface ServerCommand {
  command: string
  args: string[]
}

/** How a client's file lists servers: JSON under a key, some with a type, or TOML tables. */
export type ServerFormat = { json: string; type?: "stdio" } | "toml"

export function hasServer(text: string, format: ServerFormat, file: string): boolean {
  if (format === "toml") return TABLE.test(text)
  return valueAt(serversIn(text, format.json, file).servers, NAME) !== undefined
}

/** The text with our server, and all the rest as it was. `madeKey` where there was no list of servers before. */
export function addServer(
  text: string | undefined,
  format: ServerFormat,
  start: ServerCommand,
  file: string,
): { after: string; madeKey: boolean } {
  if (format === "toml") return { after: addTable(text, start, file), madeKey: false }
  const { json: key, type } = format
  const entry = { ...(type === undefined ? {} : { type }), ...start }
  if (text === undefined) return { after: newFile(key, entry), madeKey: true }
  const { bom, body, root, servers } = serversIn(text, key, file)
  if (root === undefined) return { after: bom + newFile(key, entry), madeKey: true }
  const property = `"${NAME}": ${JSON.stringify(entry)}`
  const edits =
    servers === undefined
      ? appendChild(body, root, `"${key}": { ${property} }`)
      : appendChild(body, servers, property)
  const after = bom + applyEdits(body, edits)
  checkOnlyOurs(text, after, key, file)
  return { after, madeKey: servers === undefined }
}

/** The text without our server; with `dropEmpty` the list goes too where nothing is left in it. */
export function removeServer(text: string, format: ServerFormat, file: string, dropEmpty: boolean): string {
  if (format === "toml") return text.replace(OUR_TABLES, "")
  const { bom, body, root, servers } = serversIn(text, format.json, file)
  const index = indexOf(servers, NAME)
  if (root === undefined || servers === undefined || index < 0) return text
  const isAlone = dropEmpty && servers.children?.length === 1 && !body.includes("/*") && !body.includes("//")
  const edits = isAlone
    ? removeChild(body, root, indexOf(root, format.json))
    : removeChild(body, servers, index)
  const after = bom + applyEdits(body, edits)
  checkOnlyOurs(text, after, format.json, file)
  return after
}

function serversIn(text: string, key: string, file: string) {
  const parsed = parseJsonc(text, file)
  const servers = valueAt(parsed.root, key)
  if (servers !== undefined && servers.type !== "object")
    throw brokenConfig(file, `Its \`${key}\` is not an object.`, parsed.body, servers.offset)
  return { ...parsed, servers }
}

function indexOf(object: Node | undefined, key: string): number {
  return object?.children?.findLastIndex((property) => property.children?.[0]?.value === key) ?? -1
}

function newFile(key: string, entry: object): string {
  return `${JSON.stringify({ [key]: { [NAME]: entry } }, null, 2)}\n`
}

/** Behind all that is there: a table ends where the next one begins. */
function addTable(text: string | undefined, { command, args }: ServerCommand, file: string): string {
  if (text !== undefined && /^\s*mcp_servers\s*=/m.test(text))
    throw brokenConfig(
      file,
      "Its `mcp_servers` is written inline, where nothing can be added behind it.",
      text,
      text.search(/^\s*mcp_servers\s*=/m),
    )
  // JSON's strings are strings of TOML too.
  const table = `[mcp_servers.${NAME}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`
  if (text === undefined || text === "") return table
  const eol = text.includes("\r\n") ? "\r\n" : "\n"
  return `${text}${text.endsWith("\n") ? "" : eol}${eol}${table.replaceAll("\n", eol)}`
}

/** The last guard before a person's file is written: whatever the edit did, it did it to our entry alone. */
function checkOnlyOurs(before: string, after: string, key: string, file: string): void {
  if (JSON.stringify(withoutOurs(before, key, file)) === JSON.stringify(withoutOurs(after, key, file))) return
  throw new HiveError({
    code: "internal",
    what: `The edit of ${file} would have changed more than our entry.`,
    why: "HiveMind checks its own edit before it writes, and this one came out wrong. The file is untouched.",
    use_instead: `Edit \`${key}\` by hand, and please report this.`,
    evidence: file,
  })
}

function withoutOurs(text: string, key: string, file: string): unknown {
  const { root } = parseJsonc(text, file)
  const { [key]: servers = {}, ...rest } = root === undefined ? {} : getNodeValue(root)
  const { [NAME]: _, ...others } = servers
  return [rest, others]
}

const NAME = "hivemind"
const HEADER = String.raw`^[ \t]*\[mcp_servers\.(?:hivemind|"hivemind")(?:\.[^\]]+)?\]`
const TABLE = new RegExp(HEADER, "m")
// A comment above the next table is that one's.
const NEXT = String.raw`[ \t]*\[|(?=\s*#)(?:[ \t\r]*(?:#[^\n]*)?\n)+[ \t]*\[`
const TABLES = String.raw`(?:${HEADER}[^\n]*\n?(?:(?!${NEXT})[^\n]*(?:\n|(?![\s\S])))*)+`
// With the tables below it, up to the next one; where they are the last, with the blank line that stands before them.
const OUR_TABLES = new RegExp(String.raw`(?:\r?\n)?${TABLES}(?![\s\S])|${TABLES}`, "gm")
