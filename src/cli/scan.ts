import { relative } from "node:path"
import type { Command } from "commander"
import type { Hive } from "../hive/hive.ts"
import { type Onboarding, onboard, type Proposal } from "../knowledge/project/onboard.ts"
import { detectDrift, type HiveScan, scanHive } from "../knowledge/project/scan-hive.ts"
import { countTypes } from "../project/scan/documents.ts"
import { type Drift, isDrift } from "../project/scan/drift.ts"
import type { ProjectMap } from "../schemas/project-map.ts"
import { counted } from "../shared/amounts.ts"
import { hivePaths } from "../store/files/layout.ts"
import { readText, replaceText } from "../store/files/text-file.ts"
import { codemapCommand } from "./codemap.ts"
import { editJsonc, parseJsonc, valueAt } from "./install/jsonc.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand } from "./terminal/command.ts"
import { cleanValues } from "./terminal/output.ts"
import { withFileProgress } from "./terminal/progress.ts"
import { type Fields, fieldLines, firstLines, type Style } from "./terminal/style.ts"

interface ScanOptions {
  full?: boolean
}

/** Scans changed files of the project, keeps the map, and shows it. */
export const command: CliCommand<ScanOptions> = {
  configure(scan: Command) {
    const parts = ["map", "drift", "frameworks", "documents"]
    scan
      .addArgument(scan.createArgument("[what]", "the part to show (default: map)").choices(parts))
      .option("--full", "read every file again, not only changed ones")
      .addHelpText("after", "\nExample: hivemind scan documents")
  },

  run: (input) =>
    withHive(input, ({ hive }) =>
      withFileProgress(input.io, async (onProgress) => {
        const [what = "map"] = input.args
        const { style } = input
        if (what === "drift") {
          const { drift } = await detectDrift(hive, { onProgress })
          return { data: { scanned: drift !== null, ...drift }, text: driftLines(cleanValues(drift), style) }
        }
        const caller = { session: null, agent: null, tool: "hivemind scan" }
        const mode = input.options.full === true ? "full" : "incremental"
        const scan = await scanHive(hive, caller, mode, { onProgress })
        const { map, drift, facts } = scan
        const clean = cleanValues(scan)
        if (what === "frameworks") {
          const { frameworks, managers, packages, commands } = map
          const data = { frameworks, managers, packages, commands }
          return { data, text: fieldLines(toolFields(clean.map, style), style) }
        }
        if (what === "documents") {
          const { documents, dead_references } = map
          return { data: { documents, dead_references }, text: documentLines(clean.map, style) }
        }
        const mems = facts?.made.map(({ id, content }) => ({ id, content })) ?? []
        return { data: { map, drift, mems }, text: fieldLines(mapFields(clean, style), style) }
      }),
    ),
}

/** The project in a screenful. */
function mapFields({ map, drift, facts }: HiveScan, style: Style): Fields {
  const { files, languages, structure, governance, documents, dead_references, notes } = map
  const folders = structure.filter(({ path }) => !path.includes("/"))
  const types = [...countTypes(documents)].map(([type, count]) => `${count} ${type}`)
  const lines = languages.slice(0, MAX_LANGUAGES).map((each) => `${each.name} ${each.lines}`)
  const made = facts?.made.length ?? 0
  return {
    files: `${files.count}, listed by ${files.listed_by}`,
    languages: lines.length === 0 ? null : lines.join(", "),
    ...toolFields(map, style),
    folders: folders.slice(0, MAX_LISTED).map(({ path, role, files: count, language }) => {
      const facts = [role, ...(language === null ? [] : [language]), counted(count, "file")]
      return `${path}/ ${style("dim", facts.join(", "))}`
    }),
    "governed by": governance.map(({ name, evidence, folders: dirs }) => {
      const shown = [...dirs.map((dir) => `${dir}/`), ...evidence].slice(0, MAX_EVIDENCE)
      return `${name} ${style("dim", shown.join(", "))}`
    }),
    documents: types.length === 0 ? null : types.join(", "),
    "dead links":
      dead_references.length === 0 ? null : `${dead_references.length}: see \`hivemind scan documents\``,
    "since then": drift && driftSummary(drift),
    mems: made === 0 ? null : `${counted(made, "mem")} made`,
    notes: firstLines(notes, MAX_NOTES),
  }
}

/** Frameworks, package managers, packages and commands, each with its source. */
function toolFields({ frameworks, managers, packages, commands }: ProjectMap, style: Style): Fields {
  const version = (text: string | null) => (text === null ? "" : ` ${text}`)
  return {
    "built with": frameworks.map(
      (each) => `${each.name}${version(each.version)} ${style("dim", `${each.kind}, ${each.evidence}`)}`,
    ),
    "managed by": managers.map(
      (each) => `${each.name}${version(each.version)} ${style("dim", each.evidence)}`,
    ),
    packages:
      packages.length > 1
        ? packages.slice(0, MAX_LISTED).map(({ path, name }) => `${path}${version(name)}`)
        : null,
    commands: commands.map(({ purpose, command: run, folder, evidence, declared }) => {
      const where = folder === "" ? "" : ` in ${folder}`
      return `${purpose}${where}: ${run} ${style("dim", declared ? evidence : `usual with ${evidence}`)}`
    }),
  }
}

