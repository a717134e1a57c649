import type { ProjectCommand } from "../../schemas/project-map.ts"
import { nameOf } from "../project-path.ts"
import { lineFinder, linesOf, purposeOf, readToml, tableIn } from "./manifest.ts"
import type { ScannedFiles } from "./scanned-files.ts"

/** Commands that are declared outside of manifests: in Makefiles, justfiles, Taskfiles, mise and script folders. */
export function runnerCommands(files: ScannedFiles): ProjectCommand[] {
  return [
    ...RUNNERS.flatMap(({ names, tool, target }) => {
      const path = names.find((name) => files.paths.includes(name))
      const lines = path === undefined ? [] : linesOf(files.text(path) ?? "")
      const targets = lines.flatMap((line, index) => {
        const name = target.exec(line)?.[1]
        return name === undefined ? [] : [{ name, evidence: `${path}:${index + 1}` }]
      })
      return declared(tool, targets)
    }),
    ...SCRIPT_FOLDERS.flatMap((folder) => scriptsIn(files, folder)),
    ...declared("mise run", miseTasks(files)),
  ]
}

function declared(tool: string, targets: readonly { name: string; evidence: string }[]): ProjectCommand[] {
  const found = new Map<string, ProjectCommand>()
  for (const { name, evidence } of targets) {
    const purpose = purposeOf(name)
    if (purpose !== undefined && !found.has(name))
      found.set(name, { purpose, command: `${tool} ${name}`, folder: "", evidence, declared: true })
  }
  return [...found.values()]
}

function scriptsIn(files: ScannedFiles, folder: string): ProjectCommand[] {
  return files.paths.flatMap((path): ProjectCommand[] => {
    if (!path.startsWith(folder) || path.includes("/", folder.length)) return []
    const name = nameOf(path)
    const purpose = purposeOf(name.replace(/\.(sh|bash)$/, ""))
    const isScript = /\.(sh|bash)$/.test(name) || !name.includes(".")
    if (purpose === undefined || !isScript || files.text(path)?.startsWith("#!") !== true) return []
    return [{ purpose, command: path, folder: "", evidence: path, declared: true }]
  })
}

function miseTasks(files: ScannedFiles): { name: string; evidence: string }[] {
  return MISE_FILES.filter((path) => files.paths.includes(path)).flatMap((path) => {
    const lineOf = lineFinder(files.text(path) ?? "", /^\[tasks/)
    const tasks = Object.keys(tableIn(readToml(files, path), "tasks"))
    return tasks.map((name) => ({ name, evidence: `${path}:${lineOf(name)}` }))
  })
}

const RUNNERS = [
  { names: ["Makefile", "makefile", "GNUmakefile"], tool: "make", target: /^([A-Za-z][\w.-]*)\s*:(?![=:])/ },
  {
    names: ["justfile", "Justfile", ".justfile"],
    tool: "just",
    target: /^@?([A-Za-z][\w-]*)(?:\s+[^:]*)?:(?!=)/,
  },
  {
    names: ["Taskfile.yml", "Taskfile.yaml", "taskfile.yml"],
    tool: "task",
    target: /^ {2}([A-Za-z][\w:-]*):\s*$/,
  },
]
const MISE_FILES = ["mise.toml", ".mise.toml", ".config/mise.toml"]
const SCRIPT_FOLDERS = ["scripts/", "script/"]
