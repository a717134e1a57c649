import { execFile } from "node:child_process"
import { posix } from "node:path"
import type { Question } from "../shell/judgement.ts"
import { isMadeByName } from "../shell/made-files.ts"
import { askGit, changesIn } from "./ask-git.ts"
import { described } from "./described.ts"
import { filesHit } from "./files-hit.ts"
import { notInGit } from "./in-git.ts"
import { real, repositoryOf, statOf } from "./on-disk.ts"
import type { Answer, LossPlace } from "./what-is-lost.ts"

/**
 * An archive over files that hold work in no commit: it is asked which files it has, where there are such files. Of one that
 * comes from a pipe nobody knows: any of them may be in it.
 */
export async function unpackLoss(
  { archive, folder, format, strip }: Extract<Question, { ask: "unpacked" }>,
  place: LossPlace,
): Promise<Answer> {
  const top = (await askGit(folder, ["rev-parse", "--show-toplevel"]))?.trim()
  const atRisk = top === undefined ? undefined : await changed(top, folder, place)
  if (atRisk?.length === 0) return undefined
  const names =
    archive === null ? undefined : (await namesIn(archive, format)).map((name) => stripped(name, strip))
  const isIn = new Set(names)
  const inFolder = atRisk?.map((file) => posix.relative(folder, file))
  const lost =
    inFolder === undefined
      ? await untold(folder, names, place)
      : await withoutCopy(
          folder,
          inFolder.filter((name) => names === undefined || isIn.has(name)),
        )
  if (lost.length === 0) return undefined
  const over = names === undefined ? "unpacks what cannot be known over" : "replaces what is in"
  const why = atRisk === undefined ? "which no git has a copy of" : "in no commit"
  return { what: `${over} ${described(lost)}, ${why}` }
}

async function changed(top: string, folder: string, { project, isOwn }: LossPlace): Promise<string[]> {
  const atRisk: string[] = []
  const isNoted = top === repositoryOf(project)
  const root = real(project) ?? project
  for (const { index, path } of (await changesIn(folder, "all", ["."])) ?? []) {
    const file = posix.join(top, path)
    const inProject = posix.relative(root, file)
    if (index === "?" && isMadeByName(inProject)) continue
    if (!isNoted || !(await isOwn(inProject))) atRisk.push(file)
  }
  return atRisk
}

async function withoutCopy(folder: string, names: readonly string[]): Promise<string[]> {
  const files = names.map((name) => posix.join(folder, name))
  return (await notInGit(folder, files)).map((file) => posix.relative(folder, file))
}

/** Without git any file of the project that a build or this session has not made; from the folder. */
async function untold(
  folder: string,
  names: readonly string[] | undefined,
  { project, isOwn }: LossPlace,
): Promise<string[]> {
  const isMade = (path: string) => isMadeByName(posix.relative(project, path))
  if (!`${folder}/`.startsWith(`${project}/`) || isMade(folder)) return []
  const named = names?.map((name) => posix.join(folder, name)).filter((file) => statOf(file)?.isFile())
  for await (const file of named ?? filesHit({ path: folder, isMany: true, hits: (path) => !isMade(path) })) {
    if (file === null) return [posix.relative(project, folder)]
    if (isMade(file) || statOf(file)?.size === 0 || (await isOwn(posix.relative(project, file)))) continue
    return [posix.relative(folder, file)]
  }
  return []
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