function documentLines({ documents, dead_references }: ProjectMap, style: Style): string[] {
  if (documents.length === 0) return ["No documents."]
  const lines = documents.map(({ path, type, title, links }) => {
    const linked = links.length > 0 ? ` → ${counted(links.length, "document")}` : ""
    return `${style("dim", type.padEnd(TYPE_WIDTH))}${path} ${style("dim", `${title}${linked}`)}`
  })
  const dead = dead_references.map(({ path, line, target, why }) => `  ${path}:${line} → ${target}: ${why}`)
  return dead.length === 0
    ? lines
    : [...lines, "", style("yellow", counted(dead.length, "dead reference")), ...dead]
}

function driftLines(drift: Drift | null, style: Style): string[] {
  if (drift === null) return ["There is no scan yet: run `hivemind scan`."]
  if (!isDrift(drift)) return ["Nothing has changed since the last scan."]
  const { facts, added, changed, removed, moved, governed } = drift
  const fields = {
    facts: firstLines(facts, MAX_LISTED),
    added: firstLines(added, MAX_LISTED),
    changed: firstLines(changed, MAX_LISTED),
    removed: firstLines(removed, MAX_LISTED),
    moved: firstLines(
      moved.map(({ from, to }) => `${from} → ${to}`),
      MAX_LISTED,
    ),
    "not counted":
      governed === 0 ? null : `${counted(governed, "change")} in folders of frameworks that govern here`,
  }
  return fieldLines(fields, style)
}

function driftSummary(drift: Drift): string {
  if (!isDrift(drift)) return "nothing has changed"
  const names = ["added", "changed", "removed", "moved", "facts"] as const
  return names.flatMap((name) => (drift[name].length > 0 ? [`${drift[name].length} ${name}`] : [])).join(", ")
}

interface OnboardOptions {
  dryRun?: boolean
  apply?: boolean
}

/** Writes a profile of the project, first mems and proposals. Changes no configuration without `--apply`. */
const onboardCommand: CliCommand<OnboardOptions> = {
  configure(onboarding: Command) {
    onboarding
      .option("--dry-run", "write nothing, and print the profile")
      .option("--apply", "put the proposed path scopes into .hivemind/system/config.json, and show them")
      .addHelpText("after", "\nExample: hivemind scan onboard --apply")
  },

  run: (input) =>
    withHive(input, async ({ hive }) => {
      const { dryRun = false, apply } = input.options
      const caller = { session: null, agent: null, tool: "hivemind scan onboard" }
      const done = await withFileProgress(input.io, (onProgress) =>
        onboard(hive, caller, { dryRun, onProgress }),
      )
      const { scan, profile, proposal } = done
      const { text, ...written } = profile
      const applied = apply === true && !dryRun ? applyScopes(hive, proposal) : null
      const mems = scan.facts?.made.map(({ id, content }) => ({ id, content })) ?? []
      return {
        data: { dry_run: dryRun, profile: dryRun ? profile : written, mems, proposal, applied },
        text: dryRun ? text : onboardingLines(cleanValues(done), input.style, applied),
      }
    }),
}

interface AppliedScopes {
  path: string
  /** The reason of each scope; empty if the configuration has them all. */
  added: string[]
}

/** Writes the proposed path scopes into the project's configuration; comments, order and all else in it stay. */
function applyScopes(hive: Hive, { config, because }: Proposal): AppliedScopes {
  const file = hivePaths(hive.home).config
  const path = relative(hive.home, file)
  if (config === null) return { path, added: [] }
  const before = readText(file) ?? ""
  const after = withScopes(before, path, config.path_scopes)
  if (after !== before) replaceText(file, after)
  return { path, added: because }
}

/** The text of a configuration with these path scopes. */
export function withScopes(
  text: string,
  file: string,
  wanted: Readonly<Record<string, readonly string[]>>,
): string {
  let edited = text
  for (const [role, globs] of Object.entries(wanted))
    for (const glob of globs) {
      const scopes = valueAt(parseJsonc(edited, file).root, "path_scopes")
      const isThere = valueAt(scopes, role)?.children?.some(({ value }) => value === glob) === true
      if (!isThere) edited = editJsonc(edited, ["path_scopes", role], { append: glob }, file)
    }
  return edited
}

function onboardingLines(
  { scan, profile, proposal }: Onboarding,
  style: Style,
  applied: AppliedScopes | null,
): string[] {
  const made = scan.facts?.made.length ?? 0
  const scopes = (reasons: readonly string[]) =>
    reasons.map((reason) => `hive-executor keeps out of ${reason}`)
  const { config, because, verify, questions } = proposal
  const fields: Fields = {
    profile: `${profile.path}: ${profile.outcome}`,
    mems: made === 0 ? "nothing new" : `${counted(made, "mem")} made`,
    "verify with": verify.map(({ command: run, folder }) =>
      folder === "" ? run : `${run} ${style("dim", `in ${folder}`)}`,
    ),
    ...(applied === null
      ? {
          proposed: scopes(because),
          config: config && [JSON.stringify(config), "`hivemind scan onboard --apply` writes it"],
        }
      : {
          applied:
            applied.added.length === 0
              ? `nothing to add to ${applied.path}`
              : [`to ${applied.path}:`, ...scopes(applied.added)],
        }),
    "your word": questions.filter((question) => applied === null || !question.includes("path_scopes")),
  }
  return fieldLines(fields, style)
}

export const views: Record<string, CliCommand> = { codemap: codemapCommand, onboard: onboardCommand }

const TYPE_WIDTH = 11
const MAX_LISTED = 20
const MAX_LANGUAGES = 6
const MAX_EVIDENCE = 4
const MAX_NOTES = 5
