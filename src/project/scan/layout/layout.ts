import type { Folder, Language, ProjectMap } from "../../../schemas/project-map.ts"
import type { Pausing } from "../../../shared/slices.ts"
import { isNotOurs } from "../listing/scanned-files.ts"
import { type FolderCount, roleOf } from "./folder-role.ts"
import { isSecondary, languageOf } from "./language.ts"

/** A file with how many lines of code it has; null where they were not counted. */
export interface CountedFile {
  path: string
  lines: number | null
}

/** The project's languages by lines, and its folders with what they hold. */
export function* findLayout(
  files: Iterable<CountedFile>,
): Pausing<Pick<ProjectMap, "languages" | "structure">> {
  const languages = new Map<string, Language>()
  const folders = new Map<string, FolderCount>()
  let count = 0
  for (const { path, lines } of files) {
    if (++count % PAUSE_EVERY === 0) yield
    const language = languageOf(path)
    for (const folder of foldersAbove(path)) countIn(folders, folder, path, language, lines)
    if (language === undefined || isNotOurs(path)) continue
    const known = languages.get(language) ?? { name: language, files: 0, lines: 0 }
    known.files++
    known.lines += lines ?? 0
    languages.set(language, known)
  }
  return {
    languages: [...languages.values()].sort(
      (a, b) =>
        Number(isSecondary(a.name)) - Number(isSecondary(b.name)) || b.lines - a.lines || b.files - a.files,
    ),
    structure: structureOf(folders),
  }
}

function countIn(
  folders: Map<string, FolderCount>,
  folder: string,
  path: string,
  language: string | undefined,
  lines: number | null,
): void {
  const known = folders.get(folder) ?? { files: 0, documents: 0, tests: 0, code: 0, languages: new Map() }
  known.files++
  if (DOCUMENT.test(path)) known.documents++
  if (TEST_FILE.test(path)) known.tests++
  if (language !== undefined && !isSecondary(language)) known.code++
  if (language !== undefined) {
    const { files = 0, lines: before = 0 } = known.languages.get(language) ?? {}
    known.languages.set(language, { files: files + 1, lines: before + (lines ?? 1) })
  }
  folders.set(folder, known)
}

/** The folder at the top and the one below it: deeper ones are for the code map. */
function foldersAbove(path: string): string[] {
  const first = path.indexOf("/")
  if (first < 0) return []
  const second = path.indexOf("/", first + 1)
  return second < 0 ? [path.slice(0, first)] : [path.slice(0, first), path.slice(0, second)]
}

/** All folders at the top; below those that hold a good part of the project, the larger ones. */
function structureOf(folders: ReadonlyMap<string, FolderCount>): Folder[] {
  const top = [...folders].filter(([path]) => !path.includes("/"))
  const total = top.reduce((sum, [, { files }]) => sum + files, 0)
  const shown = top
    .sort(([, a], [, b]) => b.files - a.files)
    .slice(0, MAX_TOP)
    .flatMap(([path, count]) => {
      const isOpened = count.files > total * OPENED_SHARE && !CLOSED.has(roleOf(path, count))
      const below = isOpened ? [...folders].filter(([each]) => each.startsWith(`${path}/`)) : []
      const largest = below.sort(([, a], [, b]) => b.files - a.files).slice(0, MAX_BELOW)
      return [[path, count] as const, ...largest]
    })
  return shown.map(([path, count]) => {
    const role = roleOf(path, count)
    return { path, role, files: count.files, language: role === "documents" ? null : mostOf(count.languages) }
  })
}

/** By files: one long file says little of a folder. */
function mostOf(languages: FolderCount["languages"]): string | null {
  const most = [...languages].sort(
    ([one, a], [other, b]) =>
      Number(isSecondary(one)) - Number(isSecondary(other)) || b.files - a.files || b.lines - a.lines,
  )
  return most[0]?.[0] ?? null
}

const DOCUMENT = /\.(md|mdx|rst|adoc|txt)$/i
const TEST_FILE =
  /(^|\/)(test_[^/]+\.py|[^/]+(_test\.\w+|\.test\.\w+|\.spec\.\w+|_spec\.rb|Tests?\.(java|kt|cs)))$/
const CLOSED: ReadonlySet<Folder["role"]> = new Set([
  "not ours",
  "assets",
  "tests",
  "ci",
  "examples",
  "rules",
])
const PAUSE_EVERY = 200
const MAX_TOP = 40
const MAX_BELOW = 15
const OPENED_SHARE = 0.15
