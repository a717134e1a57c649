import picomatch from "picomatch"
import type { Pausing } from "../../shared/slices.ts"
import { isLineManifest, readLineManifest, readMaven } from "./line-manifests.ts"
import {
  dependenciesIn,
  lineFinder,
  type Manifest,
  readToml,
  stringsIn,
  tableIn,
  usualCommands,
} from "./manifest.ts"
import { readNpm } from "./npm.ts"
import { readPython } from "./python.ts"
import { depthOf, folderOf, inFolder, isBeside, nameOf, type ScannedFiles } from "./scanned-files.ts"

/** The project's manifests, those nearest to the top first; not those of examples, tests and vendored code. */
export function* findManifests(files: ScannedFiles): Pausing<Manifest[]> {
  const paths: string[] = []
  for (const [count, path] of files.paths.entries()) {
    if (count % PAUSE_EVERY === 0) yield
    if (readerOf(files, path) !== undefined && !isBeside(path)) paths.push(path)
  }
  paths.sort((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1))
  const left = paths.length - MAX_MANIFESTS
  if (left > 0) files.note(`${left} manifests not read: only the ${MAX_MANIFESTS} nearest to the top are`)
  const found: Manifest[] = []
  for (const path of paths.slice(0, MAX_MANIFESTS)) {
    yield
    const manifest = readerOf(files, path)?.(files, path)
    if (manifest !== undefined) found.push(manifest)
  }
  return found
}

/** Whether another manifest counts this one as a part of its project. */
export function membership(manifests: readonly Manifest[]): (manifest: Manifest) => boolean {
  const rules = manifests
    .filter(({ members }) => members.length > 0)
    .map(({ path, ecosystem, members }) => {
      const globs = members
        .filter((each) => each.length <= MAX_GLOB_CHARS)
        .map((each) => inFolder(folderOf(path), each.replace(/^\.\//, "").replace(/\/+$/, "")))
      const ignore = globs.filter((each) => each.includes("!")).map((each) => each.replaceAll("!", ""))
      const isMember = picomatch(
        globs.filter((each) => !each.includes("!")),
        { ignore },
      )
      return { path, ecosystem, isMember }
    })
  // A Maven or Gradle build below another one is its module.
  const builds = manifests.filter(({ ecosystem }) => ecosystem === "jvm").map(({ path }) => folderOf(path))
  return ({ path, ecosystem }) => {
    const folder = folderOf(path)
    if (ecosystem === "jvm")
      return builds.some((above) => above !== folder && (above === "" || folder.startsWith(`${above}/`)))
    return rules.some((rule) => rule.path !== path && rule.ecosystem === ecosystem && rule.isMember(folder))
  }
}

type Reader = (files: ScannedFiles, path: string) => Manifest | undefined

function readerOf(files: ScannedFiles, path: string): Reader | undefined {
  const name = nameOf(path)
  if (Object.hasOwn(READERS, name)) return READERS[name]
  // Several files may describe one Python project: the first of the list is read.
  const isFirst = () => name === PYTHON.find((each) => files.has(inFolder(folderOf(path), each)))
  if (PYTHON.includes(name) && isFirst()) return readPython
  return isLineManifest(name) ? readLineManifest : undefined
}

const PYTHON = ["pyproject.toml", "setup.py", "requirements.txt", "Pipfile"]
const READERS: Readonly<Record<string, Reader>> = {
  "package.json": readNpm,
  "Cargo.toml": readCargo,
  "pom.xml": readMaven,
}
const MAX_MANIFESTS = 300
const MAX_GLOB_CHARS = 200
const PAUSE_EVERY = 500

function readCargo(files: ScannedFiles, path: string): Manifest | undefined {
  const toml = readToml(files, path)
  if (toml === undefined) return undefined
  const folder = folderOf(path)
  const text = files.text(path) ?? ""
  const tables = [toml, tableIn(toml, "workspace"), ...Object.values(tableIn(toml, "target"))]
  const usual = usualCommands(folder, path)
  const members = stringsIn(tableIn(toml, "workspace")["members"])
  const all = members.length === 0 ? "" : " --workspace"
  const beside = (...names: string[]) => names.map((each) => inFolder(folder, each)).find(files.has)
  const [clippy, rustfmt] = [beside("clippy.toml", ".clippy.toml"), beside("rustfmt.toml", ".rustfmt.toml")]
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
      ...usual("test", `cargo test${all}`),
      ...usual("build", `cargo build${all}`),
      ...(clippy === undefined ? [] : usual("lint", `cargo clippy${all}`, clippy)),
      ...(rustfmt === undefined ? [] : usual("format", "cargo fmt", rustfmt)),
    ],
    members,
  }
}
