/** Which session is a subagent's, and whose. Learned from events; after a restart the host is asked once. */
export function sessionParents(ask: (session: string) => Promise<string | null>) {
  const parents = new Map<string, string | null>()
  return {
    learn(session: string, parent: string | null): void {
      parents.set(session, parent)
    },
    async of(session: string): Promise<string | null> {
      const known = parents.get(session)
      if (known !== undefined) return known
      const parent = await ask(session)
      parents.set(session, parent)
      return parent
    },
  }
}

export type SessionParents = ReturnType<typeof sessionParents>
