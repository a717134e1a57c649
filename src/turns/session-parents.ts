import { forgetOldest } from "../shared/once-each.ts"

/** Which session is a subagent's, and whose. Learned from events; after a restart the host is asked once. */
export function sessionParents(ask: (session: string) => Promise<string | null>) {
  const parents = new Map<string, string | null>()

  function note(session: string, parent: string | null): void {
    parents.set(session, parent)
    if (parents.size > MAX_KNOWN) forgetOldest(parents)
  }

  return {
    learn: note,
    async of(session: string): Promise<string | null> {
      const known = parents.get(session)
      if (known !== undefined) return known
      const parent = await ask(session)
      note(session, parent)
      return parent
    },
  }
}

export type SessionParents = ReturnType<typeof sessionParents>

const MAX_KNOWN = 1000
