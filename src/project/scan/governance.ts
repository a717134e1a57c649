import type { Governance } from "../../schemas/project-map.ts"
import type { Pausing } from "../../shared/slices.ts"
import { depthOf, isBeside, type ScannedFiles } from "./scanned-files.ts"

/** Finds other planning frameworks and rule files for agents. The model is told of them; HiveMind never writes to them. */
export function* findGovernance(files: ScannedFiles): Pausing<Governance[]> {
  const presentIn = (paths = "") => paths.split(/\s+/).filter(files.has)
  const found: Governance[] = []
  for (const { name, folders, rules, signs, pairs } of FRAMEWORKS) {
    yield
    const two = presentIn(pairs)
    const evidence = two.length > 1 ? two : presentIn(signs)
    if (evidence.length === 0) continue
    const own = { folders: presentIn(folders), rules: presentIn(rules) }
    found.push({ name, kind: "framework", evidence: evidence.slice(0, MAX_NAMED), ...own })
  }
  for (const { name, fits } of RULES) {
    const paths: string[] = []
    for (const [count, path] of files.paths.entries()) {
      if (count % PAUSE_EVERY === 0) yield
      if (fits.test(path) && !isBeside(path) && !OF_ANOTHER.test(path)) paths.push(path)
    }
    // Rule files near the root come first, as they apply to most files.
    paths.sort((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1))
    const named = paths.slice(0, MAX_NAMED)
    if (named.length > 0) found.push({ name, kind: "rules", evidence: named, folders: [], rules: named })
  }
  return found
}

export function isGoverned(governance: readonly Governance[]): (path: string) => boolean {
  const prefixes = governance.flatMap(({ folders }) => folders.map((folder) => `${folder}/`))
  return (path) => prefixes.some((prefix) => path.startsWith(prefix))
}

interface GoverningFramework {
  name: string
  /** The folders in which the framework is installed and keeps its plans. */
  folders: string
  rules?: string
  /** Any one of these paths proves that the framework is used. A folder's name alone does not. */
  signs: string
  /** Two of these paths together prove that the framework is used. */
  pairs?: string
}

const FRAMEWORKS: readonly GoverningFramework[] = [
  {
    name: "BMAD",
    folders: "_bmad .bmad-core .bmad bmad _bmad-output .bmad-ephemeral",
    signs: `_bmad/_config _bmad/core _bmad/bmm .bmad-core/core-config.yaml .bmad-core/agents
      bmad/_cfg .bmad/_cfg .bmad/core _bmad-output`,
  },
  {
    name: "GSD",
    folders: ".planning .claude/get-shit-done .claude/commands/gsd",
    rules: ".planning/PROJECT.md",
    signs: ".claude/commands/gsd .claude/get-shit-done",
    pairs: ".planning/PROJECT.md .planning/ROADMAP.md .planning/STATE.md .planning/REQUIREMENTS.md",
  },
  {
    name: "spec-kit",
    folders: ".specify specs",
    rules: ".specify/memory/constitution.md",
    signs: ".specify/memory/constitution.md .specify/templates .specify/scripts",
  },
  {
    name: "Agent-OS",
    folders: ".agent-os agent-os",
    rules: `agent-os/product/mission.md agent-os/product/tech-stack.md
      .agent-os/product/mission.md .agent-os/product/tech-stack.md`,
    signs: `agent-os/product agent-os/standards agent-os/specs
      .agent-os/product .agent-os/standards .agent-os/specs`,
  },
  {
    name: "OpenSpec",
    folders: "openspec",
    rules: "openspec/AGENTS.md openspec/project.md",
    signs: "openspec/project.md openspec/specs openspec/changes",
  },
  { name: "Kiro", folders: ".kiro", signs: ".kiro/steering .kiro/specs" },
  { name: "Task Master", folders: ".taskmaster", signs: ".taskmaster/config.json .taskmaster/tasks" },
]

// `agents.md` in lower case counts only at the root: in a folder it is a page about agents.
const RULES: { name: string; fits: RegExp }[] = [
  { name: "AGENTS.md", fits: /(^|\/)AGENTS\.md$|^[Aa][Gg][Ee][Nn][Tt][Ss]\.md$/ },
  { name: "CLAUDE.md", fits: /(^|\/)CLAUDE\.md$|^[Cc][Ll][Aa][Uu][Dd][Ee]\.md$/ },
  { name: "GEMINI.md", fits: /(^|\/)GEMINI\.md$|^[Gg][Ee][Mm][Ii][Nn][Ii]\.md$/ },
  { name: "Cursor rules", fits: /(^|\/)(\.cursorrules|\.cursor\/rules\/.+\.(mdc|md))$/ },
  {
    name: "Copilot instructions",
    fits: /^\.github\/(copilot-instructions\.md|instructions\/.+\.instructions\.md)$/,
  },
  { name: "Windsurf rules", fits: /^(\.windsurfrules|\.windsurf\/rules\/.+\.md)$/ },
  { name: "Cline rules", fits: /^\.clinerules(\/.+\.md)?$/ },
]
// The rules of skills and of other frameworks do not apply to the project as a whole.
const OF_ANOTHER = /(^|\/)skills\/|(^|\/)rules\/(?:bmad|gsd|speckit)[-./]/
const MAX_NAMED = 10
const PAUSE_EVERY = 500
