import { canOpen } from "../data/data.ts"
import { openSheet } from "./sheet.tsx"

/** A task by its title; opens it. */
export function TaskLink({ id, title }: { id: string; title: string }) {
  if (!canOpen("task", id)) return <>{title}</>
  return (
    <button type="button" class="link" data-key={id} onClick={() => openSheet(`task:${id}`)}>
      {title}
    </button>
  )
}

export function MemLink({ id, title }: { id: string; title: string }) {
  if (!canOpen("mem", id)) return <>{title}</>
  return (
    <button type="button" class="link" data-key={id} onClick={() => openSheet(`mem:${id}`)}>
      {title}
    </button>
  )
}
