import { createHash } from "node:crypto"
import { join, relative } from "node:path"
import type { Caller, Hive } from "../../hive/hive.ts"
import { readProjectFile } from "../../project/files/read-file.ts"
import { checkPurposes } from "../../project/scan/map-file.ts"
import { scanProject } from "../../project/scan/scan-project.ts"
import type { Config } from "../../schemas/config.ts"
import type { ProjectCommand, ProjectMap } from "../../schemas/project-map.ts"
import { hasHive, hivePaths } from "../../store/files/layout.ts"
import { readText, replaceText } from "../../store/files/text-file.ts"
import { profileText } from "./profile.ts"
import { type HiveScan, type ScanOptions, scanHive } from "./scan-hive.ts"

export interface Onboarding {
  scan: HiveScan
  profile: {
    /** Relative to the project. */
    path: string
    text: string
    outcome: "written" | "unchanged" | "edited by hand, left as it is" | "not written"
  }
  proposal: Proposal
}

/** Proposals of onboarding. A person has to put them in force. */
export interface Proposal {
  /** For `.hivemind/system/config.json`; null if the present options fit. It only ever takes paths out of a scope. */
  config: Pick<Config, "path_scopes"> | null
  /** Why each path is taken out. */
  because: string[]
  /** Commands that can verify a task. */
  verify: ProjectCommand[]
  /** For a person to answer. */
  questions: string[]
}

/** Scans a project, writes a profile for people, keeps first mems, and proposes scopes and checks. Repeating it changes nothing. */
export async function onboard(
  hive: Hive,
  caller: Caller,
  { dryRun = false, ...options }: ScanOptions & { dryRun?: boolean } = {},
): Promise<Onboarding> {
  const scan = dryRun ? await dryScan(hive, options) : await scanHive(hive, caller, "full", options)
  const proposal = proposalFor(scan.map, hive.config)
  const text = signed(profileText(scan.map, proposal, introduction(hive, scan)))
  const path = join(hivePaths(hive.home).project, "profile.md")
  const outcome = dryRun || !hasHive(hive.home) ? "not written" : writeProfile(path, text)
  return { scan, profile: { path: relative(hive.home, path), text, outcome }, proposal }
}

async function dryScan({ dir, source }: Hive, options: ScanOptions): Promise<HiveScan> {
  const { map } = await scanProject(dir, { at: new Date(source.now()).toISOString(), ...options })
  return { map, drift: null, facts: null, followed: 0, isKept: false }
}

function writeProfile(path: string, text: string): Onboarding["profile"]["outcome"] {
  const present = readText(path)
  if (present === text) return "unchanged"
  if (present !== undefined && !isUnedited(present)) return "edited by hand, left as it is"
  replaceText(path, text)
  return "written"
}

/** Adds a hash of the text, which shows later whether it was edited. */
function signed(text: string): string {
  return `${text}\n<!-- hivemind ${hashOf(text)} -->\n`
}

function isUnedited(text: string): boolean {
  const [, body, hash] = /^([\s\S]*)\n<!-- hivemind (\w+) -->\n$/.exec(text) ?? []
  return body !== undefined && hashOf(body) === hash
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12)
}

function introduction({ dir }: Hive, { map }: HiveScan): string {
  const readme = map.documents.find(({ path, type }) => type === "readme" && !path.includes("/"))
  const read = readme === undefined ? undefined : readProjectFile(dir, readme.path, MAX_README_BYTES)
  return read !== undefined && "text" in read ? firstProse(read.text) : ""
}

/** The first paragraph of a readme that is prose: no code, HTML block, table, list, badge or heading. */
function firstProse(text: string): string {
  const shown = text.split("\n", MAX_LINES).join("\n").replace(COMMENT, "").replace(BLOCK, "\n")
  for (const paragraph of shown.split(/\n\s*\n/)) {
    const lines = paragraph.replace(/^\n+/, "")
    if (!PROSE_START.test(lines) || UNDERLINE.test(lines)) continue
    const prose = lines.replace(/<\/?[A-Za-z][^<>]{0,500}>/g, "").trim()
    if (prose.length > MIN_CHARS) return prose
  }
  return ""
}

function proposalFor(map: ProjectMap, config: Config): Proposal {
  const scope = config.path_scopes[EXECUTOR] ?? ["**"]
  const excluded = excludedFolders(map).filter(({ glob }) => !scope.includes(glob))
  const path_scopes = { ...config.path_scopes, [EXECUTOR]: [...scope, ...excluded.map(({ glob }) => glob)] }
  return {
    config: excluded.length === 0 ? null : { path_scopes },
    because: excluded.map(({ glob, why }) => `${glob}: ${why}`),
    verify: map.commands.filter(({ purpose }) => checkPurposes.has(purpose)),
    questions: questionsFor(map, excluded.length > 0),
  }
}

/** Folders that an executor should not write in. */
function excludedFolders({ governance, structure }: ProjectMap): { glob: string; why: string }[] {
  const governed = governance.flatMap(({ name, folders }) =>
    folders.map((folder) => ({ glob: `!${folder}/**`, why: `${name} looks after it` })),
  )
  const others = structure
    .filter(({ role, path }) => role === "not ours" && !path.includes("/"))
    .map(({ path }) => ({ glob: `!${path}/**`, why: "brought along or generated" }))
  return [...governed, ...others]
}

function questionsFor({ commands, managers, governance }: ProjectMap, hasScopes: boolean): string[] {
  const isTested = commands.some(({ purpose }) => purpose === "test" || purpose === "check")
  const usual = commands.filter(({ declared, purpose }) => !declared && checkPurposes.has(purpose))
  const jvm = managers.filter(({ name }) => name === "maven" || name === "gradle").map(({ name }) => name)
  const frameworks = governance.filter(({ kind }) => kind === "framework")
  const questions: string[] = []
  if (hasScopes)
    questions.push(
      "Shall hive-executor keep out of these folders? Then put the proposed path_scopes into the config.",
    )
  if (!isTested) questions.push("How is this project tested? No command for it was found.")
  if (usual.length > 0) {
    const listed = usual.map(({ command }) => `\`${command}\``).join(", ")
    questions.push(`Are these right? No file of the project names them: ${listed}.`)
  }
  if (jvm.length > 1) questions.push(`There are ${jvm.join(" and ")}: which one counts?`)
  if (frameworks.length > 1) questions.push("Several frameworks plan work here: which one has the say?")
  return questions
}

const EXECUTOR = "hive-executor"
const MAX_README_BYTES = 256 << 10
const MAX_LINES = 1000
const MIN_CHARS = 40
const COMMENT = /<!--[\s\S]*?-->/g
// Fenced code and HTML blocks, to their end or that of the text.
const BLOCK =
  /^[ \t]*(`{3}|~{3})[\s\S]*?(?:\n[ \t]*\1.*|$(?![\s\S]))|^[ \t]*<(pre|script|style|table|svg|picture|details)\b[\s\S]*?(?:<\/\2.*|$(?![\s\S]))/gim
// Four blanks make it code.
const PROSE_START = /^ {0,3}(?:[\p{L}"]|`(?!``)|[*_]+[\p{L}"`])/u
// The underline of a heading.
const UNDERLINE = /^(?:=+|-+)\s*$/m
