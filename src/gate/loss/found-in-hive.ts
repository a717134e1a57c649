import { execFile } from "node:child_process"
import { HIVE_FOLDER } from "../../store/files/layout.ts"
import type { Question } from "../shell/judgement.ts"
import type { Answer } from "./what-is-lost.ts"

/**
 * `grep -rl OLD . | xargs sed -i …` is the usual way to rename something everywhere. Where the word stands in HiveMind's
 * folder too, it would be changed there: grep itself is asked.
 */
export async function foundLoss({ cwd, args }: Extract<Question, { ask: "found in hive" }>): Promise<Answer> {
  const exit = await exitOfGrep([...args, "--exclude-dir=artifacts", "--", HIVE_FOLDER], cwd)
  // 1: nothing there; otherwise but 0 it does not take these words, or is not there, and finds nothing anywhere.
  if (exit !== 0 && exit !== "too slow") return undefined
  return {
    what: `writes to ${HIVE_FOLDER}/, where grep finds it too`,
    isHive: true,
    instead: `Leave it out: grep --exclude-dir=${HIVE_FOLDER} …`,
  }
}

function exitOfGrep(args: readonly string[], cwd: string): Promise<number | null | "too slow"> {
  return new Promise((resolve) => {
    const child = execFile("grep", args, { cwd, timeout: LIMIT_MS, maxBuffer: MAX_BYTES }, (error) =>
      resolve(error?.killed ? "too slow" : child.exitCode),
    )
    child.stdin?.end()
  })
}

const LIMIT_MS = 2000
const MAX_BYTES = 4 * 1024 * 1024
