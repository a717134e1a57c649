import { execFile } from "node:child_process"
import { posix } from "node:path"
import type { Question } from "../shell/judgement.ts"
import { isMadeByName } from "../shell/made-files.ts"
import { askGit, changesIn } from "./ask-git.ts"
import { described } from "./described.ts"
import { isInGit } from "./in-git.ts"
import type { Answer, LossPlace } from "./what-is-lost.ts"

/** An archive over files that hold work in no commit: it is asked which files it has, where there are such files. */
export async function unpackLoss(
  { archive, folder, format, strip }: Extract<Question, { ask: "unpacked" }>,
  { project, isOwn }: LossPlace,
): Promise<Answer> {
  const top = (await askGit(folder, ["rev-parse", "--show-toplevel"]))?.trim()
  if (top === undefined) return undefined
  const atRisk: string[] = []
  for (const { index, path } of (await changesIn(folder, "all", ["."])) ?? []) {
    const file = posix.join(top, path)
    const inProject = posix.relative(project, file)
    if (index === "?" && isMadeByName(inProject)) continue
    if (!(await isOwn(inProject)) && !(await isInGit(folder, file))) atRisk.push(file)
    if (atRisk.length > MAX_AT_RISK) break
  }
  if (atRisk.length === 0) return undefined
  const names = new Set((await namesIn(archive, format)).map((name) => stripped(name, strip)))
  const lost = atRisk.map((file) => posix.relative(folder, file)).filter((name) => names.has(name))
  return lost.length === 0 ? undefined : { what: `replaces what is in ${described(lost)}, in no commit` }
}

/** None where it cannot be read: then unpacking it will not come far either. */
function namesIn(archive: string, format: "tar" | "zip"): Promise<string[]> {
  const [program, args] = format === "tar" ? ["tar", ["-tf", archive]] : ["unzip", ["-Z1", archive]]
  return new Promise((resolve) => {
    execFile(program, args, { timeout: LIMIT_MS, maxBuffer: MAX_BYTES }, (_, printed) =>
      resolve(printed.split("\n").filter((name) => name !== "" && !name.endsWith("/"))),
    )
  })
}

function stripped(name: string, strip: number): string {
  return posix.normalize(name).split("/").slice(strip).join("/")
}

const LIMIT_MS = 2000
const MAX_BYTES = 4 * 1024 * 1024
const MAX_AT_RISK = 200
