import type { Onboarding } from "../knowledge/project/onboard.ts"
import type { HiveScan } from "../knowledge/project/scan-hive.ts"
import { countTypes } from "../project/scan/documents.ts"
import type { Drift } from "../project/scan/drift.ts"
import type { DeadReference, Folder, ProjectMap } from "../schemas/project-map.ts"

export function mapView({ map, drift, facts, followed, isKept }: HiveScan) {
  return {
    files: map.files.count,
    languages: map.languages.slice(0, MAX_LANGUAGES).map(({ name, lines }) => `${name} ${lines} lines`),
    structure: map.structure.filter(({ path }) => !path.includes("/")).map(folderText),
    ...techView(map, MAX_BRIEF),
    governance: map.governance.map(({ name, rules, folders }) => ({
      name,
      ...(rules.length > 0 && { follow: rules }),
      ...(folders.length > 0 && { leave_to_it: folders }),
    })),
    documents: Object.fromEntries(countTypes(map.documents)),
    dead_references: map.dead_references.length,
    ...(drift !== null && { since_last_scan: driftCounts(drift) }),
    mems: facts === null ? 0 : facts.made.length,
    ...(followed > 0 && { documents_followed: followed }),
    ...(map.notes.length > 0 && { notes: map.notes.slice(0, MAX_NOTES) }),
    ...(!isKept && { kept: false }),
  }
}

export function techView({ frameworks, managers, packages, commands }: ProjectMap, max = MAX_LISTED) {
  return {
    frameworks: frameworks.slice(0, max).map((framework) => `${versioned(framework)}, ${framework.evidence}`),
    managers: managers.map((manager) => `${versioned(manager)}, ${manager.evidence}`),
    ...(packages.length > 1 && {
      packages: packages.slice(0, max).map(({ path, name }) => (name === null ? path : `${path} ${name}`)),
    }),
    commands: commands.slice(0, max).map(({ purpose, command, folder, evidence, declared }) => {
      const place = folder === "" ? "" : ` in ${folder}`
      return `${purpose}${place}: ${command}, ${declared ? evidence : `usual with ${evidence}`}`
    }),
  }
}

export function documentsView({ documents, dead_references }: ProjectMap) {
  // Requirements come first, because there may be hundreds of guides.
  const ordered = [...documents].sort((a, b) => ORDER.indexOf(a.type) - ORDER.indexOf(b.type))
  return {
    count: Object.fromEntries(countTypes(documents)),
    documents: ordered.slice(0, MAX_LISTED).map(({ path, type, title, links }) => ({
      path,
      type,
      title,
      ...(links.length > 0 && { links: links.slice(0, MAX_LINKS) }),
    })),
    dead_references: dead_references.slice(0, MAX_LISTED).map(deadText),
    ...(dead_references.length > MAX_LISTED && { more_dead: dead_references.length - MAX_LISTED }),
  }
}

export function driftView(drift: Drift | null) {
  if (drift === null) return { drift: "no scan yet", use: "full" }
  const { added, removed, changed, moved, governed, facts } = drift
  return {
    ...driftCounts(drift),
    facts: facts.slice(0, MAX_LISTED),
    files: {
      added: added.slice(0, MAX_BRIEF),
      removed: removed.slice(0, MAX_BRIEF),
      changed: changed.slice(0, MAX_BRIEF),
      moved: moved.slice(0, MAX_BRIEF).map(({ from, to }) => `${from} → ${to}`),
    },
    ...(governed > 0 && { in_folders_of_frameworks: governed }),
  }
}

export function onboardingView({ scan, profile, proposal }: Onboarding) {
  return {
    ...mapView(scan),
    profile: { path: profile.path, outcome: profile.outcome },
    proposed: {
      ...(proposal.config !== null && { config: proposal.config, because: proposal.because }),
      verify: proposal.verify.map(({ command }) => command),
    },
    ask_the_user: proposal.questions,
  }
}

function driftCounts({ added, removed, changed, moved, facts }: Drift) {
  return {
    added: added.length,
    removed: removed.length,
    changed: changed.length,
    moved: moved.length,
    facts: facts.length,
  }
}

function versioned({ name, version }: { name: string; version: string | null }): string {
  return version === null || version === "" ? name : `${name} ${version}`
}

function folderText({ path, role, files, language }: Folder): string {
  return `${path}/ ${role}${language === null ? "" : ` ${language}`}, ${files} files`
}

const deadText = ({ path, line, target, why }: DeadReference): string => `${path}:${line} → ${target}: ${why}`

const ORDER = "rules prd spec plan adr research readme guide policy changelog template prompt other".split(
  " ",
)
const MAX_LANGUAGES = 5
const MAX_BRIEF = 20
const MAX_LISTED = 60
const MAX_LINKS = 10
const MAX_NOTES = 5
