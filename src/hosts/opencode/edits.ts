import type { FileEdit } from "../../gate/call.ts"

/** What a call of OpenCode's puts where; a patch is taken file by file. */
export function editsIn(args: Readonly<Record<string, unknown>>): FileEdit[] {
  const path = text(args["filePath"])
  const { oldString, newString, content, patchText } = args
  if (path !== "" && typeof newString === "string") return [{ path, from: text(oldString), to: newString }]
  if (path !== "" && typeof content === "string") return [{ path, from: null, to: content }]
  return patched(text(patchText).slice(0, MAX_CHARS))
}

function patched(patch: string): FileEdit[] {
  const edits: FileEdit[] = []
  const parts = patch.split(/^\*\*\* (?:Add|Update) File:/m).slice(1, MAX_FILES)
  for (const part of parts) {
    const [path = "", ...lines] = part.split("\n")
    const side = (mark: string) =>
      lines
        .filter((line) => line.startsWith(mark))
        .map((line) => line.slice(1))
        .join("\n")
    edits.push({ path: path.trim(), from: side("-"), to: side("+") })
  }
  return edits
}

function text(value: unknown): string {
  return typeof value === "string" ? value : ""
}

// Enough to know a change again; a patch of megabytes is not read to its end.
const MAX_CHARS = 100_000
const MAX_FILES = 20
