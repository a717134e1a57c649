import type { Frame } from "./frame.ts"
import { parseOptions, setOf } from "./options.ts"
import { displayPath, isRegenerable, isTopLevel, resolvePath } from "./paths.ts"
import { type Call, type Programs, type Run, sameFor } from "./program.ts"
import { readable } from "./unknown-text.ts"

/** Programs that delete files or what is in them. */
export const deletes: Programs = {
  rm: (call) => {
    const options = parseOptions(call.args)
    const whole = options.has("-r", "-R", "--recursive")
    return remove(call, options.operands, whole, whole || options.has("-f", "--force"))
  },
  ...sameFor("rimraf del-cli srm", (call) => remove(call, parseOptions(call.args).operands, true, true)),
  ...sameFor("remove-item rmdir rd del erase", removeOnWindows),
  // From the wastebasket it can be taken back.
  ...sameFor("unlink trash trash-put", (call) =>
    remove(call, parseOptions(call.args).operands, false, false),
  ),
  truncate: ({ args, frame, run }) => {
    const options = parseOptions(args, TRUNCATE_VALUED)
    const empties = options.values("-s", "--size").some((size) => /^0+\D*$/.test(size))
    for (const file of options.operands) {
      run.writes(file, frame)
      if (empties && !isRegenerable(resolvePath(file, frame, run), run))
        run.destroys(`empties ${readable(file)}`)
    }
    return ""
  },
  rsync: ({ args, frame, run }) => {
    const options = parseOptions(args, RSYNC_VALUED)
    const target = options.operands.at(-1) ?? ""
    run.addKind("write")
    if (options.has("-n", "--dry-run")) return undefined
    if (!/^[\w.@-]+:/.test(target)) run.writes(target, frame)
    const cleans = args.some((arg) => arg.startsWith("--del") || arg === "--remove-source-files")
    if (cleans && !isRegenerable(resolvePath(target, frame, run), run))
      run.destroys(`deletes what the other side of rsync does not have in ${readable(target)}`)
    return undefined
  },
}

/** Reports a delete as destructive unless a build can make the path again. */
export function judgeRemoval(word: string, frame: Frame, run: Run): void {
  const path = resolvePath(word, frame, run)
  if (isRegenerable(path, run)) return
  const shown = displayPath(path, run.project)
  if (shown === undefined) run.destroys(`deletes what cannot be known: ${readable(word)}`)
  else if (isTopLevel(path, run)) run.destroys(`deletes everything: ${shown === "." ? "the project" : shown}`)
  else run.destroys(`deletes ${shown}, by force or with all that is in it`)
}

function remove(
  { args, frame, run }: Call,
  paths: readonly string[],
  whole: boolean,
  forced: boolean,
): string {
  run.addKind("write")
  for (const path of paths) {
    // "/s" and "/q" are options on Windows.
    if (path === "" || /^\/[a-z]$/i.test(path)) continue
    run.removes(path, frame, whole)
    // Handed over by `find` or `xargs`, or all names of a folder: nobody chose these files one by one.
    const isSweep = /^(.*\/)?\*+$/.test(path) || (frame.sweep && /[*?\uE000]/.test(path))
    if (forced || isSweep) judgeRemoval(path, frame, run)
  }
  if (args.includes("--no-preserve-root")) run.destroys("deletes from the root of the disk on")
  return ""
}

/** These take a folder with all that is in it only when an option says so. */
function removeOnWindows(call: Call): string {
  const whole = call.args.some((arg) => /^(\/s|-r(e\w*)?|-fo\w*)$/i.test(arg))
  return remove(call, parseOptions(call.args).operands, whole, whole)
}

const TRUNCATE_VALUED = setOf("-s --size -r --reference")
const RSYNC_VALUED = setOf(
  "-e --rsh --exclude --include --filter --exclude-from --include-from --files-from -f -T",
)
