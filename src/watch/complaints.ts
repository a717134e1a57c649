/** Does the user say that what was done has not helped? A wish for more ("still a bit larger") is none. */
export function isComplaint(text: string): boolean {
  const start = text.slice(0, MAX_CHARS)
  return COMPLAINTS.some((pattern) => pattern.test(start))
}

const COMPLAINTS = [
  /\b(it|this|that|they|which)('s| is| are|'re)? still\b/i,
  /\bstill (the same|not|broken|wrong|there|fail(s|ing)?|happen(s|ing)?|crash(es|ing)?|(does|do|is|are)(n'?t| not))\b/i,
  /\b(same|this) (problem|error|issue|bug|failure) (again|as before|still)\b/i,
  /\b(did|does|has)(n'?t| not) (really |actually )?(help(ed)?|work(ed)?|fix(ed)? (it|this|that|anything))\b/i,
  /\b(not|isn'?t|never) (been )?fixed\b/i,
]
// Later words of a long message are about something else.
const MAX_CHARS = 400
