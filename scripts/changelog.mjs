// `npm version` runs `changelog.mjs release`: the entries under [Unreleased] get the version. `changelog.mjs notes <version>`
// prints the entries of a version, for the text of a release.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

/** The changelog with everything under [Unreleased] as the entries of a version. */
export function withRelease(text, version, day) {
  if (entriesOf(text, "Unreleased") === "") throw new Error("Nothing is under [Unreleased].")
  if (entriesOf(text, version) !== undefined) throw new Error(`The changelog has a [${version}] already.`)
  return text.replace(/^## \[Unreleased\]$/m, `## [Unreleased]\n\n## [${version}] - ${day}`)
}

/** The entries of a version; undefined if it has no heading. */
export function entriesOf(text, version) {
  const parts = text.split(/^## \[/m).slice(1)
  const part = parts.find((each) => each.startsWith(`${version}]`))
  return part?.slice(part.indexOf("\n")).trim()
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const root = fileURLToPath(new URL("..", import.meta.url))
  const file = join(root, "CHANGELOG.md")
  const text = readFileSync(file, "utf8")
  const [task, version = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version] =
    process.argv.slice(2)
  if (task === "release")
    writeFileSync(file, withRelease(text, version, new Date().toISOString().slice(0, 10)))
  else if (task === "notes") {
    const notes = entriesOf(text, version)
    if (notes === undefined) throw new Error(`The changelog has no [${version}].`)
    console.log(notes)
  } else throw new Error("Usage: changelog.mjs release | notes <version>")
}
