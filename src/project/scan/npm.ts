import { parse as parseYaml } from "yaml"
import type { PackageManager, ProjectCommand } from "../../schemas/project-map.ts"
import {
  dependenciesIn,
  lineFinder,
  type Manifest,
  purposeOf,
  readJson,
  stringsIn,
  type Table,
  tableIn,
} from "./manifest.ts"
import { folderOf, inFolder, type ScannedFiles } from "./scanned-files.ts"

/** Reads a `package.json` with its scripts and the package manager that the project uses. */
export function readNpm(files: ScannedFiles, path: string): Manifest | undefined {
  const json = readJson(files, path)
  if (json === undefined) return undefined
  const text = files.text(path) ?? ""
  const manager = managerOf(files, path, json, text)
  const { name, workspaces } = json
  return {
    path,
    ecosystem: "npm",
    name: typeof name === "string" && name !== "" ? name : null,
    dependencies: DEPENDENCIES.flatMap((key) =>
      dependenciesIn(tableIn(json, key), lineFinder(text, new RegExp(`^\\s*\\{?\\s*"${key}"`))),
    ),
    managers: manager === undefined ? [] : [manager],
    commands: commandsOf(path, json, text, manager?.name ?? "npm"),
    members: [
      ...stringsIn(Array.isArray(workspaces) ? workspaces : tableIn(workspaces)["packages"]),
      ...pnpmMembers(files, inFolder(folderOf(path), "pnpm-workspace.yaml")),
    ],
  }
}

/** The manager that `packageManager` names, else the one whose lock file lies beside the manifest or above it. */
function managerOf(files: ScannedFiles, path: string, json: Table, text: string): PackageManager | undefined {
  const [, name, version] =
    /^(npm|pnpm|yarn|bun)@([\w.-]{1,40})/.exec(String(json["packageManager"] ?? "")) ?? []
  const line = () => lineFinder(text, /"packageManager"/)("packageManager")
  if (name !== undefined) return { name, version: version ?? null, evidence: `${path}:${line()}` }
  for (let folder = folderOf(path); ; folder = folderOf(folder)) {
    const lock = LOCKS.find(([file]) => files.has(inFolder(folder, file)))
    if (lock !== undefined) return { name: lock[1], version: null, evidence: inFolder(folder, lock[0]) }
    if (folder === "") return undefined
  }
}

function commandsOf(path: string, json: Table, text: string, manager: string): ProjectCommand[] {
  const lineOf = lineFinder(text, /"scripts"/)
  return Object.entries(tableIn(json, "scripts")).flatMap(([script, value]) => {
    const purpose = purposeOf(script)
    if (purpose === undefined || typeof value !== "string" || NO_SCRIPT.test(value)) return []
    const evidence = `${path}:${lineOf(script)}`
    return { purpose, command: runScript(manager, script), folder: folderOf(path), evidence, declared: true }
  })
}

function runScript(manager: string, script: string): string {
  const isShort = manager === "npm" ? /^(test|start)$/.test(script) : manager !== "bun" && script !== "ci"
  return `${manager} ${isShort ? "" : "run "}${script}`
}

function pnpmMembers(files: ScannedFiles, path: string): string[] {
  try {
    return files.has(path) ? stringsIn(tableIn(parseYaml(files.text(path) ?? ""))["packages"]) : []
  } catch {
    files.note(`${path}: broken YAML, not read`)
    return []
  }
}

// What `npm init` writes in place of a test.
const NO_SCRIPT = /no test specified|^\s*$/
const DEPENDENCIES = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"]
const LOCKS: [file: string, manager: string][] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["pnpm-workspace.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
]
