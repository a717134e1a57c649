import { depthOf, isBeside } from "../../project/scan/scanned-files.ts"
import type { ProjectMap } from "../../schemas/project-map.ts"
import { shorten } from "../../shared/text/clean.ts"
import { mainLanguages, withVersion } from "./facts.ts"
import type { Proposal } from "./onboard.ts"

/** The project on one page, for a person to read and correct. Each line says where it can be checked. */
export function profileText(map: ProjectMap, proposal: Proposal, introduction: string): string {
  return [
    `# Project profile${nameOf(map)}`,
    "Made by HiveMind from the project's files; each statement ends with its source. Correct it freely: an edited profile is not overwritten.",
    ...(introduction === "" ? [] : [`> ${shorten(introduction, MAX_INTRODUCTION)}`]),
    ...section("Built with", builtWith(map)),
    ...section("How it is run", commandLines(map)),
    ...section("Rules", governanceLines(map)),
    ...section("Where things are", folderLines(map)),
    ...section("Documents", documentLines(map)),
    ...section("To look at", troubleLines(map)),
    ...section("Proposed", proposalLines(proposal)),
    ...section("Only you can say", proposal.questions),
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
    return `${purpose}${where}: \`${command}\`, ${declared ? `\`${evidence}\`` : `not written down anywhere; usual with \`${evidence}\``}`
  })
}

function governanceLines({ governance }: ProjectMap): string[] {
  return governance.map(({ name, kind, folders, rules, evidence }) => {
    const known = evidence.map((path) => `\`${path}\``).join(", ")
    if (kind === "rules") return `${name}: ${known}`
    const own = folders.map((folder) => `\`${folder}/\``).join(", ")
    const follow = rules.length > 0 ? `; its rules: ${rules.map((path) => `\`${path}\``).join(", ")}` : ""
    return `${name}, known by ${known}. ${own} are its own: HiveMind writes nothing there, and changes there are no drift${follow}`
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
