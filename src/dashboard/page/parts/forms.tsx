import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef, useState } from "preact/hooks"
import { type Change, type Command, dismiss, sendCommand } from "../data/commands.ts"
import { isExport } from "../data/data.ts"
import { Icon } from "./icon.tsx"

interface Send {
  command: Command
  label: string
  children: ComponentChildren
}

/** A button that sends a command. An exported file has none, because nothing can be changed there. */
export function SendButton({ command, label, children }: Send) {
  if (isExport) return null
  return (
    <button type="button" class="button" onClick={() => sendCommand(command, label)}>
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
  choices?: readonly Choice[]
  isOptional?: boolean
}

type Choice = readonly [value: string, word: string]

interface Form {
  /** The label of the button, before and while the form is open. */
  title: string
  fields: readonly Field[]
  /** Made of the filled-in fields; null where nothing was changed. */
  command: (filled: Readonly<Record<string, string>>) => Command | null
  label: string
  /** Above the fields: what the reader should know before. */
  children?: ComponentChildren
  onOpen?: () => void
  /** False while there is nothing to send. */
  isReady?: boolean
}

/**
 * A button that opens a small form, and sends a command with its fields. The form stays until the change is
 * applied, so that nothing typed is lost where it is refused.
 */
export function CommandForm({ title, fields, command, label, children, onOpen, isReady = true }: Form) {
  const [isOpen, setOpen] = useState(false)
  const [isWaiting, setWaiting] = useState(false)
  const [refused, setRefused] = useState<Change | null>(null)
  const isThere = useRef(true)
  useEffect(
    () => () => {
      isThere.current = false
    },
    [],
  )
  if (isExport) return null
  if (!isOpen) {
    const open = () => {
      setOpen(true)
      onOpen?.()
    }
    return (
      <button type="button" class="button" onClick={open}>
        {title}…
      </button>
    )
  }
  const close = () => {
    setRefused(null)
    setOpen(false)
  }
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (isWaiting || !isReady) return
    const data = new FormData(event.currentTarget as HTMLFormElement)
    const filled = fields.map(({ name }) => [name, String(data.get(name) ?? "").trim()])
    const made = command(Object.fromEntries(filled))
    if (made === null) return close()
    setWaiting(true)
    setRefused(null)
    const outcome = await sendCommand(made, label)
    if (!isThere.current) return
    setWaiting(false)
    if (outcome.state === "done") return close()
    setRefused(outcome)
    dismiss(outcome.id)
  }
  return (
    <form class="ask" onSubmit={submit} data-closes="" aria-label={title}>
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

/** Resolves an open decision. */
export function Decide({ id }: { id: string }) {
  return (
    <CommandForm
      title="Decide"
      label="Resolve the decision"
      fields={[{ name: "content", label: "Decision", isLong: true }]}
      command={({ content }) => ({ do: "resolve_decision", decision: id, content })}
    />
  )
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
          <Options of={choices} chosen={value} />
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

/** A form that opens takes the focus. */
function focusOnce(element: HTMLElement | null): void {
  if (element === null || element.dataset["seen"] !== undefined) return
  element.dataset["seen"] = ""
  element.focus()
}

function Options({ of, chosen }: { of: readonly Choice[]; chosen: string }) {
  return of.map(([value, word]) => (
    <option key={value} value={value} selected={value === chosen}>
      {word}
    </option>
  ))
}

interface Selected {
  label: string
  value: string
  options: readonly Choice[]
  onChoose: (value: string) => void
  class?: string
}

/** Chooses what a view shows. */
export function Select({ label, value, options, onChoose, class: name = "" }: Selected) {
  return (
    <select
      aria-label={label}
      class={name}
      value={value}
      onChange={(event) => onChoose(event.currentTarget.value)}
    >
      <Options of={options} chosen={value} />
    </select>
  )
}

/** The same as a row of buttons. */
export function Choices({ label, value, options, onChoose, class: name = "" }: Selected) {
  return (
    <fieldset class={name}>
      <legend class="unseen">{label}</legend>
      {options.map(([each, word]) => (
        <button
          key={each}
          type="button"
          class="button"
          aria-pressed={value === each}
          onClick={() => onChoose(each)}
        >
          {word}
        </button>
      ))}
    </fieldset>
  )
}

interface Search {
  label: string
  value: string
  /** Called shortly after the last key. */
  onFind: (words: string) => void
}

export function SearchField({ label, value, onFind }: Search) {
  const field = useRef<HTMLInputElement>(null)
  const soon = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    // Changed from elsewhere, such as by going back. A field with the focus keeps its text.
    if (field.current !== null && field.current !== document.activeElement) field.current.value = value
  }, [value])
  useEffect(() => () => clearTimeout(soon.current), [])
  const find = (afterMs: number) => {
    clearTimeout(soon.current)
    soon.current = setTimeout(() => onFind(field.current?.value.trim() ?? ""), afterMs)
  }
  return (
    <span class="search">
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        aria-label={label}
        placeholder={label}
        defaultValue={value}
        onInput={() => find(TYPING_PAUSE_MS)}
        onKeyDown={(event) => {
          if (event.key === "Enter") find(0)
        }}
      />
    </span>
  )
}

const TYPING_PAUSE_MS = 150
