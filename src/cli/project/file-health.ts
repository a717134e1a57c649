import { byteSize, counted } from "../../shared/amounts.ts"
import { FORMAT } from "../../store/format.ts"
import type { Health } from "../../store/store.ts"

/** What a person should know of the files before trusting what is shown. */
export function fileNotes(health: Health): string[] {
  const notes: string[] = []
  const newer = newerFormatNote(health.format)
  if (newer !== undefined) notes.push(newer)
  const quarantined = health.problems.filter(({ level }) => level === "quarantined").length
  if (quarantined > 0) {
    const parts = counted(quarantined, "part")
    notes.push(`${parts} of the files could not be read; \`hivemind status\` says which and what to do.`)
  }
  const edited = health.edited
  if (edited.length > 0) {
    notes.push(`${edited.join(", ")} changed by hand: in use already, in the log after the next write.`)
  }
  return notes
}

export function newerFormatNote(format: number): string | undefined {
  if (format <= FORMAT) return undefined
  return (
    `These files were written by a newer HiveMind (format ${format}; this one knows ${FORMAT}). ` +
    "What can be read is shown; writing is refused. Update hivemind-opencode."
  )
}

export function foldNote({ entries, bytes }: Health["unfolded"]): string {
  if (entries === 0) return "all folded"
  return `${counted(entries, "entry", "entries")} not folded yet (${byteSize(bytes)})`
}

/** A file can be broken in more places than anybody wants to have listed. */
export function unlistedNote(count: number): string {
  return `and ${counted(count, "problem")} more, which no list holds`
}
