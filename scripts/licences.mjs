import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** The licences of the packages that the files come from: each text once, with the copyright lines of all that have it. */
export function licencesOf(files) {
  const folders = new Set(files.flatMap((file) => packageFolder(file) ?? []))
  const packages = [...folders].map((folder) => ({
    folder,
    ...JSON.parse(readFileSync(join(folder, "package.json"), "utf8")),
  }))
  const byText = new Map()
  for (const { folder, name, version, license } of packages.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const lines = licenceText(folder, name).split(/\r?\n/)
    const holders = lines.filter((line) => HOLDER.test(line)).map((line) => `  ${line.trim()}`)
    const text = lines
      .filter((line) => !HOLDER.test(line) && !TITLE.test(line))
      .join("\n")
      .trim()
    // Some break the same text into other lines.
    const key = text.replaceAll(/[\s"'`\u201c\u201d*]+/g, " ")
    const known = byText.get(key) ?? { text, owners: [] }
    byText.set(key, known)
    known.owners.push([`${name} ${version} (${license})`, ...holders].join("\n"))
  }
  const texts = [...byText.values()].map(({ text, owners }) => `${owners.join("\n")}\n\n${text}`)
  return `HiveMind's files contain parts of these packages.\n\n${texts.join(`\n\n${"-".repeat(80)}\n\n`)}\n`
}

/** The folder of the package a file belongs to; undefined for one of ours. */
function packageFolder(file) {
  if (!/[\\/]node_modules[\\/]/.test(file)) return undefined
  let folder = dirname(file)
  // Packages have manifests without a name further in, which only say how files are to be read.
  while (!isPackage(folder)) folder = dirname(folder)
  return folder
}

function isPackage(folder) {
  const manifest = join(folder, "package.json")
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version !== undefined
}

function licenceText(folder, name) {
  const file = readdirSync(folder).find((entry) =>
    /^(?:licen[cs]e(?:-mit)?|copying)(?:\.(?:md|txt))?$/i.test(entry),
  )
  if (file === undefined) throw new Error(`${name} has no licence file; it cannot be shipped.`)
  return readFileSync(join(folder, file), "utf8").trim()
}

const HOLDER = /^\s*(?:[\u00a9]|copyright\b(?! notice| holder| owner)).*\d{4}|^\s*copyright \(c\)/i
const TITLE = /^\W*(?:the )?(?:mit|isc) licen[cs]e\W*(?:\(mit\))?\W*$/i
