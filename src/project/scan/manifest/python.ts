import type { PackageManager, ProjectCommand } from "../../../schemas/project-map.ts"
import { folderOf, inFolder, type ScannedFiles } from "../listing/scanned-files.ts"
import { type Dependency, emptyManifest, linesOf, type Manifest, placeOf } from "./manifest.ts"
import { type TomlEntry, tomlEntries, tomlString, tomlStrings, tomlVersion } from "./toml-entries.ts"

/** The `pyproject.toml`, `setup.py`, `setup.cfg` or requirements of a folder, as one manifest. */
export function readPython(files: ScannedFiles, path: string): Manifest | undefined {
  const text = files.text(path)
  if (text === undefined) return undefined
  const folder = folderOf(path)
  const entries = path.endsWith(".toml") ? tomlEntries(text) : []
  const own = path.endsWith(".toml") ? pyproject(entries) : requirements(text, path)
  const dependencies = [...own, ...besides(files, folder, path)]
  const managers = managersOf(files, folder, path, entries)
  return {
    ...emptyManifest(path, "python"),
    name: nameIn(entries),
    dependencies,
    managers,
    commands: commandsOf(files, folder, { path, entries, dependencies, manager: managers[0]?.name ?? "pip" }),
  }
}

/** True of a `pyproject.toml` that only configures tools, and one that describes a project. */
function nameIn(entries: readonly TomlEntry[]): string | null {
  const named = entries.find(
    ({ table, key }) => key === "name" && (table === "project" || table === "tool.poetry"),
  )
  return named === undefined ? null : (tomlString(named.value) ?? null)
}

function pyproject(entries: readonly TomlEntry[]): Dependency[] {
  return entries.flatMap((entry): Dependency[] => {
    const { table, key, value, line } = entry
    const isList =
      (table === "project" && key === "dependencies") ||
      /^(project\.optional-dependencies|dependency-groups)$/.test(table) ||
      (table === "tool.uv" && key === "dev-dependencies") ||
      (/^tool\.hatch\.envs\.[^.]+$/.test(table) && /dependencies$/.test(key))
    if (isList) return tomlStrings(entry).flatMap((each) => requirement(each.text, each.line) ?? [])
    if (/^tool\.poetry\.((dev-|group\.[^.]+\.)?dependencies)$/.test(table))
      return [{ name: key.toLowerCase(), version: tomlVersion(value), line }]
    return []
  })
}

/** A requirements file, or the calls and lists of a `setup.py` and `setup.cfg`, line by line. */
function requirements(text: string, path: string): Dependency[] {
  const isList = path.endsWith(".txt")
  return linesOf(text).flatMap((line, index): Dependency[] => {
    if (isList) return requirement(line, index + 1) ?? []
    const quoted = [...line.matchAll(/["']([A-Za-z][\w.-]*(?:\[[^\]]*\])?\s*[<>=!~][^"']*)["']/g)]
    if (quoted.length > 0) return quoted.flatMap(([, each = ""]) => requirement(each, index + 1) ?? [])
    return path.endsWith(".cfg") && /^\s+[A-Za-z][\w.-]*\s*[<>=!~]=/.test(line)
      ? (requirement(line.trim(), index + 1) ?? [])
      : []
  })
}

function requirement(text: string, line: number): Dependency[] | undefined {
  const found = /^\s*([A-Za-z][\w.-]*)(?:\[[^\]]*\])?\s*((?:[<>=!~]=?|===)[^;#]*)?/.exec(text)
  if (found === null || /^\s*(-|#|git\+|https?:)/.test(text)) return undefined
  const version = found[2]?.trim() ?? ""
  return [{ name: (found[1] ?? "").toLowerCase(), version: version === "" ? null : version, line }]
}

/** Requirement files that lie beside the manifest: tools for development are mostly there. */
function besides(files: ScannedFiles, folder: string, path: string): Dependency[] {
  const names = [
    "requirements.txt",
    "requirements-dev.txt",
    "requirements_dev.txt",
    "dev-requirements.txt",
    "test-requirements.txt",
    "requirements/dev.txt",
  ]
  return names.flatMap((name) => {
    const file = inFolder(folder, name)
    if (file === path || !files.has(file)) return []
    return requirements(files.text(file) ?? "", file).map((each) => ({ ...each, path: file }))
  })
}

function managersOf(
  files: ScannedFiles,
  folder: string,
  path: string,
  entries: readonly TomlEntry[],
): PackageManager[] {
  const lock = LOCKS.find(([name]) => files.has(inFolder(folder, name)))
  if (lock !== undefined) return [{ name: lock[1], version: null, evidence: inFolder(folder, lock[0]) }]
  const table = (pattern: RegExp) => entries.find((entry) => pattern.test(entry.table))
  for (const [name, pattern] of [
    ["poetry", /^tool\.poetry/],
    ["uv", /^tool\.uv/],
    ["pdm", /^tool\.pdm/],
  ] as const) {
    const found = table(pattern)
    if (found !== undefined) return [{ name, version: null, evidence: `${path}:${found.line}` }]
  }
  return [{ name: "pip", version: null, evidence: path }]
}

interface PythonProject {
  path: string
  entries: readonly TomlEntry[]
  dependencies: readonly Dependency[]
  manager: string
}

/** What a Python project is checked with: nobody writes `pytest` down as a script, but the tool is asked for. */
function commandsOf(files: ScannedFiles, folder: string, project: PythonProject): ProjectCommand[] {
  const { path, entries, dependencies, manager } = project
  const run = RUNNERS[manager] ?? ""
  const asked = (name: string, ...tables: string[]): string | undefined => {
    const dependency = dependencies.find((each) => each.name === name)
    if (dependency !== undefined) return placeOf({ path }, dependency)
    const entry = entries.find(({ table }) =>
      tables.some((each) => table === each || table.startsWith(`${each}.`)),
    )
    return entry === undefined ? undefined : `${path}:${entry.line}`
  }
  const beside = (...names: string[]) => names.map((name) => inFolder(folder, name)).find(files.has)
  const commands: ProjectCommand[] = []
  const add = (purpose: ProjectCommand["purpose"], command: string, evidence: string | undefined) => {
    if (evidence !== undefined) commands.push({ purpose, command, folder, evidence, declared: false })
  }
  const pytest = asked("pytest", "tool.pytest") ?? beside("pytest.ini", "conftest.py", "tests/conftest.py")
  add("test", `${run}pytest`, pytest)
  if (pytest === undefined) add("test", "tox", beside("tox.ini"))
  if (pytest === undefined && beside("tox.ini") === undefined) add("test", "nox", beside("noxfile.py"))
  const ruff = asked("ruff", "tool.ruff") ?? beside("ruff.toml", ".ruff.toml")
  add("lint", `${run}ruff check .`, ruff)
  if (ruff === undefined) add("lint", `${run}flake8`, asked("flake8") ?? beside(".flake8"))
  add("typecheck", `${run}mypy .`, asked("mypy", "tool.mypy") ?? beside("mypy.ini"))
  add("typecheck", `${run}pyright`, asked("pyright", "tool.pyright") ?? beside("pyrightconfig.json"))
  add("format", `${run}black .`, asked("black", "tool.black"))
  return commands
}

const LOCKS: [file: string, manager: string][] = [
  ["uv.lock", "uv"],
  ["poetry.lock", "poetry"],
  ["pdm.lock", "pdm"],
  ["Pipfile", "pipenv"],
]
const RUNNERS: Record<string, string> = {
  uv: "uv run ",
  poetry: "poetry run ",
  pdm: "pdm run ",
  pipenv: "pipenv run ",
}
