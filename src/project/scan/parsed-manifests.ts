import { join } from "node:path/posix"
import { parse as parseYaml } from "yaml"
import type { PackageManager, ProjectCommand } from "../../schemas/project-map.ts"
import { folderOf } from "../project-path.ts"
import {
  type Dependency,
  dependenciesIn,
  evidenceOf,
  lineFinder,
  linesOf,
  type Manifest,
  purposeOf,
  readJson,
  readToml,
  stringsIn,
  type Table,
  tableIn,
  usualCommands,
} from "./manifest.ts"
import { besideOf, type ScannedFiles } from "./scanned-files.ts"

export function readNpm(files: ScannedFiles, path: string): Manifest | undefined {
  const json = readJson(files, path)
  if (json === undefined) return undefined
  const text = files.text(path) ?? ""
  const manager = npmManager(files, path, json, text)
  const { name, workspaces } = json
  return {
    path,
    ecosystem: "npm",
    name: typeof name === "string" && name !== "" ? name : null,
    dependencies: NPM_DEPENDENCIES.flatMap((key) =>
      dependenciesIn(tableIn(json, key), lineFinder(text, new RegExp(`^\\s*\\{?\\s*"${key}"`))),
    ),
    managers: manager === undefined ? [] : [manager],
    commands: npmScripts(path, json, text, manager?.name ?? "npm"),
    members: [
      ...stringsIn(Array.isArray(workspaces) ? workspaces : tableIn(workspaces)["packages"]),
      ...pnpmMembers(files, join(folderOf(path), "pnpm-workspace.yaml")),
    ],
  }
}

/** The manager that `packageManager` names, or else the one whose lock file is in the manifest's folder or above. */
function npmManager(files: ScannedFiles, path: string, json: Table, text: string) {
  const [, name, version] =
    /^(npm|pnpm|yarn|bun)@([\w.-]{1,40})/.exec(String(json["packageManager"] ?? "")) ?? []
  const line = () => lineFinder(text, /"packageManager"/)("packageManager")
  if (name !== undefined) return { name, version: version ?? null, evidence: `${path}:${line()}` }
  for (let folder = folderOf(path); ; folder = folderOf(folder)) {
    const found = managerOfLock(files, folder, NPM_LOCKS)
    if (found !== undefined || folder === "") return found
  }
}

function managerOfLock(files: ScannedFiles, folder: string, locks: Locks): PackageManager | undefined {
  const lock = locks.find(([file]) => files.has(join(folder, file)))
  return lock && { name: lock[1], version: null, evidence: join(folder, lock[0]) }
}

function npmScripts(path: string, json: Table, text: string, manager: string): ProjectCommand[] {
  const lineOf = lineFinder(text, /"scripts"/)
  return Object.entries(tableIn(json, "scripts")).flatMap(([script, value]) => {
    const purpose = purposeOf(script)
    if (purpose === undefined || typeof value !== "string" || NO_SCRIPT.test(value)) return []
    const evidence = `${path}:${lineOf(script)}`
    const isShort = manager === "npm" ? /^(test|start)$/.test(script) : manager !== "bun" && script !== "ci"
    const command = `${manager} ${isShort ? "" : "run "}${script}`
    return { purpose, command, folder: folderOf(path), evidence, declared: true }
  })
}

function pnpmMembers(files: ScannedFiles, path: string): string[] {
  try {
    return files.has(path) ? stringsIn(tableIn(parseYaml(files.text(path) ?? ""))["packages"]) : []
  } catch {
    files.note(`${path}: broken YAML, not read`)
    return []
  }
}

