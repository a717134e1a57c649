import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"

interface Content {
  title: string
  /** A number or a word beside the title. */
  note?: ComponentChildren
  class?: string
  children: ComponentChildren
}

/** A part of a view, with its heading. */
export function Card({ title, note, class: name = "", children }: Content) {
  const id = useId()
  return (
    <section class={`card ${name}`} aria-labelledby={id}>
      <div class="card-head">
        <h2 id={id}>{title}</h2>
        {note !== undefined && <span class="quiet">{note}</span>}
      </div>
      {children}
    </section>
  )
}

/** A part of a sheet. Nothing at all where there is nothing in it. */
export function Part({ title, note, children }: Content) {
  return (
    <section class="part">
      <h3>
        {title}
        {note !== undefined && <span class="quiet"> {note}</span>}
      </h3>
      {children}
    </section>
  )
}
