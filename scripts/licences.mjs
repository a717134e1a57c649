import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** The licence texts of the packages that the files come from. */
export function licencesOf(files) {
  const folders = new Set(files.flatMap((file) => packageFolder(file) ?? []))
  const packages = [...folders].map((folder) => ({
    folder,
    ...JSON.parse(readFileSync(join(folder, "package.json"), "utf8")),
  }))
  const texts = packages
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(
      ({ folder, name, version, license }) =>
        `${name} ${version} (${license})\n\n${licenceText(folder, name)}`,
    )
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
  const file = readdirSync(folder).find((entry) => /^(?:licen[cs]e|copying)(?:\.(?:md|txt))?$/i.test(entry))
  if (file === undefined) throw new Error(`${name} has no licence file; it cannot be shipped.`)
  return readFileSync(join(folder, file), "utf8").trim()
}
