import type { Loss, Question } from "../shell/judgement.ts"
import { isKnown } from "../shell/unknown-text.ts"
import { cleanLoss } from "./clean-loss.ts"
import { branchLoss, publishedLoss, resetLoss, stashLoss } from "./commit-loss.ts"
import { foundLoss } from "./found-in-hive.ts"
import { isFolder } from "./on-disk.ts"
import { restoreLoss, treeLoss } from "./overwritten.ts"
import { putAwayLoss } from "./put-away.ts"
import { removalLoss } from "./removal.ts"
import { replacementLoss } from "./replaced.ts"
import { unpackLoss } from "./unpacked.ts"

/** Where the questions are asked. */
export interface LossPlace {
  /** The project's root, absolute. */
  project: string
  /** True of a path (relative to the project) with changes that this session has made itself, and nobody else. */
  isOwn: (path: string) => Promise<boolean>
  /** True of a path where this session has put what was not its own: by its name it may look like something made. */
  isTaken: (path: string) => Promise<boolean>
  /** True of a file (absolute) that has come up since the session began. */
  isYoung: (path: string) => boolean
  /** When the session began. */
  began: number
  /** The user's home folder. */
  home: string
}

/** What would be lost, in words for a person; `hive` where it is HiveMind's own. */
export interface Lost {
  what: string
  part: string
  isHive: boolean
  /** A commit, a stash, a copy or a branch would keep it. */
  isKeepable?: boolean
  /** How it is done without that. */
  instead?: string
}

export type Answer = { what: string; isHive?: true; instead?: string } | undefined

/**
 * Asks git and the file system about what a command deletes or overwrites. Undefined where nothing is lost: all of it is
 * ignored by git, or tracked and unchanged, or made by this session, or not there. Where nobody can tell, it is lost.
 */
export async function whatIsLost(losses: readonly Loss[], place: LossPlace): Promise<Lost | undefined> {
  try {
    return await askAll(losses, place)
  } catch {
    // git was asked and did not answer in time, or a folder may not be read.
    return { what: "may lose work: git could not be asked", part: losses[0]?.part ?? "", isHive: false }
  }
}

async function askAll(losses: readonly Loss[], place: LossPlace): Promise<Lost | undefined> {
  const removals = losses.filter(({ question }) => question.ask === "removed")
  const removed = await removalLoss(removals, place)
  if (removed !== undefined) return { ...removed, isKeepable: true }
  const replaced = await replacementLoss(losses, place)
  if (replaced !== undefined) return { ...replaced, isKeepable: true }
  const others = losses.filter(({ question }) => !/^(removed|replaced)$/.test(question.ask))
  // git is asked about each.
  if (others.length > MAX_ASKED)
    return { what: "does more with git than can be looked at", part: others[0]?.part ?? "", isHive: false }
  for (const { question, part } of others) {
    const answer = await ask(question, place)
    if (answer === undefined) continue
    const isKeepable = question.ask !== "published" && !answer.isHive
    return { ...answer, part, isHive: answer.isHive ?? false, isKeepable }
  }
  return undefined
}

async function ask(question: Question, place: LossPlace): Promise<Answer> {
  if (question.ask === "removed" || question.ask === "replaced") return undefined
  const cwd = folderOf(question)
  if (!isKnown(cwd)) return { what: "throws changes away in a folder that cannot be known" }
  // A folder that is not there yet is made by the command itself, as by a clone.
  if (!isFolder(cwd)) return undefined
  switch (question.ask) {
    case "restored":
      return restoreLoss(question, place)
    case "unpacked":
      return unpackLoss(question, place)
    case "tree":
      return treeLoss(cwd, "no", question.paths)
    case "worktree":
      return treeLoss(cwd, "normal", ["."])
    case "clean":
      return cleanLoss(question)
    case "published":
      return publishedLoss(question)
    case "branch":
      return branchLoss(question)
    case "reset":
      return resetLoss(question, place.began)
    case "found in hive":
      return foundLoss(question)
    case "put away":
      return putAwayLoss(question)
    case "stash":
      if (question.fresh === "nothing") return stashLoss(cwd)
      return (await stashLoss(cwd)) ?? treeLoss(cwd, question.fresh === "all" ? "normal" : "no")
  }
}

function folderOf(question: Exclude<Question, { ask: "removed" | "replaced" }>): string {
  if (question.ask === "worktree") return question.path
  return question.ask === "unpacked" ? question.folder : question.cwd
}

const MAX_ASKED = 80
