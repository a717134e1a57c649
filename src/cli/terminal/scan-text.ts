import type { Onboarding } from "../../knowledge/project/onboard.ts"
import type { Proposal } from "../../knowledge/project/propose.ts"
import type { HiveScan } from "../../knowledge/project/scan-hive.ts"
import { countTypes } from "../../project/scan/document/count-types.ts"
import { type Drift, isDrift } from "../../project/scan/drift.ts"
import type { ProjectMap } from "../../schemas/project-map.ts"
import { counted } from "../../shared/amounts.ts"
import { rowsWith, type Style } from "./style.ts"

/** The map for a person: what the project is, in a screenful. */
export function mapText({ map, drift, facts }: HiveScan, style: Style): string {
  const row = rowsWith(style, WIDTH)
  const { files, languages, structure, governance, dead_references, notes } = map
  const top = structure.filter(({ path }) => !path.includes("/"))
  return [
    ...row("files", [`${files.count}, listed by ${files.listed_by}`]),
    ...row(
      "languages",
      languages.length > 0
        ? [
            languages
              .slice(0, 6)
              .map(({ name, lines }) => `${name} ${lines}`)
              .join(", "),
          ]
        : [],
    ),
    ...techText(map, style),
    ...row(
      "folders",
      top
        .slice(0, MAX_FOLDERS)
        .map(
          ({ path, role, files: count, language }) =>
            `${path}/ ${style("dim", `${role}${language === null ? "" : `, ${language}`}, ${counted(count, "file")}`)}`,
        ),
    ),
    ...row(
      "governed by",
      governance.map(
        ({ name, evidence, folders }) =>
          `${name} ${style("dim", [...folders.map((folder) => `${folder}/`), ...evidence].slice(0, 4).join(", "))}`,
      ),
    ),
    ...row(
      "documents",
      map.documents.length === 0
        ? []
        : [[...countTypes(map.documents)].map(([type, count]) => `${count} ${type}`).join(", ")],
    ),
    ...row(
      "dead links",
      dead_references.length === 0 ? [] : [`${dead_references.length}: see \`hivemind scan documents\``],
    ),
    ...row("since then", drift === null ? [] : [driftLine(drift)]),
    ...row(
      "mems",
      facts === null || facts.made.length === 0 ? [] : [`${counted(facts.made.length, "mem")} made`],
    ),
    ...row("notes", [
      ...notes.slice(0, MAX_NOTES),
      ...(notes.length > MAX_NOTES ? [`and ${notes.length - MAX_NOTES} more`] : []),
    ]),
  ].join("\n")
}

export function techText({ frameworks, managers, packages, commands }: ProjectMap, style: Style): string[] {
  const row = rowsWith(style, WIDTH)
  const version = (text: string | null) => (text === null ? "" : ` ${text}`)
  const locked = (each: ProjectMap["frameworks"][number]) =>
    each.locked === null || each.locked === each.version ? "" : `, locked at ${each.locked}`
  return [
    ...row(
      "built with",
      frameworks.map(
        (each) =>
          `${each.name}${version(each.version)}${locked(each)} ${style("dim", `${each.kind}, ${each.evidence}`)}`,
      ),
    ),
    ...row(
      "managed by",
      managers.map((each) => `${each.name}${version(each.version)} ${style("dim", each.evidence)}`),
    ),
    ...row(
      "packages",
      packages.length > 1
        ? packages.slice(0, MAX_FOLDERS).map(({ path, name }) => `${path}${version(name)}`)
        : [],
    ),
    ...row(
      "commands",
      commands.map(
        ({ purpose, command, folder, evidence, declared }) =>
          `${purpose}${folder === "" ? "" : ` in ${folder}`}: ${command} ${style("dim", declared ? evidence : `usual with ${evidence}`)}`,
      ),
    ),
  ]
}

export function documentsText({ documents, dead_references }: ProjectMap, style: Style): string {
  if (documents.length === 0) return "No documents."
  const lines = documents.map(
    ({ path, type, title, links }) =>
      `${style("dim", type.padEnd(TYPE_WIDTH))}${path} ${style("dim", `${title}${links.length > 0 ? ` → ${counted(links.length, "document")}` : ""}`)}`,
  )
  const dead = dead_references.map(({ path, line, target, why }) => `  ${path}:${line} → ${target}: ${why}`)
  return [
    ...lines,
    ...(dead.length > 0 ? ["", style("yellow", counted(dead.length, "dead reference")), ...dead] : []),
  ].join("\n")
}

export function driftText(drift: Drift | null, style: Style): string {
  if (drift === null) return "There is no scan yet: run `hivemind scan`."
  if (!isDrift(drift)) return "Nothing has changed since the last scan."
  const row = rowsWith(style, WIDTH)
  const few = (paths: readonly string[]) =>
    paths.length > MAX_LISTED
      ? [...paths.slice(0, MAX_LISTED), `and ${paths.length - MAX_LISTED} more`]
      : paths
  return [
    ...row("facts", few(drift.facts)),
    ...row("added", few(drift.added)),
    ...row("changed", few(drift.changed)),
    ...row("removed", few(drift.removed)),
    ...row("moved", few(drift.moved.map(({ from, to }) => `${from} → ${to}`))),
    ...row(
      "not counted",
      drift.governed === 0
        ? []
        : [`${counted(drift.governed, "change")} in folders of frameworks that govern here`],
    ),
  ].join("\n")
}

/** What `onboard --apply` has put into the configuration. */
export interface AppliedScopes {
  path: string
  /** Each glob with why; none where the configuration has them all. */
  added: string[]
}

export function onboardingText(
  { scan, profile, proposal }: Onboarding,
  style: Style,
  applied: AppliedScopes | null = null,
): string {
  const row = rowsWith(style, WIDTH)
  const made = scan.facts?.made.length ?? 0
  return [
    ...row("profile", [`${profile.path}: ${profile.outcome}`]),
    ...row("mems", [made === 0 ? "nothing new" : `${counted(made, "mem")} made`]),
    ...row(
      "verify with",
      proposal.verify.map(({ command, folder }) =>
        folder === "" ? command : `${command} ${style("dim", `in ${folder}`)}`,
      ),
    ),
    ...(applied === null ? proposedRows(proposal, row) : row("applied", appliedLines(applied))),
    ...row(
      "your word",
      proposal.questions.filter((question) => applied === null || !question.includes("path_scopes")),
    ),
  ].join("\n")
}

function proposedRows({ because, config }: Proposal, row: ReturnType<typeof rowsWith>): string[] {
  return [
    ...row(
      "proposed",
      because.map((reason) => `hive-executor keeps out of ${reason}`),
    ),
    ...row("config", config === null ? [] : [JSON.stringify(config), "`hivemind onboard --apply` writes it"]),
  ]
}

function appliedLines({ path, added }: AppliedScopes): string[] {
  if (added.length === 0) return [`nothing to add to ${path}`]
  return [`to ${path}:`, ...added.map((reason) => `hive-executor keeps out of ${reason}`)]
}

function driftLine(drift: Drift): string {
  if (!isDrift(drift)) return "nothing has changed"
  const { added, changed, removed, moved, facts } = drift
  const parts = [
    ["added", added],
    ["changed", changed],
    ["removed", removed],
    ["moved", moved],
    ["facts", facts],
  ] as const
  return parts.flatMap(([what, list]) => (list.length > 0 ? [`${list.length} ${what}`] : [])).join(", ")
}

const WIDTH = 13
const TYPE_WIDTH = 11
const MAX_FOLDERS = 20
const MAX_NOTES = 5
const MAX_LISTED = 20
