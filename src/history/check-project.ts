import { existsSync } from "node:fs"
import { isAbsolute, join, normalize } from "node:path"
import { readTextOrUndefined } from "../shared/lenient-files.ts"

/** Checks whether files, commands and packages that past sessions named still exist in the project. */
export function projectCheck(dir: string, folders: readonly string[]) {
  const read = remembered((name) => readTextOrUndefined(join(dir, name)))
  return {
    /** The path in the project of a file that an agent named, or undefined if the file is gone. */
    fileNow: remembered(findFile),
    /** False if the command's script, target or file is gone. */
    isCommandThere(command: string): boolean {
      const words = command.split(/\s+/).filter((word) => !/^[A-Z_]+=/.test(word))
      const [program = "", first = "", second = ""] = words
      const goal = /^(run|task|run-script)$/.test(first) ? second : first
      const [, names = []] = PROJECT_FILES.find(([programs]) => programs.test(program)) ?? []
      const isGoal = /^(go|cargo)$/.test(program)
        ? /^/
        : new RegExp(`(^|[\\s"'\\[.:])${escaped(goal)}(?![\\w-])`, "m")
      const texts = names.flatMap((name) => read(name) ?? [])
      if (names.length > 0 && !texts.some((text) => isGoal.test(text))) return false
      // A file that the command runs or tests must exist.
      const files = words.filter((word) => /^(\.{0,2}\/)?[\w.-]+\/[\w./-]+$/.test(word))
      return files.every((file) => existsSync(join(dir, file.replace(/\/?\.{3}$/, ""))))
    },
    /** A package that the text names and a past session installed, but that no manifest lists now. */
    goneDependency(text: string, installed: ReadonlySet<string>): string | undefined {
      const manifests = MANIFESTS.flatMap((name) => read(name) ?? [])
      if (manifests.length === 0) return undefined
      const isGone = (name: string) => !manifests.some((manifest) => mentions(manifest, name))
      return [...installed].find((name) => mentions(text, name) && isGone(name))
    },
  }

  function findFile(named: string): string | undefined {
    const inside = folders.flatMap((folder) =>
      named.startsWith(`${folder}/`) ? named.slice(folder.length + 1) : [],
    )
    const relative = isAbsolute(named) ? inside : [normalize(named)]
    // In a moved project or a deleted worktree, only the end of the path is the same.
    const parts = named.split("/").filter((part) => part !== "")
    const ends = parts.map((_, at) => parts.slice(at).join("/")).filter((end) => end.includes("/"))
    return [...relative, ...(inside.length > 0 ? [] : ends)].find(
      (path) => !path.startsWith("..") && existsSync(join(dir, path)),
    )
  }
}

export type ProjectCheck = ReturnType<typeof projectCheck>

function remembered(find: (name: string) => string | undefined) {
  const found = new Map<string, string | undefined>()
  return (name: string) => {
    if (!found.has(name)) found.set(name, find(name))
    return found.get(name)
  }
}

function mentions(text: string, name: string): boolean {
  return new RegExp(`(?<![\\w@/-])${escaped(name)}(?![\\w/-])`, "i").test(text)
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")
}

/** Programs and their files. One must exist and, except for Go and Cargo, name the goal, like `test` in `make test`. */
const PROJECT_FILES: readonly [RegExp, string[]][] = [
  [/^(npm|pnpm|yarn|bun)$/, ["package.json"]],
  [/^mise$/, ["mise.toml", ".mise.toml", ".config/mise.toml", "mise/config.toml"]],
  [/^make$/, ["Makefile", "makefile", "GNUmakefile"]],
  [/^just$/, ["justfile", "Justfile", ".justfile"]],
  [/^task$/, ["Taskfile.yml", "Taskfile.yaml"]],
  [/^go$/, ["go.mod", "go.work"]],
  [/^cargo$/, ["Cargo.toml"]],
]
const MANIFESTS =
  "package.json pyproject.toml requirements.txt setup.py Pipfile Cargo.toml go.mod Gemfile composer.json pom.xml build.gradle".split(
    " ",
  )
