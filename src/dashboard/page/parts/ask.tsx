import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef, useState } from "preact/hooks"
import { type Asked, type Command, dismiss, order } from "../data/commands.ts"
import { isExport } from "../data/data.ts"

/** A change that needs no words of the reader. Hidden in an exported file, where nothing can be changed. */
export function Do({
  command,
  label,
  children,
}: {
  command: Command
  label: string
  children: ComponentChildren
}) {
  if (isExport) return null
  return (
    <button type="button" class="button" onClick={() => order(command, label)}>
      {children}
    </button>
  )
}

interface Field {
  name: string
  label: string
  value?: string
  /** Several lines. */
  isLong?: boolean
  /** Text for a program: letters of one width, and more lines. */
  isCode?: boolean
  choices?: readonly (readonly [value: string, word: string])[]
  isOptional?: boolean
}

interface Asking {
  /** What the button says, before and when the form is open. */
  title: string
  fields: readonly Field[]
  /** From what was filled in; null where nothing was changed. */
  command: (filled: Readonly<Record<string, string>>) => Command | null
  label: string
  /** What the reader should know before. */
  note?: string
  /** The same, at more length. */
  children?: ComponentChildren
  onOpen?: () => void
  /** False while there is nothing that could be asked for. */
  isReady?: boolean
}

/**
 * A change that needs words: a button that opens a small form. It stays until the change is applied: what was typed is not
 * lost where it is refused.
 */
export function Ask({ title, fields, command, label, note, children, onOpen, isReady = true }: Asking) {
  const [isOpen, setOpen] = useState(false)
  const [isWaiting, setWaiting] = useState(false)
  const [refused, setRefused] = useState<Asked | null>(null)
  const isThere = useRef(true)
  useEffect(
    () => () => {
      isThere.current = false
    },
    [],
  )
  const open = () => {
    setOpen(true)
    onOpen?.()
  }
  if (isExport) return null
  if (!isOpen) {
    return (
      <button type="button" class="button" onClick={open}>
        {title}…
      </button>
    )
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (isWaiting || !isReady) return
    const data = new FormData(event.currentTarget as HTMLFormElement)
    const asked = command(
      Object.fromEntries(fields.map(({ name }) => [name, String(data.get(name) ?? "").trim()])),
    )
    if (asked === null) close()
    else void give(asked)
  }
  const give = async (asked: Command) => {
    setWaiting(true)
    setRefused(null)
    const ended = await order(asked, label)
    if (!isThere.current) return
    setWaiting(false)
    if (ended.state === "done") return close()
    setRefused(ended)
    dismiss(ended.id)
  }
  const close = () => {
    setRefused(null)
    setOpen(false)
  }
  return (
    <form class="ask" onSubmit={submit} data-closes="" aria-label={title}>
      {note !== undefined && <p>{note}</p>}
      {children}
      {fields.map((field, index) => (
        <FieldInput key={field.name} field={field} isFirst={index === 0} />
      ))}
      {refused !== null && (
        <p class="callout tone-wrong">
          <strong>Refused.</strong> {refused.what} {refused.why} {refused.use_instead}
        </p>
      )}
      <div class="actions">
        <button
          type="submit"
          class="button primary"
          aria-disabled={isWaiting || !isReady}
          ref={fields.length === 0 ? focusOnce : null}
        >
          {isWaiting ? "Waiting…" : title}
        </button>
        <button type="button" class="button" data-close="" onClick={close}>
          {isWaiting ? "Close" : "Cancel"}
        </button>
      </div>
    </form>
  )
}

/** A form that opens has the focus in it. */
function focusOnce(element: HTMLElement | null): void {
  if (element === null || element.dataset["seen"] !== undefined) return
  element.dataset["seen"] = ""
  element.focus()
}

function FieldInput({ field, isFirst }: { field: Field; isFirst: boolean }) {
  const id = useId()
  const { name, label, value = "", isLong, isCode, choices, isOptional } = field
  const shared = { id, name, ref: isFirst ? focusOnce : null, required: isOptional !== true }
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      {choices !== undefined ? (
        <select {...shared}>
          {choices.map(([each, word]) => (
            <option key={each} value={each} selected={each === value}>
              {word}
            </option>
          ))}
        </select>
      ) : isLong === true ? (
        <textarea
          {...shared}
          rows={isCode === true ? Math.min(20, value.split("\n").length + 2) : 4}
          class={isCode === true ? "is-code" : ""}
          spellcheck={isCode !== true}
          defaultValue={value}
        />
      ) : (
        <input {...shared} type="text" defaultValue={value} />
      )}
    </div>
  )
}
