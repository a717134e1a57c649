/** Words that mean much the same. */
const clusters = ["retry", "stuck", "confused", "loop"] as const
type Cluster = (typeof clusters)[number]

/** The clusters that an agent's words about its work belong to. The task itself may well be about retries and loops. */
export function stuckWords(prose: string, task: string): Cluster[] {
  if (prose === "") return []
  return clusters.filter((cluster) => PATTERNS[cluster].test(prose) && !PATTERNS[cluster].test(task))
}

const PATTERNS: Record<Cluster, RegExp> = {
  retry:
    /\b(re-?try(ing)?|try(ing)? (it |this |that )?again|another (try|attempt)|once more|one more time)\b/i,
  stuck: /\b(stuck|no progress|going nowhere|out of ideas|(can'?t|cannot) figure|at a loss)\b/i,
  confused: /\b(confus(ed|ing)|(don'?t|do not) understand|makes? no sense|(not sure|no idea|unclear) why)\b/i,
  loop: /\b(in (a loop|circles)|same (error|failure|problem|result)s? (again|as before)|keeps? (on )?(failing|breaking))\b/i,
}
