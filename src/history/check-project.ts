import { existsSync } from "node:fs"
import { isAbsolute, join, normalize } from "node:path"
import { readTextOrUndefined } from "../shared/lenient-files.ts"

/** Compares records of past sessions with the project as it is today. */
export interface ProjectCheck {
  /** The path in the project of a file that an agent named; undefined where it is gone. */
  fileNow(named: string): string | undefined
  /** False where a command's script, target or file is not there any more. */
  isCommandThere(command: string): boolean
  /** A package that was installed once, is named in the text, and is in no manifest any more. */
  goneDependency(text: string, installed: ReadonlySet<string>): string | undefined
}

export function projectCheck(dir: string, folders: readonly string[]): ProjectCheck {
  const texts = new Map<string, string | undefined>()
  const files = new Map<string, string | undefined>()
  const read = (name: string) => {
    if (!texts.has(name)) texts.set(name, readTextOrUndefined(join(dir, name)))
    return texts.get(name)
  }
  return {
    fileNow(named) {
      if (!files.has(named)) files.set(named, findFile(named))
      return files.get(named)
    },
    isCommandThere(command) {
      const words = command.split(/\s+/).filter((word) => !/^[A-Z_]+=/.test(word))
      const [program = "", first = "", second = ""] = words
      const goal = first === "run" || first === "task" || first === "run-script" ? second : first
      if (/^(npm|pnpm|yarn|bun)$/.test(program)) return hasScript(goal, first === goal)
      const file = GOAL_FILES[program]
      if (file !== undefined)
        return file.some((name) =>
          new RegExp(`(^|[\\s"'\\[.:])${escaped(goal)}(?![\\w-])`, "m").test(read(name) ?? ""),
        )
      const needs = NEEDED[program]
      if (needs !== undefined && !needs.some((name) => read(name) !== undefined)) return false
      // A file that the command runs or tests has to exist.
      return words.every(
        (word) =>
          !/^(\.{0,2}\/)?[\w.-]+\/[\w./-]+$/.test(word) ||
          existsSync(join(dir, word.replace(/\/?\.{3}$/, ""))),
      )
    },
    goneDependency(text, installed) {
      const named = MANIFESTS.flatMap((name) => read(name) ?? [])
      if (named.length === 0) return undefined
      return [...installed].find(
        (name) => mentions(text, name) && !named.some((manifest) => mentions(manifest, name)),
      )
    },
  }

  function findFile(named: string): string | undefined {
    const inside = folders.flatMap((folder) =>
      named.startsWith(`${folder}/`) ? named.slice(folder.length + 1) : [],
    )
    const relative = isAbsolute(named) ? inside : [normalize(named)]
    // In a project that was moved, or in a worktree that is gone, the end of the path is the same.
    const parts = named.split("/").filter((part) => part !== "")
    const ends = parts.map((_, at) => parts.slice(at).join("/")).filter((end) => end.includes("/"))
    return [...relative, ...(inside.length > 0 ? [] : ends)].find(
      (path) => !path.startsWith("..") && existsSync(join(dir, path)),
    )
  }

  function hasScript(goal: string, isDirect: boolean): boolean {
    const manifest = read("package.json")
    if (manifest === undefined) return false
    // Without `run`, other words are programs and verbs of the runner.
    const isScript = new RegExp(`"${escaped(goal)}"s*:`).test(manifest)
    return isScript || (isDirect && /^(ci|install|x|exec|dlx)$/.test(goal))
  }
}

function mentions(text: string, name: string): boolean {
  return new RegExp(`(?<![\\w@/-])${escaped(name)}(?![\\w/-])`, "i").test(text)
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")
}

const NEEDED: Readonly<Record<string, readonly string[]>> = {
  go: ["go.mod", "go.work"],
  cargo: ["Cargo.toml"],
}
const GOAL_FILES: Readonly<Record<string, readonly string[]>> = {
  mise: ["mise.toml", ".mise.toml", ".config/mise.toml", "mise/config.toml"],
  make: ["Makefile", "makefile", "GNUmakefile"],
  just: ["justfile", "Justfile", ".justfile"],
  task: ["Taskfile.yml", "Taskfile.yaml"],
}
const MANIFESTS =
  "package.json pyproject.toml requirements.txt setup.py Pipfile Cargo.toml go.mod Gemfile composer.json pom.xml build.gradle".split(
    " ",
  )
