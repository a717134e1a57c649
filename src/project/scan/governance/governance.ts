import type { Governance } from "../../../schemas/project-map.ts"
import type { Pausing } from "../../../shared/slices.ts"
import { isBeside, type ScannedFiles } from "../listing/scanned-files.ts"

/**
 * What else governs work in this project: frameworks that plan with files of their own, and texts with rules for agents.
 * They are respected: their folders are no drift, nothing of ours is written there, and the model is told of them.
 */
export function* findGovernance(files: ScannedFiles): Pausing<Governance[]> {
  const found: Governance[] = []
  for (const { name, folders, signs, rules = [], plans = [] } of FRAMEWORKS) {
    yield
    const evidence = signs(files)
    if (evidence.length === 0) continue
    const there = [...folders, ...plans].filter(files.has)
    found.push({
      name,
      kind: "framework",
      evidence: evidence.slice(0, MAX_NAMED),
      folders: there,
      rules: rules.filter(files.has),
    })
  }
  for (const { name, fits } of RULES) {
    const paths: string[] = []
    let count = 0
    for (const path of files.paths) {
      if (++count % PAUSE_EVERY === 0) yield
      if (fits.test(path) && !isBeside(path) && !OF_ANOTHER.test(path)) paths.push(path)
    }
    // Those nearest to the top hold for most.
    paths.sort((a, b) => a.split("/").length - b.split("/").length || (a < b ? -1 : 1))
    const named = paths.slice(0, MAX_NAMED)
    if (named.length > 0) found.push({ name, kind: "rules", evidence: named, folders: [], rules: named })
  }
  return found
}

/** True of a path that a framework looks after. */
export function isGoverned(governance: readonly Governance[]): (path: string) => boolean {
  const prefixes = governance.flatMap(({ folders }) => folders.map((folder) => `${folder}/`))
  return (path) => prefixes.some((prefix) => path.startsWith(prefix))
}

interface FrameworkSigns {
  name: string
  /** Its own: what it has installed. */
  folders: string[]
  /** Where it keeps plans. */
  plans?: string[]
  rules?: string[]
  /** The files by which it is known; a folder's name alone is no sign. */
  signs: (files: ScannedFiles) => string[]
}

/** Those of the paths that are there, if at least so many are. */
function atLeast(count: number, ...paths: string[]): FrameworkSigns["signs"] {
  return (files) => {
    const there = paths.filter(files.has)
    return there.length >= count ? there : []
  }
}

function either(...all: FrameworkSigns["signs"][]): FrameworkSigns["signs"] {
  return (files) => all.map((signs) => signs(files)).find((found) => found.length > 0) ?? []
}

const FRAMEWORKS: FrameworkSigns[] = [
  {
    name: "BMAD",
    folders: ["_bmad", ".bmad-core", ".bmad", "bmad"],
    plans: ["_bmad-output", ".bmad-ephemeral"],
    signs: either(
      atLeast(
        1,
        "_bmad/_config",
        "_bmad/core",
        "_bmad/bmm",
        ".bmad-core/core-config.yaml",
        ".bmad-core/agents",
      ),
      atLeast(1, "bmad/_cfg", ".bmad/_cfg", ".bmad/core", "_bmad-output"),
    ),
  },
  {
    name: "GSD",
    folders: [".planning", ".claude/get-shit-done", ".claude/commands/gsd"],
    rules: [".planning/PROJECT.md"],
    signs: either(
      atLeast(
        2,
        ".planning/PROJECT.md",
        ".planning/ROADMAP.md",
        ".planning/STATE.md",
        ".planning/REQUIREMENTS.md",
      ),
      atLeast(1, ".claude/commands/gsd", ".claude/get-shit-done"),
    ),
  },
  {
    name: "spec-kit",
    folders: [".specify"],
    plans: ["specs"],
    rules: [".specify/memory/constitution.md"],
    signs: atLeast(1, ".specify/memory/constitution.md", ".specify/templates", ".specify/scripts"),
  },
  {
    name: "Agent-OS",
    folders: [".agent-os", "agent-os"],
    rules: [
      "agent-os/product/mission.md",
      "agent-os/product/tech-stack.md",
      ".agent-os/product/mission.md",
      ".agent-os/product/tech-stack.md",
    ],
    signs: atLeast(
      1,
      "agent-os/product",
      "agent-os/standards",
      "agent-os/specs",
      ".agent-os/product",
      ".agent-os/standards",
      ".agent-os/specs",
    ),
  },
  {
    name: "OpenSpec",
    folders: ["openspec"],
    rules: ["openspec/AGENTS.md", "openspec/project.md"],
    signs: atLeast(1, "openspec/project.md", "openspec/specs", "openspec/changes"),
  },
  { name: "Kiro", folders: [".kiro"], signs: atLeast(1, ".kiro/steering", ".kiro/specs") },
  {
    name: "Task Master",
    folders: [".taskmaster"],
    signs: atLeast(1, ".taskmaster/config.json", ".taskmaster/tasks"),
  },
]

// In other letters only at the top: below it, `agents.md` is a page about agents.
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
// A skill brings texts of its own along, and so do the commands of a framework: they hold where they are used.
const OF_ANOTHER = /(^|\/)skills\/|(^|\/)rules\/(?:bmad|gsd|speckit)[-./]/
const MAX_NAMED = 10
const PAUSE_EVERY = 500
