import { plainShell, programOf } from "./plain-shell.ts"

/**
 * Was a command cut off by the next one in its pipe on purpose? `yes` never ends by itself, and a quiet grep has found what
 * it looked for: there the exit of the others is what counts.
 */
export function isCutOnPurpose(command: string): boolean {
  const pipes = plainShell(command)
    .split(/&&|\|\||[;&\n]/)
    .map((pipe) => pipe.split("|"))
    .filter((stages) => stages.length > 1)
  return pipes.length > 0 && pipes.every(isMeant)
}

function isMeant(stages: readonly string[]): boolean {
  const others = programOf(stages[0] ?? "") === "yes" ? stages.slice(1) : stages
  if (others.length < 2) return true
  return QUIET_GREP.test(others.at(-1) ?? "") && !others.some((stage) => programOf(stage) === "head")
}

const QUIET_GREP = /^\s*[ef]?grep\s(?:.*\s)?(-\w*q\w*|--quiet|--silent)(\s|$)/
