/** Sessions whose next request is a compaction: OpenCode announces it right before it asks. */
export function compactingSessions() {
  const announced = new Set<string>()
  return {
    announce: (session: string): void => void announced.add(session),
    /** True once per announcement. */
    take: (session: string): boolean => announced.delete(session),
    /** It has ended one way or the other. With nothing to summarise, or stopped in between, it has asked for nothing. */
    over: (session: string): void => void announced.delete(session),
  }
}

export type CompactingSessions = ReturnType<typeof compactingSessions>
