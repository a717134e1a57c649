/** Words that mean much the same. */
const clusters = ["retry", "stuck", "confused", "loop"] as const
type Cluster = (typeof clusters)[number]

/**
 * The clusters in which an agent speaks of itself as being stuck. What the work is about does not count: the task may well
 * be to build retries, and the user may have asked for that.
 */
export function stuckWords(prose: string, task: string, subjects: string): Cluster[] {
  if (prose === "") return []
  return clusters.filter(
    (cluster) =>
      PATTERNS[cluster].test(prose) && !SUBJECTS[cluster].test(task) && !subjects.includes(cluster),
  )
}

/** The clusters that a text of the user's is about. */
export function subjectsOf(text: string): string {
  const start = text.slice(0, MAX_CHARS)
  return clusters.filter((cluster) => SUBJECTS[cluster].test(start)).join(" ")
}

/** Said of one's own work: "retry" alone may be a feature, "let me try again" is not. */
const PATTERNS: Record<Cluster, RegExp> = {
  retry:
    /\b(let me|let's|i'?ll|i will|i|we|going to) (just )?(re-?try|try (it |this |that )?(again|once more))\b|\b(another|one more) (try|attempt)\b|\btrying (it |this |that )?again\b/i,
  stuck:
    /\b(i'?m|i am|we'?re|we are|still|completely|getting|got) stuck\b|\b(no progress|going nowhere|out of ideas|(can'?t|cannot) figure|at a loss)\b/i,
  confused:
    /\b((i'?m|i am|we are|this is) confus(ed|ing)|(i|we) (don'?t|do not) understand|(don'?t|do not) understand why|makes? no sense|(not sure|no idea|unclear) why)\b/i,
  loop: /\b(going|go|running|went) in (a loop|circles)\b|\bsame (error|failure|problem|result)s? (again|as before)\b|\b(it|this|that|test|build)s? (still |keeps? (on )?)(failing|fails|breaking|broken)\b/i,
}

const SUBJECTS: Record<Cluster, RegExp> = {
  retry: /\b(re-?tr(y|ies|ied|ying)|tr(y|ies|ied|ying) again|attempts?|backoff)\b/i,
  stuck: /\b(stuck|hangs?|hanging|deadlocks?)\b/i,
  confused: /\b(confus(ed|es|ing|ion)|understand)\b/i,
  loop: /\b(loops?|looping|circles?|circular|keeps? (on )?failing|flaky)\b/i,
}
const MAX_CHARS = 4000
