import { builtins } from "./builtins.ts"
import { deletes } from "./deletes.ts"
import { downloads } from "./downloads.ts"
import { fileWrites } from "./file-writes.ts"
import { git } from "./git.ts"
import { DOWNLOAD, HOLE, isKnown, readable } from "./hole.ts"
import { interpreters } from "./interpreters.ts"
import { kindOfTool } from "./kinds.ts"
import { manyRunners } from "./many.ts"
import { packages } from "./packages.ts"
import { permissions } from "./permissions.ts"
import { placeOf } from "./places.ts"
import { prints } from "./prints.ts"
import type { Call, Program } from "./run.ts"
import { runFile, shells } from "./shells.ts"
import { sql } from "./sql.ts"
import { system } from "./system.ts"
import { tools } from "./tools.ts"
import { wrappers } from "./wrappers.ts"

/** Judges one command, its words expanded, and gives what it would print. */
export function judgeProgram(call: Call): string {
  const { args, frame, run } = call
  const name = programName(call.name)
  if (!isKnown(name)) return judgeUnknown(call)
  const known = PROGRAMS.get(name) ?? (/^mkfs\b/.test(name) ? PROGRAMS.get("mke2fs") : undefined)
  const printed = known?.({ ...call, name })
  if (printed !== undefined) return printed
  if (known === undefined) {
    const isPath = /[/\\]/.test(call.name)
    if (isPath && run.files.has(placeOf(call.name, frame, run)))
      return runFile(call.name, args, frame, { ...frame }, run)
    const kind = kindOfTool(name, args)
    if (isPath && kind === undefined) run.unseen(`what ${readable(call.name)} does`)
    run.does(kind ?? "other")
  }
  // A filter on the way does not make a download any safer.
  return frame.stdin.includes(DOWNLOAD) ? DOWNLOAD : HOLE
}

export function isProgram(word: string): boolean {
  return PROGRAMS.has(programName(word))
}

function judgeUnknown({ name, args, frame, run }: Call): string {
  run.does("other")
  if (name.includes(DOWNLOAD)) {
    run.destroys("runs a download in a shell without a look at it")
    return HOLE
  }
  run.unseen(`a command whose name is not known: ${readable([name, ...args].join(" "))}`)
  // `$SUDO rm …`: what follows is likely to be the command.
  const next = args.findIndex(isKnown)
  return next === -1 ? HOLE : run.argv(args.slice(next), frame)
}

/** Without its folder and `.exe`. Small letters: macOS and Windows take `RM` for `rm`. */
function programName(word: string): string {
  const name = word.split(/[/\\]/).at(-1) ?? ""
  const small = name.toLowerCase().replace(/\.(exe|cmd|bat)$/, "")
  return /^python[\d.]+$/.test(small) ? "python" : small
}

const PROGRAMS: ReadonlyMap<string, Program> = new Map(
  [
    wrappers,
    packages,
    tools,
    prints,
    fileWrites,
    downloads,
    sql,
    system,
    permissions,
    deletes,
    git,
    interpreters,
    manyRunners,
    shells,
    builtins,
  ].flatMap((programs) => Object.entries(programs)),
)
