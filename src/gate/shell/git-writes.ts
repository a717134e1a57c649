import { posix } from "node:path"
import { HIVE_FOLDER } from "../../store/files/layout.ts"
import { pathsInPatch } from "./file-writes.ts"
import type { GitCall } from "./git.ts"
import { loseMoved, moveOn } from "./moved.ts"
import { parseOptions, setOf } from "./options.ts"
import { askedOf } from "./output-option.ts"
import { contains, noteFolder, resolvePath } from "./paths.ts"
import { judgeReplacement } from "./replaces.ts"

/** The files of the work tree that a git command writes. Which ones a checkout or merge changes, only git knows. */
export function gitWrites({ verb, args, frame, run }: GitCall): void {
  const options = parseOptions(args, VALUED)
  const dashes = args.indexOf("--")
  const each = (paths: readonly string[]) => {
    for (const path of paths) run.writes(path, frame)
  }
  const outputs = options.values("--output", "--output-directory")
  if (verb === "archive" || verb === "format-patch") outputs.push(...options.values("-o"))
  if (verb === "bundle" && args[0] === "create") outputs.push(...options.operands.slice(1, 2))
  each(outputs)
  for (const file of outputs) judgeReplacement(file, frame, run, askedOf(file))
  switch (verb) {
    case "checkout": {
      // After the first word, which may be a branch, all are paths.
      const paths =
        dashes === -1
          ? options.operands.filter((word, at) => at > 0 || isPathLike(word))
          : args.slice(dashes + 1)
      for (const path of paths) loseMoved(resolvePath(path, frame, run), run)
      if (paths.length > 0) each(paths)
      else if (!options.has("-b") || options.operands.length > 0) run.writesUnknownPath(frame)
      return
    }
    case "restore":
      if (options.has("-S", "--staged") && !options.has("-W", "--worktree")) return
      for (const path of options.operands) loseMoved(resolvePath(path, frame, run), run)
      each(options.operands)
      return
    case "switch":
      if (!options.has("-c", "--create") || options.operands.length > 0) run.writesUnknownPath(frame)
      return
    case "reset":
      if (options.has("--hard", "--merge", "--keep")) run.writesUnknownPath(frame)
      return
    case "apply":
    case "am":
      for (const path of pathsInPatch(frame.stdin) ?? []) run.writes(path, frame)
      if (options.operands.length > 0 || pathsInPatch(frame.stdin) === undefined) run.writesUnknownPath(frame)
      return
    case "clone": {
      const [url = "", folder] = options.operands
      const name = url
        .replace(/\.git\/?$/, "")
        .split(/[/:]/)
        .at(-1)
      const target = folder ?? (name || ".")
      noteFolder(target, frame, run)
      run.writes(target, frame)
      return
    }
    case "stash":
      // With what git ignores, HiveMind's own folder is put away too.
      if (options.has("-a", "--all")) run.removes(`${run.hive}/${HIVE_FOLDER}`, frame, true)
      run.writesUnknownPath(frame)
      return
    case "rm":
      if (!options.has("--cached"))
        for (const path of options.operands) {
          // Only what git knows goes: of the whole project HiveMind's own folder stays.
          const isAll = contains(resolvePath(path, frame, run), run.hive)
          run.removes(path, frame, options.has("-r") && !isAll)
        }
      return
    case "mv": {
      const [from, to, ...more] = options.operands.map((path) => resolvePath(path, frame, run))
      if (from !== undefined && to !== undefined && more.length === 0)
        moveOn(from, run.isFolder(to) ? `${to}/${posix.basename(from)}` : to, run)
      each(options.operands)
      return
    }
    case "clean":
    case "pull":
    case "merge":
    case "rebase":
    case "cherry-pick":
    case "revert":
    case "bisect":
    case "sparse-checkout":
    case "submodule":
      run.writesUnknownPath(frame)
      return
    case "worktree":
      if (args[0] === "add") each(parseOptions(args.slice(1), setOf("-b -B")).operands.slice(0, 1))
      if (args[0] === "remove") each(options.operands.slice(1))
      return
    case "init":
      each(options.operands)
  }
}

/** Without "--" a word may be a branch or a file: one with an ending such as `.ts`, or a plain `.`, is a file. */
export function isPathLike(word = ""): boolean {
  return /^\.\w|^\.{1,2}$|^\.\/|\/$|[^/.]\.[A-Za-z]\w{0,4}$|[*?]/.test(word)
}

const VALUED = setOf(
  "-b -B -c -C -s --source -o --output --output-directory -m --message --depth --branch -u",
)
