import picomatch from "picomatch"
import type { Pausing } from "../../../shared/slices.ts"
import { depthOf, folderOf, inFolder, isBeside, nameOf, type ScannedFiles } from "../listing/scanned-files.ts"
import { readCargo } from "./cargo.ts"
import { readGo } from "./go.ts"
import { readJvm } from "./jvm.ts"
import type { Manifest } from "./manifest.ts"
import { readNpm } from "./npm.ts"
import { isOtherManifest, readOther } from "./others.ts"
import { readPython } from "./python.ts"

/** The project's manifests, those nearest to the top first, without those of examples, tests and what was brought along. */
export function* findManifests(files: ScannedFiles): Pausing<Manifest[]> {
  const paths: string[] = []
  let count = 0
  for (const path of files.paths) {
    if (++count % PAUSE_EVERY === 0) yield
    if (readerOf(nameOf(path)) !== undefined && !isBeside(path)) paths.push(path)
  }
  paths.sort((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1))
  if (paths.length > MAX_MANIFESTS)
    files.note(
      `${paths.length - MAX_MANIFESTS} manifests not read: only the ${MAX_MANIFESTS} nearest to the top are`,
    )
  const found: Manifest[] = []
  const pythonFolders = new Set<string>()
  for (const path of paths.slice(0, MAX_MANIFESTS)) {
    yield
    const isPython = PYTHON.includes(nameOf(path))
    // Several files may describe one Python project; the first of the list has the say.
    if (isPython && pythonFolders.has(folderOf(path))) continue
    const best = isPython
      ? PYTHON.map((name) => inFolder(folderOf(path), name)).find((each) => files.has(each))
      : path
    if (isPython) pythonFolders.add(folderOf(path))
    const manifest = readerOf(nameOf(path))?.(files, best ?? path)
    if (manifest !== undefined) found.push(manifest)
  }
  return found
}

/** Says of a manifest whether another one counts it as a part of its project. */
export function membership(manifests: readonly Manifest[]): (manifest: Manifest) => boolean {
  const owners = manifests.filter(({ members }) => members.length > 0)
  const rules = owners.map(({ path, ecosystem, members }) => {
    const base = folderOf(path)
    const globs = members
      .filter((each) => each.length <= MAX_GLOB_CHARS)
      .map((each) => inFolder(base, each.replace(/^\.\//, "").replace(/\/+$/, "")))
    const [out, into] = [
      globs.filter((each) => each.includes("!")),
      globs.filter((each) => !each.includes("!")),
    ]
    const fits = picomatch(into, { ignore: out.map((each) => each.replaceAll("!", "")) })
    return { path, ecosystem, fits }
  })
  return (manifest) =>
    rules.some(
      ({ path, ecosystem, fits }) =>
        path !== manifest.path && ecosystem === manifest.ecosystem && fits(folderOf(manifest.path)),
    )
}

type Reader = (files: ScannedFiles, path: string) => Manifest | undefined

function readerOf(name: string): Reader | undefined {
  if (Object.hasOwn(READERS, name)) return READERS[name]
  return isOtherManifest(name) ? readOther : undefined
}

// The first of them that is there stands for the folder.
const PYTHON = ["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile"]
const READERS: Readonly<Record<string, Reader>> = {
  "package.json": readNpm,
  "Cargo.toml": readCargo,
  "go.mod": readGo,
  "pom.xml": readJvm,
  "build.gradle": readJvm,
  "build.gradle.kts": readJvm,
  ...Object.fromEntries(PYTHON.map((name) => [name, readPython])),
}
const MAX_MANIFESTS = 300
const MAX_GLOB_CHARS = 200
const PAUSE_EVERY = 500
