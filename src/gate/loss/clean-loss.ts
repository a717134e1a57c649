import { HIVE_FOLDER } from "../../store/files/layout.ts"
import type { Question } from "../shell/judgement.ts"
import { isMadeByName } from "../shell/made-files.ts"
import { parseOptions, setOf } from "../shell/options.ts"
import { askGit } from "./ask-git.ts"
import { described } from "./described.ts"
import type { Answer } from "./what-is-lost.ts"

/** `git clean` says itself what it would delete. What git ignores may go, but for HiveMind's own folder. */
export async function cleanLoss({
  cwd,
  args,
  isSaved,
}: Extract<Question, { ask: "clean" }>): Promise<Answer> {
  const options = parseOptions(args, setOf("-e --exclude"))
  const kept = options.values("-e", "--exclude").flatMap((pattern) => ["-e", pattern])
  const flags = ["-n", ...(options.has("-d") ? ["-d"] : []), ...kept]
  const paths = ["--", ...options.operands]
  if (options.has("-x", "-X")) {
    const all = await removedBy(cwd, [...flags, options.has("-x") ? "-x" : "-X", ...paths])
    if (all.some((path) => path.split("/").includes(HIVE_FOLDER)))
      return { what: `deletes ${HIVE_FOLDER}/, which only HiveMind does`, isHive: true }
    if (options.has("-X")) return undefined
  }
  if (isSaved) return undefined
  const lost = (await removedBy(cwd, [...flags, ...paths])).filter((path) => !isMadeByName(path))
  return lost.length === 0 ? undefined : { what: `deletes ${described(lost)}, which git does not know` }
}

async function removedBy(cwd: string, args: readonly string[]): Promise<string[]> {
  const printed = (await askGit(cwd, ["clean", ...args])) ?? ""
  return [...printed.matchAll(/^Would remove (.+)$/gm)].map(([, path = ""]) => path.replace(/\/$/, ""))
}
