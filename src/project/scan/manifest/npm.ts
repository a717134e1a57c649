import type { PackageManager, ProjectCommand } from "../../../schemas/project-map.ts"
import { folderOf, inFolder, type ScannedFiles } from "../listing/scanned-files.ts"
import { type LocatedJson, readJson } from "./located-json.ts"
import { emptyManifest, type Manifest, purposeOf } from "./manifest.ts"

/** A `package.json`: its scripts, with the package manager that the project uses. */
export function readNpm(files: ScannedFiles, path: string): Manifest | undefined {
  const text = files.text(path)
  if (text === undefined) return undefined
  const json = readJson(text)
  if (json.problem !== null) files.note(`${path}: ${json.problem}`)
  const manager = managerOf(files, path, json)
  const name = json.value("name")
  return {
    ...emptyManifest(path, "npm"),
    name: typeof name === "string" && name !== "" ? name : null,
    dependencies: DEPENDENCIES.flatMap((key) =>
      json.entries(key).map(({ key: dependency, value, line }) => ({
        name: dependency,
        version: typeof value === "string" ? value : null,
        line,
      })),
    ),
    managers: manager === undefined ? [] : [manager],
    commands: commandsOf(path, json, manager?.name ?? "npm"),
    members: membersOf(files, path, json),
  }
}

/** The manager that a `package.json` names, else the one whose lock file lies beside it or above. */
function managerOf(files: ScannedFiles, path: string, json: LocatedJson): PackageManager | undefined {
  const named = json.value("packageManager")
  const [, name, version] =
    (typeof named === "string" && /^(npm|pnpm|yarn|bun)@([\w.-]{1,40})/.exec(named)) || []
  if (name !== undefined)
    return { name, version: version ?? null, evidence: `${path}:${json.line("packageManager")}` }
  for (let folder = folderOf(path); ; folder = folderOf(folder)) {
    const lock = LOCKS.find(([file]) => files.has(inFolder(folder, file)))
    if (lock !== undefined) return { name: lock[1], version: null, evidence: inFolder(folder, lock[0]) }
    if (folder === "") return undefined
  }
}

function commandsOf(path: string, json: LocatedJson, manager: string): ProjectCommand[] {
  const folder = folderOf(path)
  return json.entries("scripts").flatMap(({ key, value, line }) => {
    const purpose = purposeOf(key)
    if (purpose === undefined || typeof value !== "string" || isPlaceholder(value)) return []
    return { purpose, command: runScript(manager, key), folder, evidence: `${path}:${line}`, declared: true }
  })
}

function runScript(manager: string, script: string): string {
  if (manager === "bun") return `bun run ${script}`
  if (manager === "yarn" || manager === "pnpm")
    return script === "ci" ? `${manager} run ci` : `${manager} ${script}`
  return script === "test" || script === "start" ? `npm ${script}` : `npm run ${script}`
}

/** What `npm init` writes, and nobody has put a test in its place. */
function isPlaceholder(script: string): boolean {
  return /no test specified/.test(script) || script.trim() === ""
}

function membersOf(files: ScannedFiles, path: string, json: LocatedJson): string[] {
  const given = json.value("workspaces") ?? []
  const listed = Array.isArray(given) ? given : json.value("workspaces", "packages")
  const members = Array.isArray(listed) ? listed.filter((each) => typeof each === "string") : []
  const pnpm = inFolder(folderOf(path), "pnpm-workspace.yaml")
  return files.has(pnpm) ? [...members, ...pnpmPackages(files.text(pnpm) ?? "")] : members
}

/** The list under `packages:` of a `pnpm-workspace.yaml`. */
function pnpmPackages(text: string): string[] {
  const found: string[] = []
  let isList = false
  for (const line of text.split("\n")) {
    if (/^\S/.test(line) && !/^\s*(#|-)/.test(line)) isList = /^packages\s*:/.test(line)
    const item = /^\s*-\s*(?:"([^"]*)"|'([^']*)'|([^#\s]+))/.exec(line)
    if (isList && item !== null) found.push(item[1] ?? item[2] ?? item[3] ?? "")
  }
  return found
}

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
