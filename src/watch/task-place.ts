import { dirname } from "node:path/posix"
import { lockPath } from "../graph/lock-path.ts"
import type { Task } from "../schemas/task.ts"

/**
 * Are these files away from where the task is? Only a task that names a folder or a file in one has a place; then near is
 * what lies in that folder or shares a name with it, as a test does. null where nobody can say: no place, or files that
 * any work touches.
 */
export function isFarFrom(task: Task | undefined, paths: readonly string[]): boolean | null {
  const written = paths.filter((path) => path.includes("/") && !ANYWHERE.test(path)).slice(0, MAX_PATHS)
  if (task === undefined || written.length === 0) return null
  const named = [task.file ?? "", ...task.file_locks, ...pathsIn(`${task.title} ${task.expected_output}`)]
  const folders = named.map(folderOf).filter((folder) => folder !== "")
  if (folders.length === 0) return null
  const words = new Set(named.flatMap(wordsOf))
  const isNear = (path: string) =>
    folders.some((folder) => path.startsWith(`${folder}/`)) || wordsOf(path).some((word) => words.has(word))
  return !written.some(isNear)
}

function pathsIn(text: string): string[] {
  return text.slice(0, MAX_CHARS).match(/[\w@.-]+(?:\/[\w@.*-]+)+/g) ?? []
}

/** A pattern counts up to where it begins to vary. */
function folderOf(path: string): string {
  const fixed = lockPath(path.replace(/[^/]*[*?[{].*$/, ""))
  const folder = /\.\w+$/.test(fixed) ? dirname(fixed) : fixed
  return folder === "." ? "" : folder
}

function wordsOf(path: string): string[] {
  return (path.toLowerCase().match(/[a-z0-9]{4,}/g) ?? []).filter((word) => !COMMON.has(word))
}

const ANYWHERE = /\.(md|json|lock|ya?ml|toml)$/
const COMMON = new Set(["test", "tests", "spec", "index", "docs", "main", "source", "packages", "apps"])
const MAX_PATHS = 20
const MAX_CHARS = 500
