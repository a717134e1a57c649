import type { PackageManager, ProjectCommand } from "../../schemas/project-map.ts"
import {
  type Dependency,
  dependenciesIn,
  evidenceOf,
  lineFinder,
  linesOf,
  type Manifest,
  readToml,
  stringsIn,
  type Table,
  tableIn,
} from "./manifest.ts"
import { folderOf, inFolder, type ScannedFiles } from "./scanned-files.ts"

/** Reads the `pyproject.toml`, `setup.py` or requirements of a folder as one manifest. */
export function readPython(files: ScannedFiles, path: string): Manifest | undefined {
  const text = files.text(path)
  const toml = path.endsWith(".toml") ? readToml(files, path) : {}
  if (text === undefined || toml === undefined) return undefined
  const folder = folderOf(path)
  const own = path.endsWith(".toml") ? pyproject(toml, text) : requirements(text, path)
  const dependencies = [...own, ...requirementFiles(files, folder, path)]
  const manager = managerOf(files, folder, path, toml, text)
  const name = tableIn(toml, "project")["name"] ?? tableIn(toml, "tool", "poetry")["name"]
  return {
    path,
    ecosystem: "python",
    name: typeof name === "string" ? name : null,
    dependencies,
    managers: [manager],
    commands: commandsOf(files, folder, { path, text, toml, dependencies, manager: manager.name }),
    members: [],
  }
}

function pyproject(toml: Table, text: string): Dependency[] {
  const project = tableIn(toml, "project")
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
    ...listed([project["dependencies"]], /^dependencies\s*=/),
    ...listed(Object.values(tableIn(project, "optional-dependencies")), /optional-dependencies/),
    ...listed(Object.values(tableIn(toml, "dependency-groups")), /^\[dependency-groups/),
    ...[tableIn(poetry, "dependencies"), tableIn(poetry, "dev-dependencies"), ...poetryGroups]
      .flatMap((table) => dependenciesIn(table, poetryLine))
      .map((each) => ({ ...each, name: each.name.toLowerCase() })),
  ]
}

/** A requirements file, or the quoted requirements of a `setup.py`, line by line. */
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
  const version = found[2]?.trim() ?? ""
  return [{ name: (found[1] ?? "").toLowerCase(), version: version === "" ? null : version, line }]
}

/** Requirement files beside the manifest: development tools are mostly named there. */
function requirementFiles(files: ScannedFiles, folder: string, manifest: string): Dependency[] {
  return REQUIREMENT_FILES.map((name) => inFolder(folder, name))
    .filter((path) => path !== manifest && files.has(path))
    .flatMap((path) => requirements(files.text(path) ?? "", path).map((each) => ({ ...each, path })))
}

function managerOf(
  files: ScannedFiles,
  folder: string,
  path: string,
  toml: Table,
  text: string,
): PackageManager {
  const lock = LOCKS.find(([name]) => files.has(inFolder(folder, name)))
  if (lock !== undefined) return { name: lock[1], version: null, evidence: inFolder(folder, lock[0]) }
  const name = ["poetry", "uv", "pdm"].find((each) => each in tableIn(toml, "tool"))
  if (name === undefined) return { name: "pip", version: null, evidence: path }
  return { name, version: null, evidence: `${path}:${toolLine(text, name)}` }
}

function toolLine(text: string, tool: string): number {
  return lineFinder(text, new RegExp(`^\\[tool\\.${tool}\\b`))(tool)
}

interface PythonProject {
  path: string
  text: string
  toml: Table
  dependencies: readonly Dependency[]
  manager: string
}

/** Usual commands of the tools that the project depends on or configures: Python has no scripts that declare them. */
function commandsOf(files: ScannedFiles, folder: string, project: PythonProject): ProjectCommand[] {
  const { path, text, toml, dependencies, manager } = project
  const run = manager === "pip" ? "" : `${manager} run `
  const asked = (name: string): string | undefined => {
    const dependency = dependencies.find((each) => each.name === name)
    if (dependency !== undefined) return evidenceOf({ path }, dependency)
    return name in tableIn(toml, "tool") ? `${path}:${toolLine(text, name)}` : undefined
  }
  const beside = (...names: string[]) => names.map((name) => inFolder(folder, name)).find(files.has)
  const pytest = asked("pytest") ?? beside("pytest.ini", "conftest.py", "tests/conftest.py")
  const ruff = asked("ruff") ?? beside("ruff.toml", ".ruff.toml")
  const found: [ProjectCommand["purpose"], command: string, evidence: string | undefined][] = [
    ["test", `${run}pytest`, pytest],
    ["test", "tox", pytest === undefined ? beside("tox.ini") : undefined],
    ["lint", `${run}ruff check .`, ruff],
    ["lint", `${run}flake8`, ruff === undefined ? (asked("flake8") ?? beside(".flake8")) : undefined],
    ["typecheck", `${run}mypy .`, asked("mypy") ?? beside("mypy.ini")],
    ["typecheck", `${run}pyright`, asked("pyright") ?? beside("pyrightconfig.json")],
    ["format", `${run}black .`, asked("black")],
  ]
  return found.flatMap(([purpose, command, evidence]) =>
    evidence === undefined ? [] : [{ purpose, command, folder, evidence, declared: false }],
  )
}

const REQUIREMENT_FILES = ["requirements.txt", "requirements-dev.txt", "dev-requirements.txt"]
const LOCKS: [file: string, manager: string][] = [
  ["uv.lock", "uv"],
  ["poetry.lock", "poetry"],
  ["pdm.lock", "pdm"],
  ["Pipfile", "pipenv"],
]
