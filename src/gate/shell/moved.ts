import { isGlob, pathsMeet } from "../../shared/glob.ts"
import { contains, isInProject, isRegenerable } from "./paths.ts"
import type { Run } from "./program.ts"

/**
 * What this command has moved to `path`, or has deleted and put back because a copy of it is there: by now that is the
 * only text of it. Each is looked at once. What has been copied on from there is not lost with it.
 */
export function movedFrom(path: string, run: Run): string[] {
  const pattern = path.replaceAll(/[\uE000-\uE002]+/g, "*")
  const sources: string[] = []
  for (const [target, source] of run.moves) {
    if (!run.works(isGlob(pattern) ? COMPARED : COMPARED / 10)) return sources
    const isHit = isGlob(pattern)
      ? pathsMeet(pattern, target)
      : contains(path, target) || contains(target, path)
    if (!isHit || isCopiedOn(target, path, run)) continue
    run.moves.delete(target)
    sources.push(source)
  }
  return sources
}

/** The same where it gets another text, or git takes it away. */
export function loseMoved(path: string, run: Run): void {
  for (const source of movedFrom(path, run)) {
    const isMade = isRegenerable(source, run)
    if (isInProject(source, run)) run.loses({ ask: "removed", path: source, whole: true, isMade })
    else if (!isMade) run.destroys(`loses ${source}, which was moved before`)
    loseMoved(source, run)
  }
}

/** It goes on to another place; back where it was it is nobody's copy any more. */
export function moveOn(from: string, to: string, run: Run): void {
  const source = run.moves.get(from) ?? from
  run.moves.delete(from)
  if (source !== to) run.moves.set(to, source)
}

function isCopiedOn(target: string, path: string, run: Run): boolean {
  for (const [to, from] of run.done.now.copies)
    if (contains(from, target) && from !== to && !contains(path, to)) return true
  return false
}

/** In variables copied, as the rest of the work is counted. */
const COMPARED = 2
