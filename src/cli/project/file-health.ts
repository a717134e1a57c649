import { counted } from "../../shared/amounts.ts"
import { FORMAT } from "../../store/format.ts"
import type { Health } from "../../store/store.ts"
import { textLines } from "../terminal/command.ts"

export function fileNotes({ format, problems }: Health): string[] {
  const quarantined = problems.filter(({ level }) => level === "quarantined").length
  const unread = `${counted(quarantined, "part")} of the graph could not be read; \`hivemind status\` says which and what to do.`
  return textLines([newerFormatNote(format), quarantined > 0 && unread])
}

export function newerFormatNote(format: number): string | null {
  if (format <= FORMAT) return null
  return (
    `These files were written by a newer HiveMind (format ${format}; this one knows ${FORMAT}). ` +
    "The readable part is shown; writing is refused. Update hivemind-opencode."
  )
}
