import type { ComponentChildren } from "preact"
import type { Answer } from "../data/answers.ts"

/** Nothing is there yet: what it would be, and what to do so that it comes. */
export function Empty({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="empty">
      <svg class="empty-sign" viewBox="0 0 48 44" aria-hidden="true">
        <path d="M14 3h20l10 19l-10 19H14L4 22z" />
      </svg>
      <p class="empty-title">{title}</p>
      <p class="quiet">{children}</p>
    </div>
  )
}

/** What an answer shows once it is there; until then, or where there is none, a word about that. */
export function Loaded<T>({
  answer,
  children,
}: {
  answer: Answer<T>
  children: (value: T) => ComponentChildren
}) {
  if (answer.value !== undefined) return <>{children(answer.value)}</>
  if (answer.error === null) return <p class="quiet loading">Loading…</p>
  const { what, why, use_instead } = answer.error
  return (
    <Empty title={what}>
      {why} {use_instead}
    </Empty>
  )
}
