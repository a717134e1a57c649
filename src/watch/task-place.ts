import { dirname } from "node:path/posix"
import { lockPath } from "../graph/lock-path.ts"
import type { Task } from "../schemas/task.ts"

/** What a call has to do with its task, as far as anybody can say. */
export interface CallPlace {
  /**
   * `here`: at the task's place. `related`: it speaks of the task, or of what the user asked for. `far`: away from the place
   * that the task names. `beside`: has nothing to do with a task that names no place. `seen`: looked at its place.
   */
  sort: "here" | "related" | "far" | "beside" | "seen"
  /** Where the files lie. */
  folder: string
}

export interface PlacedCall {
  /** The files it wrote. */
  written: readonly string[]
  /** What it looked at or for, as far as the call says. */
  named: string
  /** What it put into files. */
  text: string
}

/**
 * Where a call is, seen from the task. A task that names a folder or a file in one has its place there. One that names none
 * is where a file shares a word with it. null where nobody can say: a file that any work touches, or a call that writes none.
 * `asked`: the telling words of what the user last said, which may be about something else.
 */
export function placeOf(task: Task | undefined, call: PlacedCall, asked: string): CallPlace | null {
  if (task === undefined) return null
  const written = call.written
    .filter((path) => path.includes("/") && !ANYWHERE.test(path))
    .slice(0, MAX_PATHS)
  const [first] = written
  const about = `${task.title} ${task.expected_output}`.slice(0, MAX_CHARS)
  const named = [task.file ?? "", ...task.file_locks, ...pathsIn(about)]
  const folders = named.map(folderOf).filter((folder) => folder !== "")
  const hasPlace = folders.length > 0
  const words = tellingWords(hasPlace ? named.join(" ") : about)
  if (first === undefined) {
    const isSeen = call.written.length === 0 && !hasPlace && hasAny(call.named, words)
    return isSeen ? { sort: "seen", folder: "" } : null
  }
  const folder = dirname(first)
  const isHere = (path: string) =>
    folders.some((each) => path.startsWith(`${each}/`)) || hasAny(path.replace(/^\w+\//, ""), words)
  if (written.some(isHere)) return { sort: "here", folder }
  if (hasAny(written.join(" "), asked.split(" "))) return { sort: "related", folder }
  if (hasPlace) return { sort: "far", folder }
  if (words.length === 0) return null
  const isRelated = hasAny(`${call.named} ${call.text}`, [...words, ...asked.split(" ")])
  return { sort: isRelated ? "related" : "beside", folder }
}

/** The words of a text that tell what it is about, up to where their forms differ. */
export function tellingWords(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? []
  const telling = words.filter((word) => !COMMON.has(word))
  return [...new Set(telling.map((word) => word.replace(/(?<=.{4})(ing|es|s)$/, "")))].slice(0, MAX_WORDS)
}

/** As a part of others too: names in code are put together. */
function hasAny(text: string, words: readonly string[]): boolean {
  const lower = text.slice(0, MAX_TEXT).toLowerCase()
  return words.some((word) => word !== "" && lower.includes(word))
}

function pathsIn(text: string): string[] {
  return text.match(/[\w@.-]+(?:\/[\w@.*-]+)+/g) ?? []
}

/** A pattern counts up to where it begins to vary. */
function folderOf(path: string): string {
  const fixed = lockPath(path.replace(/[^/]*[*?[{].*$/, ""))
  const folder = /\.\w+$/.test(fixed) ? dirname(fixed) : fixed
  return folder === "." ? "" : folder
}

const ANYWHERE = /\.(md|json|lock|ya?ml|toml)$/
const COMMON = new Set(
  "test tests spec index docs main source packages apps components make made fixed added remove update change show shows should would could please with from into that this these those them they there then than when where while have does done been being will want need like just also only some more most same other another next first last before after again still good great thanks look code file files page work works working right wrong using user users".split(
    " ",
  ),
)
const MAX_PATHS = 20
const MAX_CHARS = 500
const MAX_TEXT = 4000
const MAX_WORDS = 40
