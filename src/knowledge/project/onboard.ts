import { createHash } from "node:crypto"
import { join, relative } from "node:path"
import type { Caller, Hive } from "../../hive/hive.ts"
import { readProjectFile } from "../../project/files/read-file.ts"
import { checkPurposes } from "../../project/scan/map-file.ts"
import { scanProject } from "../../project/scan/scan-project.ts"
import { depthOf, isBeside } from "../../project/scan/scanned-files.ts"
import type { Config } from "../../schemas/config.ts"
import type { ProjectCommand, ProjectMap } from "../../schemas/project-map.ts"
import { shorten } from "../../shared/text/clean.ts"
import { hasHive, hivePaths } from "../../store/files/layout.ts"
import { readText, replaceText } from "../../store/files/text-file.ts"
import { mainLanguages, withVersion } from "./facts.ts"
import { type HiveScan, type ScanOptions, scanHive } from "./scan-hive.ts"

export type Onboarding = Awaited<ReturnType<typeof onboard>>

export interface Proposal {
  /** Changes for `.hivemind/system/config.json`, which only exclude paths; null if none are needed. */
  config: Pick<Config, "path_scopes"> | null
  because: string[]
  verify: ProjectCommand[]
  questions: string[]
}

/** Scans a project, writes a profile, saves first mems, and suggests scopes and checks. Running it again changes nothing. */
export async function onboard(
  hive: Hive,
  caller: Caller,
  { dryRun = false, ...options }: ScanOptions & { dryRun?: boolean } = {},
) {
  const scan = dryRun ? await dryScan(hive, options) : await scanHive(hive, caller, "full", options)
  const proposal = proposalFor(scan.map, hive.config)
  const text = signed(profileText(scan.map, proposal, introduction(hive, scan)))
  const path = join(hivePaths(hive.home).project, "profile.md")
  const outcome = dryRun || !hasHive(hive.home) ? ("not written" as const) : writeProfile(path, text)
  return { scan, profile: { path: relative(hive.home, path), text, outcome }, proposal }
}

async function dryScan({ dir, source }: Hive, options: ScanOptions): Promise<HiveScan> {
  const { map } = await scanProject(dir, { at: new Date(source.now()).toISOString(), ...options })
  return { map, drift: null, facts: null, followed: 0, isKept: false }
}

function writeProfile(path: string, text: string) {
  const present = readText(path)
  if (present === text) return "unchanged"
  if (present !== undefined && !isUnedited(present)) return "edited by hand, so not changed"
  replaceText(path, text)
  return "written"
}

/** Appends a hash of the text, which shows later whether the file was edited. */
const signed = (text: string): string => `${text}\n<!-- hivemind ${hashOf(text)} -->\n`

function isUnedited(text: string): boolean {
  const [, body, hash] = /^([\s\S]*)\n<!-- hivemind (\w+) -->\n$/.exec(text) ?? []
  return body !== undefined && hashOf(body) === hash
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 12)

function introduction({ dir }: Hive, { map }: HiveScan): string {
  const readme = map.documents.find(({ path, type }) => type === "readme" && !path.includes("/"))
  const read = readme === undefined ? undefined : readProjectFile(dir, readme.path, MAX_README_BYTES)
  return read !== undefined && "text" in read ? firstProse(read.text) : ""
}

/** Returns the first paragraph of a readme that is prose: no code, HTML block, table, list, badge or heading. */
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

function excludedFolders({ governance, structure }: ProjectMap): { glob: string; why: string }[] {
  const governed = governance.flatMap(({ name, folders }) =>
    folders.map((folder) => ({ glob: `!${folder}/**`, why: `${name} manages it` })),
  )
  const others = structure
    .filter(({ role, path }) => role === "not ours" && !path.includes("/"))
    .map(({ path }) => ({ glob: `!${path}/**`, why: "third-party or generated code" }))
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
      "Should hive-executor keep out of these folders? If so, put the proposed path_scopes into the config.",
    )
  if (!isTested) questions.push("How is this project tested? No test command was found.")
  if (usual.length > 0) {
    const listed = usual.map(({ command }) => `\`${command}\``).join(", ")
    questions.push(`Are these commands right? No file of the project names them: ${listed}.`)
  }
  if (jvm.length > 1) questions.push(`The project has ${jvm.join(" and ")}: which one builds it?`)
  if (frameworks.length > 1) questions.push("Several planning frameworks are in use: which one decides?")
  return questions
}

