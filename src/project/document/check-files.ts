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
  /** Record the file's current state as the known one. */
  | { kind: "accepted"; artifact: Artifact; now: FileState }
  /** The file was edited or deleted outside of HiveMind's tasks. */
  | { kind: "changed"; artifact: Artifact; now: FileState | null }
  /** The file is gone, and another watched file has the same sections: it was probably moved there. */
  | { kind: "superseded"; artifact: Artifact; by: Artifact }
  /** A plan names the file as its document, and now the file exists. */
  | { kind: "appeared"; path: string; plan: Plan; now: FileState }

/**
 * Compares known files with their current content. An edit by a task is accepted at once. Any other edit is marked as
 * changed, and accepted once `wasShown` says that the model has seen it.
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
    if (status === "superseded") return { kind: "accepted", artifact, now } // The file was moved back.
    if (isUnchanged(artifact, now))
      return status === "changed" ? { kind: "accepted", artifact, now } : undefined
    const isAccepted = wasWrittenByTask(state, artifact) || (status === "changed" && wasShown(artifact, now))
    return { kind: isAccepted ? "accepted" : "changed", artifact, now }
  }

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

/** Open plans whose document has no record of theirs: the file was missing, or its record belongs to a finished plan. */
function plansAwaitingDocument(state: GraphState): DocumentedPlan[] {
  return [...state.plan.by("documented", ALL)].filter((plan): plan is DocumentedPlan => {
    if (plan.sot_document_path === null) return false
    const artifact = state.artifact.get(fileId(plan.sot_document_path))
    if (artifact === undefined || artifact.hash === null || artifact.status === "abandoned") return true
    const owner = artifact.plan_id
    return owner === null || (owner !== plan.id && !isOpenPlan(state.plan.get(owner)))
  })
}

type DocumentedPlan = Plan & { sot_document_path: string }

export type ForeignFiles = ReturnType<typeof foreignFilesOf>

/**
 * Finds files whose recorded state a sync brought from another clone. That clone may have another commit checked out, so a
 * difference is no change, unless this process has seen the file in its recorded state. `look` then returns undefined.
 */
export function foreignFilesOf(read: FileStatusLookup) {
  const foreign = new Set<string>()
  const hadHere = new Map<string, string>()
  // Cached by record and the time of its last change, because each answer reads the log.
  const writtenElsewhere = new Map<string, boolean>()

  return {
    look: (path: string) => (foreign.has(path) ? undefined : read(path)),
    async update({ store }: Pick<Hive, "store">): Promise<void> {
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

/** Whether a sync brought the record's current hash from another clone. */
async function isHashBrought(store: Hive["store"], { id, hash }: Artifact): Promise<boolean> {
  // Entries that the sync itself wrote are left out: they only repeat entries of another clone.
  const entries = await store.log({ naming: id, kinds: ["artifact"], besides: [SYNC_TOOL] })
  return entries.findLast((entry) => hashIn(entry, id) === hash)?.brought !== undefined
}

function hashIn({ ops, meant = ops }: Entry, id: string): unknown {
  for (const op of meant.toReversed()) {
    if (!("kind" in op) || op.kind !== "artifact") continue
    if (op.op === "add" && op.record.id === id) return op.record.hash
    if (op.op === "set" && op.id === id && op.to.hash !== undefined) return op.to.hash
  }
  return undefined
}
