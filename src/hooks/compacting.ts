/** Sessions whose next request is a compaction: the host announces it right before it asks. */
export function compactingSessions() {
  const announced = new Set<string>()
  return {
    announce: (session: string): void => void announced.add(session),
    /** True once per announcement. */
    take: (session: string): boolean => announced.delete(session),
  }
}
