import { readable } from "./hole.ts"
import { parseOptions, setOf } from "./options.ts"
import { isBroad, isExpendable, placeOf, shownPlace } from "./places.ts"
import type { Call, Frame, Program, Programs, Run } from "./run.ts"

/** Programs that delete files or what is in them. */
export const deletes: Programs = {
  rm: (call) => {
    const options = parseOptions(call.args)
    const whole = options.has("-r", "-R", "--recursive")
    return remove(call, options.operands, whole, whole || options.has("-f", "--force"))
  },
  rimraf: removeWhole,
  "del-cli": removeWhole,
  srm: removeWhole,
  // Windows' own take a folder with all that is in it only when told to; elsewhere only an empty one goes.
  del: removeOnWindows,
  erase: removeOnWindows,
  "remove-item": removeOnWindows,
  rd: removeOnWindows,
  rmdir: removeOnWindows,
  unlink: (call) => remove(call, call.args, false, false),
  // Into the wastebasket, from which it can be taken back.
  trash: (call) => remove(call, parseOptions(call.args).operands, false, false),
  "trash-put": (call) => remove(call, parseOptions(call.args).operands, false, false),
  truncate: ({ args, frame, run }) => {
    const options = parseOptions(args, TRUNCATE_VALUED)
    const empties = options.values("-s", "--size").some((size) => /^0+\D*$/.test(size))
    for (const file of options.operands) {
      run.writes(file, frame)
      if (empties && !isExpendable(placeOf(file, frame, run), run)) run.destroys(`empties ${readable(file)}`)
    }
    return ""
  },
  rsync: ({ args, frame, run }) => {
    const options = parseOptions(args, RSYNC_VALUED)
    const target = options.operands.at(-1) ?? ""
    run.does("write")
    if (options.has("-n", "--dry-run")) return undefined
    if (!/^[\w.@-]+:/.test(target)) run.writes(target, frame)
    const cleans = args.some((arg) => arg.startsWith("--del") || arg === "--remove-source-files")
    if (cleans && !isExpendable(placeOf(target, frame, run), run))
      run.destroys(`deletes what the other side of rsync does not have in ${readable(target)}`)
    return undefined
  },
}

/** Is deleting this more than a build can make good? Told as destructive if so. */
export function judgeRemoval(path: string, frame: Frame, run: Run): void {
  const place = placeOf(path, frame, run)
  if (isExpendable(place, run)) return
  const shown = shownPlace(place, run.project)
  if (shown === undefined) run.destroys(`deletes what cannot be known: ${readable(path)}`)
  else if (isBroad(place, run)) run.destroys(`deletes everything: ${shown === "." ? "the project" : shown}`)
  else run.destroys(`deletes ${shown}, by force or with all that is in it`)
}

function remove(
  { args, frame, run }: Call,
  paths: readonly string[],
  whole: boolean,
  forced: boolean,
): string {
  run.does("write")
  for (const path of paths) {
    if (path === "" || /^\/[a-z]$/i.test(path)) continue
    run.removes(path, frame, whole)
    // Handed over by `find` or `xargs`, or all names of a folder: nobody chose these files one by one.
    const isSweep = /^(.*\/)?\*+$/.test(path) || (frame.sweep && /[*?\uE000]/.test(path))
    if (forced || isSweep) judgeRemoval(path, frame, run)
  }
  if (args.includes("--no-preserve-root")) run.destroys("deletes from the root of the disk on")
  return ""
}

function removeOnWindows(call: Call): ReturnType<Program> {
  const whole = call.args.some((arg) => /^(\/s|-r(e\w*)?|-fo\w*)$/i.test(arg))
  return remove(call, parseOptions(call.args).operands, whole, whole)
}

function removeWhole(call: Call): ReturnType<Program> {
  return remove(call, parseOptions(call.args).operands, true, true)
}

const TRUNCATE_VALUED = setOf("-s --size -r --reference")
const RSYNC_VALUED = setOf(
  "-e --rsh --exclude --include --filter --exclude-from --include-from --files-from -f -T",
)
