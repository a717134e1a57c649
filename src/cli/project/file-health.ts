import { counted } from "../../shared/amounts.ts"
import { FORMAT } from "../../store/format.ts"
import type { Health } from "../../store/store.ts"

/** Notes on damaged or newer files, for a person who reads data from them. */
export function fileNotes({ format, problems }: Health): string[] {
  const quarantined = problems.filter(({ level }) => level === "quarantined").length
  const newer = newerFormatNote(format)
  return [
    ...(newer === null ? [] : [newer]),
    ...(quarantined === 0
      ? []
      : [
          `${counted(quarantined, "part")} of the files could not be read; \`hivemind status\` says which and what to do.`,
        ]),
  ]
}

export function newerFormatNote(format: number): string | null {
  if (format <= FORMAT) return null
  return (
    `These files were written by a newer HiveMind (format ${format}; this one knows ${FORMAT}). ` +
    "The readable part is shown; writing is refused. Update hivemind-opencode."
  )
}
