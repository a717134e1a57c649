import type { ProjectCommand } from "../../../schemas/project-map.ts"
import { folderOf, inFolder, type ScannedFiles } from "../listing/scanned-files.ts"
import { emptyManifest, type Manifest } from "./manifest.ts"
import { tomlEntries, tomlString, tomlStrings, tomlVersion } from "./toml-entries.ts"

export function readCargo(files: ScannedFiles, path: string): Manifest | undefined {
  const text = files.text(path)
  if (text === undefined) return undefined
  const entries = tomlEntries(text)
  const folder = folderOf(path)
  const find = (table: string, key: string) =>
    entries.find((entry) => entry.table === table && entry.key === key)
  const name = find("package", "name")
  const members = find("workspace", "members")
  const dependencies = entries.flatMap(({ table, key, value, line }) => {
    const own = /(^|\.)(dependencies|dev-dependencies|build-dependencies)(?:\.([\w-]+))?$/.exec(table)
    if (own === null) return []
    // `[dependencies.serde]`, then `version = "1"`; `serde.workspace = true`.
    if (own[3] !== undefined)
      return key === "version" ? [{ name: own[3], version: tomlVersion(value), line }] : []
    const [crate = key, field] = key.split(".")
    return [
      { name: crate, version: field === undefined || field === "version" ? tomlVersion(value) : null, line },
    ]
  })
  const usual = (purpose: ProjectCommand["purpose"], command: string, evidence = path): ProjectCommand => ({
    purpose,
    command,
    folder,
    evidence,
    declared: false,
  })
  const all = members === undefined ? "" : " --workspace"
  const beside = (...names: string[]) => names.map((each) => inFolder(folder, each)).find(files.has)
  const [clippy, rustfmt] = [beside("clippy.toml", ".clippy.toml"), beside("rustfmt.toml", ".rustfmt.toml")]
  return {
    ...emptyManifest(path, "rust"),
    name: name === undefined ? null : (tomlString(name.value) ?? null),
    dependencies,
    managers: [{ name: "cargo", version: null, evidence: path }],
    commands: [
      usual("test", `cargo test${all}`),
      usual("build", `cargo build${all}`),
      ...(clippy === undefined ? [] : [usual("lint", `cargo clippy${all}`, clippy)]),
      ...(rustfmt === undefined ? [] : [usual("format", "cargo fmt", rustfmt)]),
    ],
    members: members === undefined ? [] : tomlStrings(members).map(({ text: glob }) => glob),
  }
}
