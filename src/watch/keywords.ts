/** Words that mean much the same. */
export const clusters = ["retry", "stuck", "confused", "loop"] as const
export type Cluster = (typeof clusters)[number]

/**
 * The clusters that a call's own words belong to. Only what the agent says about its work counts: code, commands,
 * patterns and paths may well be about retries and loops, and so may the task.
 */
export function stuckWords(args: Readonly<Record<string, unknown>>, task: string): Cluster[] {
  const prose = proseIn(args)
  if (prose === "") return []
  return clusters.filter((cluster) => PATTERNS[cluster].test(prose) && !PATTERNS[cluster].test(task))
}

function proseIn(args: Readonly<Record<string, unknown>>): string {
  // A file's text is called content too; a call that names a file is about that.
  const isFile = ["filePath", "path", "file"].some((name) => name in args)
  const said = [...PROSE, ...(isFile ? [] : ["content"])].map((name) => args[name])
  const todos = Array.isArray(args["todos"]) ? args["todos"].map(todoText) : []
  return [...said, ...todos]
    .filter((text) => typeof text === "string")
    .map((text) => text.slice(0, MAX_CHARS))
    .join("\n")
}

function todoText(todo: unknown): unknown {
  return typeof todo === "object" && todo !== null && "content" in todo ? todo.content : undefined
}

const PROSE = ["description", "prompt", "reason", "summary", "evidence", "intent", "question", "thought"]
const PATTERNS: Record<Cluster, RegExp> = {
  retry:
    /\b(re-?try(ing)?|try(ing)? (it |this |that )?again|another (try|attempt)|once more|one more time)\b/i,
  stuck: /\b(stuck|no progress|going nowhere|out of ideas|(can'?t|cannot) figure|at a loss)\b/i,
  confused: /\b(confus(ed|ing)|(don'?t|do not) understand|makes? no sense|(not sure|no idea|unclear) why)\b/i,
  loop: /\b(in (a loop|circles)|same (error|failure|problem|result)s? (again|as before)|keeps? (on )?(failing|breaking))\b/i,
}
// Enough to hear the tone; a prompt of many pages is not read to its end after every call.
const MAX_CHARS = 2000
