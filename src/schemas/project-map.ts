import * as z from "zod"
import { time } from "./fields.ts"

const text = z.string().max(2000)
const path = z.string().min(1).max(4096)
/** The file that proves a fact: `path:line` or a path. */
const evidence = text

export const commandPurposes = ["test", "lint", "typecheck", "format", "build", "check", "start"] as const

const folderRoles = [
  "source",
  "tests",
  "documents",
  "examples",
  "scripts",
  "benchmarks",
  "assets",
  "configuration",
  "ci",
  "rules",
  "not ours",
  "other",
] as const

const documentTypes = [
  "readme",
  "rules",
  "prd",
  "spec",
  "adr",
  "plan",
  "research",
  "guide",
  "prompt",
  "changelog",
  "policy",
  "template",
  "other",
] as const

const folder = z.strictObject({
  path,
  role: z.enum(folderRoles),
  files: z.int().min(0),
  /** The language that most lines of the folder's files are in. */
  language: text.nullable(),
})

const language = z.strictObject({ name: text, files: z.int().min(0), lines: z.int().min(0) })

const framework = z.strictObject({
  name: text,
  kind: text,
  version: text.nullable(),
  evidence,
})

const packageEntry = z.strictObject({ path, name: text.nullable(), ecosystem: text })
const manager = z.strictObject({ name: text, version: text.nullable(), evidence })

const command = z.strictObject({
  purpose: z.enum(commandPurposes),
  command: text,
  /** The folder to run the command in; "" is the project's folder. */
  folder: z.string().max(4096),
  evidence,
  /** False if no file of the project has this command, and it is only usual for this kind of project. */
  declared: z.boolean(),
})

const governance = z.strictObject({
  name: text,
  /** `framework`: a tool that plans work in files of its own. `rules`: instructions for agents. */
  kind: z.enum(["framework", "rules"]),
  evidence: z.array(path),
  /** The folders of the framework. HiveMind does not write there, and changes there do not count as drift. */
  folders: z.array(path),
  rules: z.array(path),
})

export const documentEntry = z.strictObject({
  path,
  type: z.enum(documentTypes),
  title: text,
  headings: z.array(text),
  /** Other documents of the project that this one links to. */
  links: z.array(path),
})

export const deadReference = z.strictObject({ path, line: z.int().min(1), target: text, why: text })

/** The result of a project scan: `.hivemind/project/map.json`. */
export const projectMap = z.strictObject({
  /** Version of the map's format. A map of another version is replaced by a new scan. */
  format: z.literal(1),
  scanned_at: time,
  files: z.strictObject({ count: z.int().min(0), bytes: z.int().min(0), listed_by: text }),
  structure: z.array(folder),
  languages: z.array(language),
  frameworks: z.array(framework),
  managers: z.array(manager),
  packages: z.array(packageEntry),
  commands: z.array(command),
  governance: z.array(governance),
  documents: z.array(documentEntry),
  dead_references: z.array(deadReference),
  notes: z.array(text),
})

export type ProjectMap = z.infer<typeof projectMap>
export type Folder = z.infer<typeof folder>
export type Language = z.infer<typeof language>
export type Framework = z.infer<typeof framework>
export type PackageManager = z.infer<typeof manager>
export type ProjectCommand = z.infer<typeof command>
export type CommandPurpose = ProjectCommand["purpose"]
export type Governance = z.infer<typeof governance>
export type DocumentEntry = z.infer<typeof documentEntry>
export type DeadReference = z.infer<typeof deadReference>
