import type { Problem } from "../../graph/problem.ts"

/** What a person can do about a problem in the files. */
export function adviceFor(problem: Problem): string {
  const { code, file } = problem
  switch (code) {
    case "repaired_link":
      return "Nothing to do: the next write puts the repair into the log."
    case "broken_link":
      return linkAdvice(problem)
    case "unreadable":
      return `Look at .hivemind/${file}: it must be readable, no link, and neither a file in place of a folder nor the other way round.`
    case "torn_line":
      return "Nothing to do: nothing that was saved is in it."
    case "missing_file":
      if (file.startsWith("graph/archive/")) return ARCHIVE_FILE
      return "Nothing to do: the next fold writes it again. Or restore your own copy."
    case "link":
      return "Put a file or folder in its place: copy what you want to keep from where it leads."
    case "overtaken":
      return OVERTAKEN
    case "stray_segment":
      return "Move it out of .hivemind/graph/log/."
    case "lost_entries":
      return "Somebody has put another file in its place. If you have a copy of the one before, put that back."
    default:
      if (file.startsWith("graph/manifest.")) return OLDER_MANIFEST
      if (file.startsWith("state/")) return ONLY_COUNTS
      if (/^graph\/archive\/mems\.\d/.test(file)) return ARCHIVE_FILE
      return file.endsWith(".jsonl") ? lineAdvice(file) : LEAVE_OR_CORRECT
  }
}

function linkAdvice({ level, id }: Problem): string {
  const find = id === null ? "`hivemind log`" : `\`hivemind log --record ${id}\``
  return level === "quarantined"
    ? `Bring back what it points at (${find} shows what happened), or correct the field in the file.`
    : `It is in use as it is. Bring back what it points at (see ${find}), or correct the field in the file.`
}

function lineAdvice(file: string): string {
  return file.startsWith("graph/log/")
    ? "Nothing to do: the rest is in use, and the next fold keeps the line in graph/orphans.json."
    : "Correct the line, or take it out; the rest is in use."
}

const ONLY_COUNTS =
  "Nothing to do: it holds only what was counted of sessions. The next fold writes a new one."
const ARCHIVE_FILE =
  "Nothing to do: the next fold writes its mems into a new file, from the log. `hivemind doctor --repair` does that now."
const OVERTAKEN =
  "Its writer had lost the lock, and wrote it anew unless it was ended first; or it comes from another copy of this " +
  "folder. Do it again if you miss it. The next fold keeps its text in graph/orphans.json."
const OLDER_MANIFEST =
  "Nothing to do: the one before it and the log are in use, and the next fold writes a new one."
const LEAVE_OR_CORRECT =
  "Correct the file; that is picked up at once. Or leave it: ten minutes after its last change a fold goes on with " +
  "the last good state and keeps this file beside it as *.broken-<stamp>."
