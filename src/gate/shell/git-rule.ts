import type { GitCall } from "./git.ts"
import type { Question } from "./judgement.ts"
import type { Options } from "./options.ts"

/** What a git command loses: said at once, or what git is to be asked. */
export type GitRule = (options: Options, call: GitCall) => string | Question | undefined

export const FROM_FILE = "--pathspec-from-file"
export const LOST_ELSEWHERE = "throws changes away on another machine"
