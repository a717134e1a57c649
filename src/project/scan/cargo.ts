import {
  dependenciesIn,
  lineFinder,
  type Manifest,
  readToml,
  stringsIn,
  tableIn,
  usualCommands,
} from "./manifest.ts"
import { folderOf, inFolder, type ScannedFiles } from "./scanned-files.ts"

export function readCargo(files: ScannedFiles, path: string): Manifest | undefined {
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
