import { parseOptions, setOf } from "./options.ts"
import { isInProject, isRegenerable, isTopLevel, resolvePath } from "./paths.ts"
import { type Call, type Programs, sameFor } from "./program.ts"
import { readable } from "./unknown-text.ts"

/** Programs that change who may do what with a file. One file is ordinary; a sweep over many is not. */
export const permissions: Programs = {
  chmod: (call) => {
    // A mode may begin with a dash, like an option: `chmod -x file`.
    const [mode = "", ...paths] = call.args.filter((arg) => MODE.test(arg) || !arg.startsWith("-"))
    const clauses = mode.split(",")
    const opens = clauses.some((one) => OPEN_TO_ALL.test(one))
    const isEveryday = clauses.every((one) => EVERYDAY.test(one))
    return sweep(call, isEveryday && !opens ? withoutProject(call, paths) : paths, opens)
  },
  ...sameFor("chown chgrp", (call) => {
    const [, ...paths] = parseOptions(call.args).operands
    return sweep(call, withoutProject(call, paths), false)
  }),
  setfacl: (call) => sweep(call, parseOptions(call.args, SETFACL_VALUED).operands, false),
  chattr: (call) => {
    const paths = call.args.filter((arg) => !/^[-+=]/.test(arg))
    return sweep(call, paths, false)
  },
}

/** Taking a project back from root, or making it readable, is everyday work; the system and the home folder are not. */
function withoutProject({ frame, run }: Call, paths: readonly string[]): string[] {
  const isOwn = (path: string) => resolvePath(path, frame, run) === run.project
  for (const path of paths.filter(isOwn)) run.writes(path, frame)
  return paths.filter((path) => !isOwn(path))
}

function sweep({ name, args, frame, run }: Call, paths: readonly string[], opens: boolean): string {
  const isSweep = frame.sweep || parseOptions(args.filter((arg) => !MODE.test(arg))).has("-R", "--recursive")
  run.addKind("write")
  for (const word of paths) {
    run.writes(word, frame)
    const path = resolvePath(word, frame, run)
    const isSystem = path === "/" || path === run.home
    if (!isSweep && !(opens && isSystem)) continue
    // In a container or on another machine, a folder by its name from where it works is most often the project's.
    if (frame.elsewhere && /^(\.\/)?\w/.test(word)) continue
    if (isTopLevel(path, run) || path.startsWith("/etc/") || path.startsWith("/usr/"))
      run.destroys(`changes permissions of everything in ${readable(word)} (${name})`)
    else if (opens && !isRegenerable(path, run) && !isInProject(path, run))
      run.destroys(`opens everything in ${readable(word)} to everyone`)
  }
  return ""
}

const MODE = /^([0-7]{3,4}|[ugoa]*[-+=][rwxXst]+(,.*)?)$/
/** Nothing that could be done before is kept from its owner. */
const EVERYDAY = /^[ugoa]*\+[rwxX]+$|^[go]+-[rwxX]+$/
const OPEN_TO_ALL = /^0?[0-7]?[0-7][0-7][2367]$|^[ugoa]*[oa][ugoa]*[+=][rwxXst]*w|^\+[rwxXst]*w/
const SETFACL_VALUED = setOf("-m -x -M -X")
