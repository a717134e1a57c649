import type { Frame } from "./frame.ts"
import { isSaved } from "./git-done.ts"
import { loseSteppedFile } from "./git-steps.ts"
import { listedIn } from "./listed-files.ts"
import { isTemporary } from "./made-files.ts"
import { movedFrom } from "./moved.ts"
import { parseOptions, setOf } from "./options.ts"
import { contains, displayPath, isInProject, isRegenerable, isTopLevel, resolvePath } from "./paths.ts"
import { type Call, type Programs, type Run, sameFor } from "./program.ts"
import { judgeReplacement } from "./replaces.ts"
import { GUARDED, readable, UNKNOWN } from "./unknown-text.ts"

/** Programs that delete files or what is in them. */
export const deletes: Programs = {
  rm: (call) => {
    const options = parseOptions(call.args)
    const whole = options.has("-r", "-R", "--recursive")
    return remove(call, options.operands, whole)
  },
  unlink: (call) => remove(call, parseOptions(call.args).operands, false),
  ...sameFor("rimraf del-cli srm wipe", (call) =>
    remove(call, parseOptions(call.args, setOf("--impl")).operands, true),
  ),
  ...sameFor("remove-item rmdir rd del erase", removeOnWindows),
  // From the wastebasket it can be taken back.
  ...sameFor("trash trash-put", ({ args, frame, run }) => {
    run.addKind("write")
    for (const path of parseOptions(args).operands) run.removes(path, frame, true)
    return ""
  }),
  truncate: ({ args, frame, run }) => {
    const options = parseOptions(args, TRUNCATE_VALUED)
    // `+5` and `>5` only make it longer.
    const empties = options.values("-s", "--size").every((size) => !/^[+>%]/.test(size))
    for (const file of options.operands) {
      run.writes(file, frame)
      if (empties) judgeRemoval(file, frame, run, false)
    }
    return ""
  },
  rsync: ({ args, frame, run }) => {
    const options = parseOptions(args, RSYNC_VALUED)
    const target = (options.operands.at(-1) ?? "").replace(THIS_MACHINE, (_, path) =>
      path === "" ? "~/" : "/",
    )
    const isRemote = isElsewhere(target)
    run.addKind("write")
    if (options.has("-n", "--dry-run")) return undefined
    if (!isRemote) run.writes(target, frame)
    if (!isRemote && !options.has("-u", "--update", "--ignore-existing", "-b", "--backup"))
      for (const from of options.operands.slice(0, -1)) {
        // With a slash behind it, it is what is in the folder.
        const into = from.endsWith("/") ? "." : (from.split("/").at(-1) ?? ".")
        judgeReplacement(target, frame, run, isElsewhere(from) ? { into } : { from, into })
      }
    if (args.includes("--remove-source-files"))
      for (const source of options.operands.slice(0, -1)) judgeRemoval(source, frame, run, true)
    if (!isRemote && args.some((arg) => arg.startsWith("--del"))) judgeRemoval(target, frame, run, true)
    return undefined
  },
}

/**
 * What is in the project, git and the file system are asked about. Temporary files may go; elsewhere nothing can be
 * asked, and nothing may be deleted.
 */
export function judgeRemoval(word: string, frame: Frame, run: Run, whole: boolean): void {
  const listed = listedIn(word, run)
  if (listed !== undefined) {
    run.loses(listed)
    return
  }
  // Whoever wrote `${X:?}` has thought of what it may be. Up from there is another matter.
  if (word.startsWith(UNKNOWN + GUARDED) && !word.includes("..")) return
  // One of several lines that something may print.
  if (word.includes("\n")) {
    run.destroys(`deletes what cannot be known: ${readable(word)}`)
    return
  }
  const path = resolvePath(word, frame, run)
  for (const source of movedFrom(path, run)) judgeRemoval(source, frame, run, true)
  const copy = copyOf(path, run)
  // By then it is as good as moved there: it may be deleted there too.
  if (copy !== undefined) {
    run.moves.set(copy, path)
    return
  }
  const isMade = isRegenerable(path, run)
  if (!frame.elsewhere && isInProject(path, run)) {
    // A piece that cannot be known may be any name in its folder.
    const saved = isSaved(path, run)
    const only = saved === "tracked" ? { only: "untracked" as const } : {}
    if (saved === true) return
    const pattern = path.replaceAll(/[\uE000\uE001]+/g, "*")
    loseSteppedFile(pattern, frame, run)
    run.loses({ ask: "removed", path: pattern, whole, isMade, ...only })
    return
  }
  // A temporary folder may be somebody's repository, or lie in one: the disk is asked.
  if (isMade && !frame.elsewhere && isTemporary(path))
    run.loses({ ask: "removed", path: path.replaceAll(/[\uE000\uE001]+/g, "*"), whole, isMade })
  if (isMade || (!whole && run.replaced.has(path))) return
  const shown = displayPath(path, run.project)
  if (shown === undefined) run.destroys(`deletes what cannot be known: ${readable(word)}`)
  else if (isTopLevel(path, run)) run.destroys(`deletes everything: ${shown === "." ? "the project" : shown}`)
  else if (shown === path) run.destroys(`deletes ${shown}, which is outside of the project`)
  else run.destroys(`deletes ${shown}, which only git writes`)
}

/** Where an earlier step has put a copy of this, outside of what is deleted. */
function copyOf(path: string, run: Run): string | undefined {
  for (const [copy, original] of run.done.now.copies)
    if (contains(original, path) && !contains(path, copy)) return copy
  return undefined
}

function remove({ args, frame, run }: Call, paths: readonly string[], whole: boolean): string {
  run.addKind("write")
  for (const path of paths) {
    // "/s" and "/q" are options on Windows.
    if (path === "" || /^\/[a-z]$/i.test(path)) continue
    run.removes(path, frame, whole)
    // In a container or on another machine, one named file is ordinary.
    if (!frame.elsewhere || whole || frame.sweep) judgeRemoval(path, frame, run, whole)
    // Behind a link, a slash means the folder that it leads to.
    if (whole && /[^/.]\/$/.test(path) && isInProject(resolvePath(path, frame, run), run))
      judgeRemoval(`${path}*`, frame, run, whole)
  }
  if (args.includes("--no-preserve-root")) run.destroys("deletes from the root of the disk on")
  return ""
}

/** `host:path`; a single letter is a disk. */
function isElsewhere(place: string): boolean {
  return /^[\w.@-]{2,}:/.test(place)
}

/** These take a folder with all that is in it only when an option says so. */
function removeOnWindows(call: Call): string {
  const { operands } = parseOptions(call.args)
  const whole = call.args.some((arg) => /^(\/s|-r(e\w*)?|-fo\w*)$/i.test(arg))
  if (whole || !/^r(m?)d/.test(call.name)) return remove(call, operands, whole)
  call.run.addKind("write")
  for (const path of operands) call.run.removes(path, call.frame, false)
  return ""
}

/** A path there begins at home where it does not at the root. */
const THIS_MACHINE = /^(?:[\w.-]+@)?(?:localhost|127\.0\.0\.1):(\/?)/
const TRUNCATE_VALUED = setOf("-s --size -r --reference")
const RSYNC_VALUED = setOf(
  "-e --rsh --exclude --include --filter --exclude-from --include-from --files-from -f -T",
)
