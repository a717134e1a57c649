import { ALL } from "../../graph/indexes.ts"
import { isOpenPlan } from "../../graph/lifecycle.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Hive } from "../../hive/hive.ts"
import { type Entry, SYNC_TOOL } from "../../schemas/entry.ts"
import type { Artifact } from "../../schemas/knowledge.ts"
import type { Plan } from "../../schemas/plan.ts"
import type { FileState, FileStatusLookup } from "./file-status.ts"
import { fileId, isUnchanged, wasWrittenByTask } from "./record-file.ts"
import { sameSections } from "./sections.ts"

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
 * Compares known files with their content now. An edit by a task is accepted at once. An edit from outside is marked as
 * changed, and accepted at the end of a turn whose first message showed it. So each edit is shown, and only once.
 */
export function checkFiles(
  state: GraphState,
  look: FileStatusLookup,
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

export function watchedPaths(state: GraphState): string[] {
  const documents = plansAwaitingDocument(state).map((plan) => plan.sot_document_path)
  return [...new Set([...watchedFiles(state).map(({ path }) => path), ...documents])]
}

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

/** Files whose recorded state is another clone's and was never in this work tree: a difference is no change here. */
export interface ForeignFiles {
  /** Reads files; a foreign one is unknown. */
  look: FileStatusLookup
  /** Finds the foreign files again. */
  update: (hive: Pick<Hive, "store">) => Promise<void>
}

/**
 * A clone on another commit has other content in its documents. That is no change, so documents and anchors must not be
 * marked by it. A file that this process has once seen as recorded is no longer foreign: a later difference is an edit.
 */
export function foreignFilesOf(read: FileStatusLookup): ForeignFiles {
  const foreign = new Set<string>()
  const hadHere = new Map<string, string>()
  // By record and time of its last change: the log is read once for each.
  const writtenElsewhere = new Map<string, boolean>()

  return {
    look: (path) => (foreign.has(path) ? undefined : read(path)),
    async update({ store }) {
      foreign.clear()
      for (const artifact of watchedFiles(store.read().state)) {
        const { id, path, hash, updated_at } = artifact
        const now = read(path)
        if (now === undefined || hash === null) continue
        if (now !== null && isUnchanged(artifact, now)) hadHere.set(id, hash)
        else if (hadHere.get(id) !== hash) {
          const key = `${id} ${updated_at}`
          if (!writtenElsewhere.has(key)) writtenElsewhere.set(key, await isHashBrought(store, artifact))
          if (writtenElsewhere.get(key)) foreign.add(path)
        }
      }
    },
  }
}

/** Whether a sync has brought the entry that recorded the present hash. */
async function isHashBrought(store: Hive["store"], { id, hash }: Artifact): Promise<boolean> {
  // Entries of the sync repeat those of a clone.
  const entries = await store.log({ naming: id, kinds: ["artifact"], besides: [SYNC_TOOL] })
  const recorded = entries.findLast((entry) => hashIn(entry, id) === hash)
  return recorded?.brought !== undefined
}

function hashIn({ ops, meant = ops }: Entry, id: string): unknown {
  for (const op of meant.toReversed()) {
    if (!("kind" in op) || op.kind !== "artifact") continue
    if (op.op === "add" && op.record.id === id) return op.record.hash
    if (op.op === "set" && op.id === id && op.to.hash !== undefined) return op.to.hash
  }
  return undefined
}
