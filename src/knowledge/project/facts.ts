import type { ProjectMap } from "../../schemas/project-map.ts"
import { shorten } from "../../shared/text/clean.ts"

/** One thing about the project that is worth its tokens in any session. */
export interface ProjectFact {
  /** One fact each: a new one takes the place of the old. */
  topic: string
  content: string
  files: string[]
}

/**
 * What a map says, in a few sentences. Nothing that changes with every commit is in them: a count of files would make a
 * new mem of the same fact each day.
 */
export function describeProject(map: ProjectMap): ProjectFact[] {
  return [stack(map), commands(map), rules(map), layout(map), documents(map)].flatMap((fact) => {
    if (fact === undefined) return []
    return {
      ...fact,
      content: shorten(fact.content, MAX_CHARS),
      files: [...new Set(fact.files)].slice(0, MAX_FILES),
    }
  })
}

function stack({ languages, frameworks, managers }: ProjectMap): ProjectFact | undefined {
  const total = languages.reduce((sum, { lines }) => sum + lines, 0)
  const main = languages.filter(({ lines }) => lines > total * MAIN_SHARE).map(({ name }) => name)
  const used = frameworks
    .slice(0, MAX_FRAMEWORKS)
    .map(({ name, version }) => (version ? `${name} ${version}` : name))
  const by = managers.map(({ name, version }) => (version ? `${name} ${version}` : name))
  const parts = [
    ...(main.length > 0 ? [`Written in ${main.join(", ")}`] : []),
    ...(used.length > 0 ? [`built with ${used.join(", ")}`] : []),
    ...(by.length > 0 ? [`managed by ${by.join(", ")}`] : []),
  ]
  if (used.length + by.length === 0) return undefined
  const files = [...frameworks.slice(0, MAX_FRAMEWORKS), ...managers].map(({ evidence }) => fileIn(evidence))
  return { topic: "stack", content: `${parts.join("; ")}.`, files }
}

function commands({ commands: all }: ProjectMap): ProjectFact | undefined {
  if (all.length === 0) return undefined
  const folders = [...new Set(all.map(({ folder }) => folder))].slice(0, MAX_FOLDERS)
  const sentences = folders.map((folder) => {
    const own = all.filter((command) => command.folder === folder && command.purpose !== "start")
    const listed = own.map(
      ({ purpose, command, declared }) => `${purpose} \`${command}\`${declared ? "" : " (usual)"}`,
    )
    return `${folder === "" ? "To run" : `in ${folder}`}: ${listed.join(", ")}`
  })
  const files = all.filter(({ folder }) => folders.includes(folder)).map(({ evidence }) => fileIn(evidence))
  return { topic: "commands", content: `${sentences.join("; ")}.`, files }
}

/** What governs here is named, so that nobody works against it. */
function rules({ governance }: ProjectMap): ProjectFact | undefined {
  if (governance.length === 0) return undefined
  const texts = governance.filter(({ kind }) => kind === "rules").flatMap((each) => each.rules)
  const frameworks = governance.filter(({ kind }) => kind === "framework")
  const sentences = [
    ...(texts.length > 0
      ? [`Rules for agents, to be followed: ${texts.slice(0, MAX_RULES).join(", ")}`]
      : []),
    ...frameworks.map(({ name, folders, rules: own }) => {
      const follow = own.length > 0 ? `; follow ${own.join(", ")}` : ""
      return `${name} plans work here: ${folders.join(", ")} are its own, its plans are not rewritten${follow}`
    }),
  ]
  const files = [...texts, ...frameworks.flatMap((each) => each.rules)]
  return { topic: "rules", content: `${sentences.join(". ")}.`, files }
}

function layout({ structure, packages }: ProjectMap): ProjectFact | undefined {
  const top = structure
    .filter(({ path, role }) => !path.includes("/") && SHOWN.has(role))
    .slice(0, MAX_TOP)
    // The largest ones, but not in the order of their size: that changes without meaning anything.
    .sort((a, b) => (a.path < b.path ? -1 : 1))
  if (top.length === 0) return undefined
  const named = top.map(
    ({ path, role, language }) =>
      `${path}/ (${language !== null && role === "source" ? `${language} source` : role})`,
  )
  const inside = packages.filter(({ path }) => path !== ".").slice(0, MAX_PACKAGES)
  const parts = inside.map(({ path, name }) => (name === null ? path : `${path} (${name})`))
  const more = parts.length > 0 ? `; packages: ${parts.join(", ")}` : ""
  return { topic: "layout", content: `Where things are: ${named.join(", ")}${more}.`, files: [] }
}

/** The texts that say what is to be built and why; a README says so itself. */
function documents({ documents: all }: ProjectMap): ProjectFact | undefined {
  const named = PLANNING.flatMap((type) => {
    const own = all.filter((document) => document.type === type).map(({ path }) => path)
    if (own.length === 0) return []
    const folder = own.length > MAX_NAMED ? commonFolder(own) : ""
    return [{ type, text: folder === "" ? own.slice(0, MAX_NAMED).join(", ") : `in ${folder}/`, files: own }]
  })
  if (named.length === 0) return undefined
  const files = named.flatMap(({ files: own }) => (own.length > MAX_NAMED ? [] : own))
  return {
    topic: "documents",
    content: `Documents: ${named.map(({ type, text }) => `${type} ${text}`).join("; ")}.`,
    files,
  }
}

function commonFolder(paths: readonly string[]): string {
  const [first = "", ...rest] = paths.map((path) => path.slice(0, Math.max(0, path.lastIndexOf("/"))))
  let folder = first
  while (folder !== "" && rest.some((other) => other !== folder && !other.startsWith(`${folder}/`)))
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")))
  return folder
}

function fileIn(evidence: string): string {
  return evidence.replace(/:\d+$/, "")
}

const PLANNING = ["prd", "spec", "adr", "plan", "research"] as const
const SHOWN = new Set(["source", "tests", "documents", "examples", "scripts", "benchmarks"])
const MAIN_SHARE = 0.1
const MAX_CHARS = 700
const MAX_FILES = 8
const MAX_FRAMEWORKS = 14
const MAX_FOLDERS = 5
const MAX_PACKAGES = 12
const MAX_TOP = 10
const MAX_RULES = 6
const MAX_NAMED = 3
