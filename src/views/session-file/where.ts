import { join } from "node:path"
import { isActiveSession } from "../../graph/lifecycle.ts"
import type { Session } from "../../schemas/session.ts"
import type { HivePaths } from "../../store/layout.ts"

/** Where a session's files lie. It follows from its stamp and status, so the manifest of sessions need not name them. */
export function whereIs(paths: HivePaths, session: Pick<Session, "stamp" | "status">) {
  const { stamp } = session
  const open = join(paths.sessions, `${stamp}.md`)
  const closed = join(paths.sessionArchive, `${stamp}.md`)
  return {
    /** The part in use: beside the others while the session is open, in the archive once it is closed. */
    current: isActiveSession(session) ? open : closed,
    /** Where it lies if the status has changed since. */
    elsewhere: isActiveSession(session) ? closed : open,
    /** What the n-th compaction closed off. */
    part: (n: number) => join(paths.compacted, `${stamp}-${n}.md`),
  }
}
