import { ALL } from "../../graph/indexes.ts"
import { isOpenPlan } from "../../graph/lifecycle.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Artifact } from "../../schemas/knowledge.ts"
import type { Plan } from "../../schemas/plan.ts"
import type { FileLook, FileState } from "./file-look.ts"
import { isUnchanged, wasWrittenByTask } from "./known-state.ts"
import { fileId } from "./record-file.ts"
import { sameSections } from "./section-diff.ts"

/** What a check found out about one file. */
export type Finding =
  /** Its present state becomes the known one. */
  | { kind: "accepted"; artifact: Artifact; now: FileState }
  /** Edited from outside, or gone. */
  | { kind: "changed"; artifact: Artifact; now: FileState | null }
  /** Gone, and a file that was registered since has the same sections: it was moved. */
  | { kind: "superseded"; artifact: Artifact; by: Artifact }
  /** A plan names it, and now it exists. */
  | { kind: "appeared"; path: string; plan: Plan; now: FileState }

/**
 * Compares known files with what they are now. What a task wrote is accepted at once. An edit from outside is marked as
 * changed, and accepted at the end of a turn whose first message showed it. So each edit is shown, and only once.
 */
export function checkFiles(
  state: GraphState,
  look: FileLook,
  wasShown: (artifact: Artifact, now: FileState) => boolean,
): Finding[] {
  const watched = watchedFiles(state)
  const found = watched.flatMap((artifact) => findingOn(artifact) ?? [])
  for (const plan of plansAwaitingDocument(state)) {
    const now = look(plan.sot_document_path)
    if (now) found.push({ kind: "appeared", path: plan.sot_document_path, plan, now })
  }
  return found

  function findingOn(artifact: Artifact): Finding | undefined {
    const { status } = artifact
    const now = look(artifact.path)
    if (now === undefined) return undefined
    if (now === null) {
      const by = status === "superseded" ? undefined : successorOf(artifact)
      if (by !== undefined) return { kind: "superseded", artifact, by }
      return status === "current" ? { kind: "changed", artifact, now } : undefined
    }
    if (status === "superseded") return { kind: "accepted", artifact, now } // Moved back.
    if (isUnchanged(artifact, now))
      return status === "changed" ? { kind: "accepted", artifact, now } : undefined
    const isAccepted = wasWrittenByTask(state, artifact) || (status === "changed" && wasShown(artifact, now))
    return { kind: isAccepted ? "accepted" : "changed", artifact, now }
  }

  /** The newest one, if there are several. */
  function successorOf({ path, sections }: Artifact): Artifact | undefined {
    if (sections.length === 0) return undefined
    return watched
      .filter((other) => other.path !== path && sameSections(other.sections, sections) && look(other.path))
      .sort((a, b) => b.created_at.localeCompare(a.created_at) || a.id.localeCompare(b.id))[0]
  }
}

/** Every path that a check looks at. */
export function watchedPaths(state: GraphState): string[] {
  const documents = plansAwaitingDocument(state).map((plan) => plan.sot_document_path)
  return [...new Set([...watchedFiles(state).map(({ path }) => path), ...documents])]
}

/** Files whose content is known, as long as a plan that is not over or an anchor has to do with them. */
function watchedFiles(state: GraphState): Artifact[] {
  const anchored = new Set<string>()
  for (const anchor of state.anchor.by("kept", ALL)) for (const id of anchor.related_to) anchored.add(id)
  return [...state.artifact.by("known", ALL)].filter(
    ({ id, plan_id }) => isOpenPlan(state.plan.get(plan_id ?? "")) || anchored.has(id),
  )
}

/** Open plans whose document is not registered as theirs yet: it was missing, or belonged to a plan that is over. */
function plansAwaitingDocument(state: GraphState): (Plan & { sot_document_path: string })[] {
  return [...state.plan.by("documented", ALL)].filter(
    (plan): plan is Plan & { sot_document_path: string } => {
      if (plan.sot_document_path === null) return false
      const artifact = state.artifact.get(fileId(plan.sot_document_path))
      if (artifact === undefined || artifact.hash === null || artifact.status === "abandoned") return true
      return (
        artifact.plan_id === null ||
        (artifact.plan_id !== plan.id && !isOpenPlan(state.plan.get(artifact.plan_id)))
      )
    },
  )
}
