import type { ProjectCommand } from "../../../schemas/project-map.ts"
import { folderOf, inFolder, type ScannedFiles } from "../listing/scanned-files.ts"
import { type Dependency, emptyManifest, linesOf, type Manifest } from "./manifest.ts"

export function readGo(files: ScannedFiles, path: string): Manifest | undefined {
  const text = files.text(path)
  if (text === undefined) return undefined
  const folder = folderOf(path)
  const usual = (purpose: ProjectCommand["purpose"], command: string, evidence: string): ProjectCommand => ({
    purpose,
    command,
    folder,
    evidence,
    declared: false,
  })
  const linter = [".golangci.yml", ".golangci.yaml", ".golangci.toml"]
    .map((name) => inFolder(folder, name))
    .find(files.has)
  return {
    ...emptyManifest(path, "go"),
    name: /^module\s+(\S+)/m.exec(text)?.[1] ?? null,
    dependencies: requiredBy(text),
    managers: [{ name: "go", version: /^go\s+([\d.]+)/m.exec(text)?.[1] ?? null, evidence: path }],
    commands: [
      usual("test", "go test ./...", path),
      usual("build", "go build ./...", path),
      ...(linter === undefined ? [] : [usual("lint", "golangci-lint run", linter)]),
    ],
  }
}

/** What it asks for itself; what that asks for in turn is marked as indirect. */
function requiredBy(text: string): Dependency[] {
  const found: Dependency[] = []
  let isBlock = false
  for (const [index, line] of linesOf(text).entries()) {
    if (/^require\s*\(/.test(line)) isBlock = true
    else if (isBlock && line.startsWith(")")) isBlock = false
    const required = /^\s*(?:require\s+)?([\w.-]+\.[\w.-]+\/\S+|[\w.-]+\.[\w.-]+)\s+(v\S+)/.exec(line)
    const isOwn = isBlock || /^require\s/.test(line)
    if (isOwn && required !== null && !line.includes("// indirect"))
      found.push({ name: required[1] ?? "", version: required[2] ?? null, line: index + 1 })
  }
  return found
}
