import { HIVE_FOLDER } from "../../store/files/layout.ts"
import type { Question } from "../shell/judgement.ts"
import { askGit } from "./ask-git.ts"
import type { Answer } from "./what-is-lost.ts"

/** A stash of what git does not know takes HiveMind's own folder along, where nothing has git ignore it. */
export async function putAwayLoss({ cwd, paths }: Extract<Question, { ask: "put away" }>): Promise<Answer> {
  const unknown = (await askGit(cwd, ["ls-files", "-o", "--exclude-standard", "-z", "--", ...paths])) ?? ""
  const isHive = unknown.split("\0").some((path) => path.split("/").includes(HIVE_FOLDER))
  return isHive
    ? {
        what: `takes ${HIVE_FOLDER}/ away`,
        isHive,
        instead: `Leave it out: git stash -u -- ':!${HIVE_FOLDER}'`,
      }
    : undefined
}