const EXECUTOR = "hive-executor"
const MAX_README_BYTES = 256 << 10
const MAX_LINES = 1000
const MIN_CHARS = 40
const COMMENT = /<!--[\s\S]*?-->/g
// Fenced code and HTML blocks. A block without an end reaches to the end of the text.
const BLOCK =
  /^[ \t]*(`{3}|~{3})[\s\S]*?(?:\n[ \t]*\1.*|$(?![\s\S]))|^[ \t]*<(pre|script|style|table|svg|picture|details)\b[\s\S]*?(?:<\/\2.*|$(?![\s\S]))/gim
// At most three spaces before the text, because four make a code block in Markdown.
const PROSE_START = /^ {0,3}(?:[\p{L}"]|`(?!``)|[*_]+[\p{L}"`])/u
const UNDERLINE = /^(?:=+|-+)\s*$/m

function profileText(map: ProjectMap, proposal: Proposal, introduction: string): string {
  return [
    `# Project profile${nameOf(map)}`,
    "HiveMind wrote this page from the project's files; each statement ends with its source. You may correct it: HiveMind does not overwrite an edited page.",
    ...(introduction === "" ? [] : [`> ${shorten(introduction, MAX_INTRODUCTION)}`]),
    ...section("Built with", builtWith(map)),
    ...section("Commands", commandLines(map)),
    ...section("Rules", governanceLines(map)),
    ...section("Where things are", folderLines(map)),
    ...section("Documents", documentLines(map)),
    ...section("Problems", troubleLines(map)),
    ...section("Proposed", proposalLines(proposal)),
    ...section("Questions for you", proposal.questions),
  ].join("\n\n")
}

function nameOf({ packages, documents }: ProjectMap): string {
  const named = packages.find(({ path }) => path === ".")?.name ?? null
  if (named !== null && !/^(root|workspace|monorepo)$/.test(named)) return `: ${named}`
  const readme = documents.find(({ path, type }) => type === "readme" && !path.includes("/"))
  return readme === undefined ? "" : `: ${readme.title}`
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`## ${title}`, lines.map((line) => `- ${line}`).join("\n")]
}

function builtWith(map: ProjectMap): string[] {
  const languages = mainLanguages(map)
  return [
    ...(languages.length > 0 ? [`Languages: ${languages.join(", ")}`] : []),
    ...map.frameworks.map((framework) => {
      const { kind, evidence } = framework
      return `${withVersion(framework)} (${kind}): \`${evidence}\``
    }),
    ...map.managers.map((manager) => `${withVersion(manager)} (packages): \`${manager.evidence}\``),
  ]
}

function commandLines({ commands }: ProjectMap): string[] {
  return commands.map(({ purpose, command, folder, evidence, declared }) => {
    const where = folder === "" ? "" : ` in \`${folder}/\``
    return `${purpose}${where}: \`${command}\`, ${declared ? `\`${evidence}\`` : `no file names it, but it is usual with \`${evidence}\``}`
  })
}

function governanceLines({ governance }: ProjectMap): string[] {
  return governance.map(({ name, kind, folders, rules, evidence }) => {
    const known = evidence.map((path) => `\`${path}\``).join(", ")
    if (kind === "rules") return `${name}: ${known}`
    const own = folders.map((folder) => `\`${folder}/\``).join(", ")
    const follow = rules.length > 0 ? `; its rules: ${rules.map((path) => `\`${path}\``).join(", ")}` : ""
    return `${name}, recognised by ${known}. HiveMind writes nothing in ${own}, and changes there do not count as drift${follow}`
  })
}

function folderLines({ structure, packages }: ProjectMap): string[] {
  const shown = structure.filter(({ path, role }) => !path.includes("/") && role !== "other")
  const inside = packages.filter(({ path }) => path !== ".")
  return [
    ...shown.map(
      ({ path, role, language }) => `\`${path}/\`: ${role}${language === null ? "" : `, ${language}`}`,
    ),
    ...inside
      .slice(0, MAX_LISTED)
      .map(({ path, name }) => `\`${path}/\`: package${name === null ? "" : ` ${name}`}`),
  ]
}

function documentLines({ documents }: ProjectMap): string[] {
  return TYPES.flatMap((type) => {
    const own = documents
      .filter((document) => document.type === type && !isBeside(document.path))
      .sort((a, b) => depthOf(a.path) - depthOf(b.path))
    const named = own.slice(0, MAX_NAMED).map(({ path }) => `\`${path}\``)
    const more = own.length - named.length
    return own.length === 0 ? [] : [`${type}: ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`]
  })
}

function troubleLines({ dead_references, notes }: ProjectMap): string[] {
  const shown = dead_references.slice(0, MAX_LISTED)
  const more = dead_references.length - shown.length
  return [
    ...shown.map(({ path, line, target, why }) => `\`${path}:${line}\` links to \`${target}\`: ${why}`),
    ...(more > 0 ? [`${more} more dead references: \`hivemind scan documents\``] : []),
    ...notes.slice(0, MAX_NAMED),
  ]
}

function proposalLines({ config, because, verify }: Proposal): string[] {
  return [
    ...verify.map(
      ({ purpose, command, folder }) =>
        `a task can be verified (${purpose}) with \`${folder === "" ? command : `cd ${folder} && ${command}`}\``,
    ),
    ...because.map((reason) => `hive-executor keeps out of ${reason}`),
    ...(config === null
      ? []
      : [`for \`.hivemind/system/config.json\`, if you agree: \`${JSON.stringify(config)}\``]),
  ]
}

const TYPES = ["readme", "rules", "prd", "spec", "plan", "adr", "research", "guide", "changelog"] as const
const MAX_INTRODUCTION = 400
const MAX_LISTED = 20
const MAX_NAMED = 5
