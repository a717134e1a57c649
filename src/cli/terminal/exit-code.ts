import type { ErrorCode } from "../../shared/error.ts"

export const EXIT = { ok: 0, trouble: 1, usage: 2, noProject: 3, notWritable: 4, newerFormat: 5 } as const

export function exitCodeFor(code: ErrorCode): number {
  return BY_ERROR[code] ?? EXIT.trouble
}

export const EXIT_CODE_HELP = `
Exit codes:
  0  done
  1  the command found trouble, or was refused
  2  wrong usage
  3  no project here: run \`hivemind init\`
  4  not readable or writable, or the disk is full
  5  the data was written by a newer HiveMind`

const BY_ERROR: Partial<Record<ErrorCode, number>> = {
  invalid_argument: EXIT.usage,
  no_project: EXIT.noProject,
  not_readable: EXIT.notWritable,
  not_writable: EXIT.notWritable,
  disk_full: EXIT.notWritable,
  newer_format: EXIT.newerFormat,
}
