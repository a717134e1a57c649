import { ALL } from "../../graph/indexes.ts"
import type { Caller, Hive } from "../../hive/hive.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import type { ProjectMap } from "../../schemas/project-map.ts"
import { derivedId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { writeGraph } from "../../work/write.ts"
import { addOnce, knownMems, memByRule, replaceMems } from "../memory/by-rule.ts"
import { withHashes } from "../memory/evidence.ts"

export interface KeptFacts {
  made: Mem[]
  /** The number of facts that still hold although their files have changed. */
  checked: number
  /** The number of facts that no longer hold and that nothing replaces. */
  ended: number
}

/** Saves one mem per fact of a scan. A changed fact supersedes its old mem; without changes nothing is written. */
export async function keepProjectFacts(hive: Hive, caller: Caller, map: ProjectMap): Promise<KeptFacts> {
  // Facts leave out what changes with every commit, such as counts: each change would make a new mem.
  const facts = [stack(map), commands(map), rules(map), layout(map), documents(map)]
  const current = facts.flatMap((fact) => (fact === undefined ? [] : [memOf(hive, fact)]))
  const before = [...hive.store.read().state.mem.by("scanned", ALL)]
  const isKnown = knownMems(hive)
  const kept: KeptFacts = { made: [], checked: 0, ended: 0 }
  for (const mem of current) {
    const outdated = before.filter(({ id, tags }) => id !== mem.id && tags[0] === mem.tags[0])
    if (outdated.length > 0) kept.made.push(...(await replaceMems(hive, caller, outdated, mem)))
    else if (!isKnown(mem.id)) kept.made.push(...(await addOnce(hive, caller, [mem])))
    else if (await refreshEvidence(hive, caller, mem)) kept.checked++
  }
  const topics = new Set(current.map(({ tags }) => tags[0]))
  const ended = before.filter(({ tags }) => !topics.has(tags[0] ?? ""))
  if (ended.length > 0) await replaceMems(hive, caller, ended, null)
  return { ...kept, ended: ended.length }
}

function memOf(hive: Hive, { topic, content, files }: ProjectFact): Mem {
  const text = shorten(content, MAX_CHARS)
  const mem = memByRule(hive, new Date(hive.source.now()).toISOString(), {
    id: derivedId("project fact", topic, text),
    shelf: "project",
    origin: "scan",
    kind: "fact",
    content: text,
    session_id: null,
    tags: [topic],
    evidence: withHashes(hive.dir, [...new Set(files)].slice(0, MAX_FILES)),
    branch: hive.branch(),
  })
  // A scanned fact does not expire: a later scan replaces it.
  return { ...mem, stale_at: null, confidence: CONFIDENCE }
}

async function refreshEvidence(
  hive: Hive,
  caller: Caller,
  { id, evidence, updated_at }: Mem,
): Promise<boolean> {
  const isOutdated = (mem: Mem | undefined) =>
    mem?.status === "active" && mem.evidence.join("\n") !== evidence.join("\n")
  if (!isOutdated(hive.store.read().state.mem.get(id))) return false
  return writeGraph(hive, caller, (tx) => {
    if (!isOutdated(tx.get("mem", id))) return false
    tx.set("mem", id, { evidence, updated_at })
    return true
  })
}

interface ProjectFact {
  topic: string
  content: string
  files: string[]
}

function stack(map: ProjectMap): ProjectFact | undefined {
  const frameworks = map.frameworks.slice(0, MAX_FRAMEWORKS)
  const used = [...frameworks, ...map.managers]
  if (used.length === 0) return undefined
  const list = (lead: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`${lead} ${names.join(", ")}`]
  const parts = [
    ...list("Written in", mainLanguages(map)),
    ...list("built with", frameworks.map(withVersion)),
    ...list("managed by", map.managers.map(withVersion)),
  ]
  return {
    topic: "stack",
    content: `${parts.join("; ")}.`,
    files: used.map(({ evidence }) => fileIn(evidence)),
  }
}

export function mainLanguages({ languages }: ProjectMap): string[] {
  const total = languages.reduce((sum, { lines }) => sum + lines, 0)
  return languages.filter(({ lines }) => lines > total * MAIN_SHARE).map(({ name }) => name)
}

export function withVersion({ name, version }: { name: string; version: string | null }): string {
  return version ? `${name} ${version}` : name
}

function commands({ commands: all }: ProjectMap): ProjectFact | undefined {
  if (all.length === 0) return undefined
  const folders = [...new Set(all.map(({ folder }) => folder))].slice(0, MAX_FOLDERS)
  const sentences = folders.map((folder) => {
    const listed = all
      .filter((command) => command.folder === folder && command.purpose !== "start")
      .map(({ purpose, command, declared }) => `${purpose} \`${command}\`${declared ? "" : " (usual)"}`)
    return `${folder === "" ? "To run" : `in ${folder}`}: ${listed.join(", ")}`
  })
  const files = all.filter(({ folder }) => folders.includes(folder)).map(({ evidence }) => fileIn(evidence))
  return { topic: "commands", content: `${sentences.join("; ")}.`, files }
}

function rules({ governance }: ProjectMap): ProjectFact | undefined {
  if (governance.length === 0) return undefined
  const texts = governance.filter(({ kind }) => kind === "rules").flatMap((each) => each.rules)
  const frameworks = governance.filter(({ kind }) => kind === "framework")
  const sentences = frameworks.map(({ name, folders, rules: own }) => {
    const follow = own.length > 0 ? `; follow ${own.join(", ")}` : ""
    return `${name} plans work here; its plans, in ${folders.join(", ")}, are not rewritten${follow}`
  })
  if (texts.length > 0)
    sentences.unshift(`Rules for agents, to be followed: ${texts.slice(0, MAX_RULES).join(", ")}`)
  const files = [...texts, ...frameworks.flatMap((each) => each.rules)]
  return { topic: "rules", content: `${sentences.join(". ")}.`, files }
}

function layout({ structure, packages }: ProjectMap): ProjectFact | undefined {
  const top = structure
    .filter(({ path, role }) => !path.includes("/") && SHOWN.has(role))
    .slice(0, MAX_TOP)
    // Sorted by name, because an order by size changes without a reason that matters.
    .sort((a, b) => (a.path < b.path ? -1 : 1))
  if (top.length === 0) return undefined
  const named = top.map(({ path, role, language }) => {
    const what = language !== null && role === "source" ? `${language} source` : role
    return `${path}/ (${what})`
  })
  const parts = packages
    .filter(({ path }) => path !== ".")
    .slice(0, MAX_PACKAGES)
    .map(({ path, name }) => (name === null ? path : `${path} (${name})`))
  const more = parts.length > 0 ? `; packages: ${parts.join(", ")}` : ""
  return { topic: "layout", content: `Where things are: ${named.join(", ")}${more}.`, files: [] }
}

function documents({ documents: all }: ProjectMap): ProjectFact | undefined {
  const texts: string[] = []
  const files: string[] = []
  for (const type of PLANNING) {
    const own = all.filter((document) => document.type === type).map(({ path }) => path)
    if (own.length === 0) continue
    const folder = own.length > MAX_NAMED ? commonFolder(own) : ""
    texts.push(`${type} ${folder === "" ? own.slice(0, MAX_NAMED).join(", ") : `in ${folder}/`}`)
    if (own.length <= MAX_NAMED) files.push(...own)
  }
  if (texts.length === 0) return undefined
  return { topic: "documents", content: `Documents: ${texts.join("; ")}.`, files }
}

function commonFolder(paths: readonly string[]): string {
  const parentOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf("/")))
  let folder = parentOf(paths[0] ?? "")
  while (folder !== "" && !paths.every((path) => path.startsWith(`${folder}/`))) folder = parentOf(folder)
  return folder
}

const fileIn = (evidence: string): string => evidence.replace(/:\d+$/, "")

const PLANNING = ["prd", "spec", "adr", "plan", "research"] as const
const SHOWN = new Set(["source", "tests", "documents", "examples", "scripts", "benchmarks"])
const CONFIDENCE = 0.9
const MAIN_SHARE = 0.1
const MAX_CHARS = 700
const MAX_FILES = 8
const MAX_FRAMEWORKS = 14
const MAX_FOLDERS = 5
const MAX_PACKAGES = 12
const MAX_TOP = 10
const MAX_RULES = 6
const MAX_NAMED = 3
