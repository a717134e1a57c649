import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"
import type { ErrorView } from "../../answers/model.ts"
import type { Answer } from "../data/answers.ts"
import { amount, counted } from "./format.tsx"
import { Icon } from "./icon.tsx"

interface Titled {
  title: string
  note?: ComponentChildren
  class?: string
  children: ComponentChildren
}

export function Card({ title, note, class: name = "", children }: Titled) {
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

interface Row {
  head?: ComponentChildren
  children?: ComponentChildren
  meta?: readonly ComponentChildren[]
}

export function Row({ head, children, meta = [] }: Row) {
  return (
    <>
      {head !== undefined && <p class="row-head">{head}</p>}
      {children}
      {meta.length > 0 && <Meta of={meta} />}
    </>
  )
}

export function Meta({ of }: { of: readonly ComponentChildren[] }) {
  return (
    <p class="meta">
      {of.map((fact, at) => fact !== null && fact !== false && <span key={at}>{fact}</span>)}
    </p>
  )
}

interface CardOfRows<T> {
  title: string
  of: readonly T[]
  unit: string
  note?: string
  class?: string
  row(item: T): ComponentChildren
}

export function RowsCard<T extends { id: string }>({ of, unit, row, note, ...card }: CardOfRows<T>) {
  if (of.length === 0) return null
  return (
    <Card {...card} note={note ?? counted(of.length, unit)}>
      <Rows of={of} row={row} />
    </Card>
  )
}

export function Rows<T extends { id: string }>({ of, row }: Pick<CardOfRows<T>, "of" | "row">) {
  return (
    <ul class="rows">
      {of.map((item) => (
        <li key={item.id} class="row">
          {row(item)}
        </li>
      ))}
    </ul>
  )
}

export function Part({ title, note, children }: Titled) {
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

export function List<T>({ label, items, row, keyOf, class: name = "" }: ListOf<T>) {
  return (
    <ul class={`list ${name}`} aria-label={label}>
      {items.map((item) => (
        <li key={keyOf(item)}>{row(item)}</li>
      ))}
    </ul>
  )
}

interface ListOf<T> {
  label: string
  items: readonly T[]
  row(item: T): ComponentChildren
  keyOf(item: T): string
  class?: string
}

export function Button({ onClick, children }: { onClick: () => void; children: ComponentChildren }) {
  return (
    <button type="button" class="button" onClick={onClick}>
      {children}
    </button>
  )
}

export function ShowMore({ more, onClick }: { more: number; onClick: () => void }) {
  if (more <= 0) return null
  return (
    <button type="button" class="button show-more" onClick={onClick}>
      Show more ({amount(more)})
    </button>
  )
}

interface Listed<T> {
  title: string
  of: readonly T[]
  row(item: T): ComponentChildren
  /** If set, the reader can open and close the list. The value is its first state. */
  fold?: "open" | "closed"
  class?: string
}

export function ItemList<T>({ title, of, row, fold, class: name = "" }: Listed<T>) {
  if (of.length === 0) return null
  const list = (
    <ul class={`plain ${name}`}>
      {of.slice(0, MAX_LISTED).map((item, at) => (
        <li key={at}>{row(item)}</li>
      ))}
      {of.length > MAX_LISTED && <li class="quiet">and {amount(of.length - MAX_LISTED)} more</li>}
    </ul>
  )
  if (fold === undefined) {
    return (
      <Part title={title} note={String(of.length)}>
        {list}
      </Part>
    )
  }
  return (
    <details open={fold === "open"}>
      <summary>
        {title} ({of.length})
      </summary>
      {list}
    </details>
  )
}

export function Facts({ of, isText = false }: { of: Record<string, ComponentChildren>; isText?: boolean }) {
  const facts = Object.entries(of).filter(([, value]) => value !== undefined)
  return (
    <dl class={isText ? "text-facts" : "facts"}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class={isText ? "" : "number"}>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

export function AllGood({ children }: { children: ComponentChildren }) {
  return (
    <p class="calm tone-good">
      <Icon name="good" /> {children}
    </p>
  )
}

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

/** Shown in place of data: the error if loading failed, else a note that it is loading. */
export function NotLoaded({ error }: { error: ErrorView | null }) {
  if (error === null) return <p class="quiet loading">Loading…</p>
  return (
    <Empty title={error.what}>
      {error.why} {error.use_instead}
    </Empty>
  )
}

export function Loaded<T>(props: { answer: Answer<T>; children: (value: T) => ComponentChildren }) {
  const { answer, children } = props
  return answer.value === undefined ? <NotLoaded error={answer.error} /> : children(answer.value)
}

/** Preformatted text, such as a command or its output. If the text scrolls, it can be focused with the keyboard. */
export function Snippet({ children, class: name = "snippet" }: { children: string; class?: string }) {
  const reachable = (element: HTMLPreElement | null) => {
    if (element !== null && element.scrollHeight > element.clientHeight) element.tabIndex = 0
  }
  return (
    <pre class={name} ref={reachable}>
      {children}
    </pre>
  )
}

const MAX_LISTED = 50
