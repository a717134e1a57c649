import { graphIn, type Store } from "../store/store.ts"
import { clonesIn } from "./clone-files.ts"
import { explained } from "./git-errors.ts"
import { ownEntries } from "./own-entries.ts"
import { isInRepository, LOG_REF, mergedRef, openRepository, remoteRef } from "./ref.ts"
import { chooseRemote } from "./remote.ts"

export interface SyncState {
  /** Whether this clone has synced. */
  isBegun: boolean
  /** Entries of this clone that are not in the repository's log; null before the first sync. */
  unsaved: number | null
  /** How many clones have written the log. */
  clones: number
  remote: string | null
  /** Whether the remote had the whole log at the last sync; null if it had none. */
  isSent: boolean | null
}

/** How far syncing is, without contacting the remote. Null outside of git. */
export async function syncState(store: Store, dir: string): Promise<SyncState | null> {
  if (!isInRepository(dir)) return null
  const repository = openRepository(dir)
  try {
    const remote = (await chooseRemote(dir)) ?? null
    const ours = await repository.resolve(LOG_REF)
    const theirs = remote === null ? undefined : await repository.resolve(remoteRef(remote))
    const tree = await repository.readTree(ours)
    const clones = clonesIn(tree)
    const clone = store.knownClone() ?? ""
    // A clone that was restored, or has only read so far, has a merged ref.
    const isBegun = clones.includes(clone) || (await repository.resolve(mergedRef(clone))) !== undefined
    return {
      isBegun,
      // Before the first sync this would count the whole log.
      unsaved: isBegun ? (await ownEntries(graphIn(store), repository, tree, clone)).length : null,
      clones: clones.length,
      remote,
      isSent: theirs === undefined || ours === undefined ? null : await repository.isAncestor(ours, theirs),
    }
  } catch (error) {
    throw explained(error, "read the repository's log")
  } finally {
    repository.close()
  }
}

/** The same in a line. */
export function describeSyncState({ isBegun, unsaved, clones, remote, isSent }: SyncState): string {
  if (!isBegun || unsaved === null) return "not shared; `hivemind sync` shares the log"
  const saved = unsaved === 0 ? "all in the repository's log" : `${unsaved} not in the repository's log yet`
  const others = clones > 1 ? `, of ${clones} clones` : ""
  if (remote === null) return `${saved}${others}; no remote`
  const sent = isSent === null ? "never shared with" : isSent ? "shared with" : "not all shared with"
  return `${saved}${others}; ${sent} ${remote}`
}