type Locks = readonly (readonly [file: string, manager: string])[]
// Matches the placeholder that `npm init` writes as the test script.
const NO_SCRIPT = /no test specified|^\s*$/
const NPM_DEPENDENCIES = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"]
const NPM_LOCKS: Locks = [
  ["pnpm-lock.yaml", "pnpm"],
  ["pnpm-workspace.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
]

export function readPython(files: ScannedFiles, path: string): Manifest | undefined {
  const text = files.text(path)
  const toml = path.endsWith(".toml") ? readToml(files, path) : {}
  if (text === undefined || toml === undefined) return undefined
  const folder = folderOf(path)
  const own = path.endsWith(".toml") ? pyproject(toml, text) : requirements(text, path)
  // Development tools are often listed in requirements files next to the manifest.
  const beside = REQUIREMENT_FILES.map((name) => join(folder, name))
    .filter((each) => each !== path && files.has(each))
    .flatMap((each) => requirements(files.text(each) ?? "", each).map((found) => ({ ...found, path: each })))
  const project = { path, text, toml, dependencies: [...own, ...beside] }
  const manager = managerOfLock(files, folder, PYTHON_LOCKS) ?? pythonManager(project)
  const name = tableIn(toml, "project")["name"] ?? tableIn(toml, "tool", "poetry")["name"]
  return {
    path,
    ecosystem: "python",
    name: typeof name === "string" ? name : null,
    dependencies: project.dependencies,
    managers: [manager],
    commands: pythonCommands(files, project, manager.name === "pip" ? "" : `${manager.name} run `),
    members: [],
  }
}

function pyproject(toml: Table, text: string): Dependency[] {
  const poetry = tableIn(toml, "tool", "poetry")
  const listed = (lists: unknown[], section: RegExp): Dependency[] => {
    const lineOf = lineFinder(text, section)
    return lists
      .flatMap(stringsIn)
      .flatMap((each) => requirement(each, 0).map((found) => ({ ...found, line: lineOf(found.name) })))
  }
  const poetryGroups = Object.values(tableIn(poetry, "group")).map((group) => tableIn(group, "dependencies"))
  const poetryLine = lineFinder(text, /^\[tool\.poetry\..*dependencies/)
  return [
    ...listed([tableIn(toml, "project")["dependencies"]], /^dependencies\s*=/),
    ...listed(Object.values(tableIn(toml, "project", "optional-dependencies")), /optional-dependencies/),
    ...listed(Object.values(tableIn(toml, "dependency-groups")), /^\[dependency-groups/),
    ...[tableIn(poetry, "dependencies"), tableIn(poetry, "dev-dependencies"), ...poetryGroups]
      .flatMap((table) => dependenciesIn(table, poetryLine))
      .map((each) => ({ ...each, name: each.name.toLowerCase() })),
  ]
}

/** Dependencies in a requirements file, or in the quoted requirements of a `setup.py`. */
function requirements(text: string, path: string): Dependency[] {
  return linesOf(text).flatMap((line, index): Dependency[] => {
    if (path.endsWith(".txt")) return requirement(line, index + 1)
    const quoted = line.matchAll(/["']([A-Za-z][\w.-]*(?:\[[^\]]*\])?\s*[<>=!~][^"']*)["']/g)
    return [...quoted].flatMap(([, each = ""]) => requirement(each, index + 1))
  })
}

function requirement(text: string, line: number): Dependency[] {
  const found = /^\s*([A-Za-z][\w.-]*)(?:\[[^\]]*\])?\s*((?:[<>=!~]=?|===)[^;#]*)?/.exec(text)
  if (found === null || /^\s*(-|#|git\+|https?:)/.test(text)) return []
  return [{ name: (found[1] ?? "").toLowerCase(), version: found[2]?.trim() || null, line }]
}

interface PythonProject {
  path: string
  text: string
  toml: Table
  dependencies: readonly Dependency[]
}

function pythonManager({ path, text, toml }: PythonProject): PackageManager {
  const name = ["poetry", "uv", "pdm"].find((each) => each in tableIn(toml, "tool"))
  if (name === undefined) return { name: "pip", version: null, evidence: path }
  return { name, version: null, evidence: `${path}:${toolLine(text, name)}` }
}

function toolLine(text: string, tool: string): number {
  return lineFinder(text, new RegExp(`^\\[tool\\.${tool}\\b`))(tool)
}

/** Usual commands of the tools that a Python project depends on or configures, as its manifest declares no scripts. */
function pythonCommands(files: ScannedFiles, project: PythonProject, run: string): ProjectCommand[] {
  const { path, text, toml, dependencies } = project
  const asked = (name: string): string | undefined => {
    const dependency = dependencies.find((each) => each.name === name)
    if (dependency !== undefined) return evidenceOf({ path }, dependency)
    return name in tableIn(toml, "tool") ? `${path}:${toolLine(text, name)}` : undefined
  }
  const beside = (...names: string[]) => besideOf(files, path, names)
  const usual = usualCommands(path)
  const pytest = asked("pytest") ?? beside("pytest.ini", "conftest.py", "tests/conftest.py")
  const ruff = asked("ruff") ?? beside("ruff.toml", ".ruff.toml")
  return [
    ...usual("test", `${run}pytest`, pytest),
    ...usual("test", "tox", pytest === undefined ? beside("tox.ini") : undefined),
    ...usual("lint", `${run}ruff check .`, ruff),
    ...usual("lint", `${run}flake8`, ruff === undefined ? (asked("flake8") ?? beside(".flake8")) : undefined),
    ...usual("typecheck", `${run}mypy .`, asked("mypy") ?? beside("mypy.ini")),
    ...usual("typecheck", `${run}pyright`, asked("pyright") ?? beside("pyrightconfig.json")),
    ...usual("format", `${run}black .`, asked("black")),
  ]
}

const REQUIREMENT_FILES = ["requirements.txt", "requirements-dev.txt", "dev-requirements.txt"]
const PYTHON_LOCKS: Locks = [
  ["uv.lock", "uv"],
  ["poetry.lock", "poetry"],
  ["pdm.lock", "pdm"],
  ["Pipfile", "pipenv"],
]

export function readCargo(files: ScannedFiles, path: string): Manifest | undefined {
  const toml = readToml(files, path)
  if (toml === undefined) return undefined
  const text = files.text(path) ?? ""
  const tables = [toml, tableIn(toml, "workspace"), ...Object.values(tableIn(toml, "target"))]
  const usual = usualCommands(path)
  const members = stringsIn(tableIn(toml, "workspace")["members"])
  const all = members.length === 0 ? "" : " --workspace"
  const { name } = tableIn(toml, "package")
  return {
    path,
    ecosystem: "rust",
    name: typeof name === "string" ? name : null,
    dependencies: tables.flatMap((table) =>
      ["dependencies", "dev-dependencies", "build-dependencies"].flatMap((key) =>
        dependenciesIn(tableIn(table, key), lineFinder(text, new RegExp(`^\\[.*\\b(?<!-)${key}\\b`))),
      ),
    ),
    managers: [{ name: "cargo", version: null, evidence: path }],
    commands: [
      ...usual("test", `cargo test${all}`, path),
      ...usual("build", `cargo build${all}`, path),
      ...usual("lint", `cargo clippy${all}`, besideOf(files, path, ["clippy.toml", ".clippy.toml"])),
      ...usual("format", "cargo fmt", besideOf(files, path, ["rustfmt.toml", ".rustfmt.toml"])),
    ],
    members,
  }
}
