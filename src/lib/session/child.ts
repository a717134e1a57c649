import { authorOf, type Caller, type Hive } from "../hive.ts"
import { sessionOf } from "./read-head.ts"
import { ensureSession } from "./start.ts"

/** Makes sure that a subagent's session is known with its parent, and stands where the parent stands. */
export async function ensureChild(
  hive: Hive,
  caller: Caller & { session: string },
  parent: string,
): Promise<void> {
  if (sessionOf(hive.store.read().state, caller.session) !== undefined) return
  const now = hive.source.now()
  await hive.store.write(authorOf(caller), (tx) => ensureSession(tx, caller, now, null, parent))
}
