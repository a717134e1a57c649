import { readable } from "./hole.ts"
import { parseOptions } from "./options.ts"
import { isBroad, isExpendable, placeOf } from "./places.ts"
import type { Call, Programs } from "./run.ts"

/** Programs that change who may do what with a file. One file is ordinary; a sweep over many is not. */
export const permissions: Programs = {
  chmod: (call) => {
    const [mode = "", ...paths] = modeAndPaths(call.args)
    return sweep(call, paths, OPEN_TO_ALL.test(mode))
  },
  chown: changeOwner,
  chgrp: changeOwner,
  setfacl: (call) => sweep(call, parseOptions(call.args, SETFACL_VALUED).operands, false),
  chattr: (call) => sweep(call, modeAndPaths(call.args).slice(1), false),
}

function changeOwner(call: Call): string {
  const [, ...paths] = parseOptions(call.args).operands
  // Taking a project back from root is everyday work; the system and the home folder are not.
  const isOwn = (path: string) => placeOf(path, call.frame, call.run) === call.run.project
  for (const path of paths.filter(isOwn)) call.run.writes(path, call.frame)
  return sweep(
    call,
    paths.filter((path) => !isOwn(path)),
    false,
  )
}

function sweep({ name, args, frame, run }: Call, paths: readonly string[], opens: boolean): string {
  const isSweep = frame.sweep || parseOptions(args.filter((arg) => !MODE.test(arg))).has("-R", "--recursive")
  run.does("write")
  for (const path of paths) {
    run.writes(path, frame)
    const place = placeOf(path, frame, run)
    const isSystem = place === "/" || place === run.home
    if (!isSweep && !(opens && isSystem)) continue
    if (isBroad(place, run) || place.startsWith("/etc/") || place.startsWith("/usr/"))
      run.destroys(`changes permissions of everything in ${readable(path)} (${name})`)
    else if (opens && !isExpendable(place, run))
      run.destroys(`opens everything in ${readable(path)} to everyone`)
  }
  return ""
}

/** A mode may begin with a dash, like an option: `chmod -x file`. */
function modeAndPaths(args: readonly string[]): string[] {
  return args.filter((arg) => MODE.test(arg) || !arg.startsWith("-"))
}

const MODE = /^([0-7]{3,4}|[ugoa]*[-+=][rwxXst]+(,.*)?)$/
const OPEN_TO_ALL = /^0?[0-7]?[0-7][0-7][2367]$|^[ugoa]*[oa][ugoa]*[+=][rwxXst]*w|^\+[rwxXst]*w/
const SETFACL_VALUED = new Set(["-m", "-x", "-M", "-X"])
