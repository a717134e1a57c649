import type { ProjectCommand } from "../../../schemas/project-map.ts"
import { nameOf, type ScannedFiles } from "../listing/scanned-files.ts"
import { linesOf, purposeOf } from "./manifest.ts"
import { tomlEntries } from "./toml-entries.ts"

/** Commands that a project has written down outside of its manifests: targets of make and just, tasks of task and mise, scripts. */
export function runnerCommands(files: ScannedFiles): ProjectCommand[] {
  return [
    ...RUNNERS.flatMap(({ names, tool, target }) => {
      const path = names.find((name) => files.paths.includes(name))
      return path === undefined ? [] : targetsIn(files, path, tool, target)
    }),
    ...SCRIPT_FOLDERS.flatMap((folder) => scriptsIn(files, folder)),
    ...miseTasks(files),
  ]
}

function targetsIn(files: ScannedFiles, path: string, tool: string, target: RegExp): ProjectCommand[] {
  const found = new Map<string, ProjectCommand>()
  for (const [index, line] of linesOf(files.text(path) ?? "").entries()) {
    const name = target.exec(line)?.[1]
    const purpose = name === undefined ? undefined : purposeOf(name)
    if (name === undefined || purpose === undefined || found.has(name)) continue
    const evidence = `${path}:${index + 1}`
    found.set(name, { purpose, command: `${tool} ${name}`, folder: "", evidence, declared: true })
  }
  return [...found.values()]
}

/** `scripts/test`, `script/lint.sh`: a file whose name is what it does. */
function scriptsIn(files: ScannedFiles, folder: string): ProjectCommand[] {
  return files.paths.flatMap((path): ProjectCommand[] => {
    if (!path.startsWith(folder) || path.includes("/", folder.length)) return []
    const name = nameOf(path)
    const purpose = purposeOf(name.replace(/\.(sh|bash)$/, ""))
    const isScript = /\.(sh|bash)$/.test(name) || !name.includes(".")
    // Without an ending it is run as it is only if it says with what.
    if (purpose === undefined || !isScript || files.text(path)?.startsWith("#!") !== true) return []
    return [{ purpose, command: path, folder: "", evidence: path, declared: true }]
  })
}

/** `[tasks.test]`, `test = "…"` under `[tasks]`, and scripts in a folder of tasks. */
function miseTasks(files: ScannedFiles): ProjectCommand[] {
  const named = MISE_FILES.filter((path) => files.paths.includes(path)).flatMap((path) =>
    tomlEntries(files.text(path) ?? "").flatMap(({ table, key, line }) => {
      if (table === "tasks") return [{ name: key.replace(/\..*/, ""), evidence: `${path}:${line}` }]
      const [, name] = /^tasks\.(.+)$/.exec(table) ?? []
      return name === undefined ? [] : [{ name, evidence: `${path}:${line}` }]
    }),
  )
  const scripts = files.paths.flatMap((path) => {
    const [, name] = MISE_SCRIPT.exec(path) ?? []
    return name === undefined
      ? []
      : [{ name: name.replace(/\/_default$/, "").replaceAll("/", ":"), evidence: path }]
  })
  const found = new Map<string, ProjectCommand>()
  for (const { name, evidence } of [...named, ...scripts]) {
    const purpose = purposeOf(name)
    if (purpose === undefined || found.has(name)) continue
    found.set(name, { purpose, command: `mise run ${name}`, folder: "", evidence, declared: true })
  }
  return [...found.values()]
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
const MISE_FILES = ["mise.toml", ".mise.toml", "mise/config.toml", ".mise/config.toml", ".config/mise.toml"]
const MISE_SCRIPT = /^\.?mise[-/]tasks\/([\w/-]+?)(?:\.\w+)?$/
const SCRIPT_FOLDERS = ["scripts/", "script/"]
