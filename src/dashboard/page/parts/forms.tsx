import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef, useState } from "preact/hooks"
import { type Change, type Command, dismiss, sendCommand } from "../data/commands.ts"
import { isExport } from "../data/data.ts"
import { choose, route } from "../data/route.ts"
import { Icon } from "./icon.tsx"
import { Button } from "./layout.tsx"

interface Send {
  command: Command
  label: string
  children: ComponentChildren
}

/** A button that sends a command. An exported page shows no such buttons. */
export function SendButton({ command, label, children }: Send) {
  if (isExport) return null
  return <Button onClick={() => sendCommand(command, label)}>{children}</Button>
}

interface Field {
  name: string
  label: string
  value?: string
  isLong?: boolean
  choices?: readonly Choice[]
  isOptional?: boolean
}

type Choice = readonly [value: string, word: string]

interface Form {
  title: string
  fields: readonly Field[]
  /** Makes the command from the filled-in fields. Null if nothing was changed. */
  command: (filled: Readonly<Record<string, string>>) => Command | null
  label: string
  children?: ComponentChildren
  onOpen?: () => void
  /** False disables the submit button. */
  isReady?: boolean
}

/** A button that opens a small form. The form stays open until the change is applied, so that no input is lost. */
export function CommandForm({ title, fields, command, label, children, onOpen, isReady = true }: Form) {
  const [isOpen, setOpen] = useState(false)
  const [isWaiting, setWaiting] = useState(false)
  const [refused, setRefused] = useState<Change | null>(null)
  const isThere = useRef(true)
  useEffect(() => {
    return () => {
      isThere.current = false
    }
  }, [])
  if (isExport) return null
  const open = () => {
    setOpen(true)
    onOpen?.()
  }
  if (!isOpen) return <Button onClick={open}>{title}…</Button>
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
  const { name, label, value = "", isLong, choices, isOptional } = field
  const shared = { id, name, ref: isFirst ? focusOnce : null, required: isOptional !== true }
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      {choices !== undefined ? (
        <select {...shared}>
          <Options of={choices} chosen={value} />
        </select>
      ) : isLong === true ? (
        <textarea {...shared} rows={4} defaultValue={value} />
      ) : (
        <input {...shared} type="text" defaultValue={value} />
      )}
    </div>
  )
}

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

interface Chosen {
  label: string
  /** The name of the choice in the URL that the field shows and changes. */
  param: string
  options: readonly Choice[]
  /** The chosen option. By default it is read from the URL. */
  value?: string
  /** Another choice in the URL that is cleared when this one changes. */
  resets?: string
  class?: string
}

export function Select({ label, param, options, value = paramOf(param), resets, class: name = "" }: Chosen) {
  return (
    <select
      aria-label={label}
      class={name}
      value={value}
      onChange={({ currentTarget }) =>
        choose({ [param]: currentTarget.value, ...(resets !== undefined && { [resets]: null }) })
      }
    >
      <Options of={options} chosen={value} />
    </select>
  )
}

export function Choices({ label, param, options, value = paramOf(param), class: name = "" }: Chosen) {
  return (
    <fieldset class={name}>
      <legend class="unseen">{label}</legend>
      {options.map(([each, word]) => (
        <button
          key={each}
          type="button"
          class="button"
          aria-pressed={value === each}
          onClick={() => choose({ [param]: each })}
        >
          {word}
        </button>
      ))}
    </fieldset>
  )
}

/** A search field. It writes the typed text into the URL, shortly after the last key. */
export function SearchField({ label, param, value = paramOf(param) }: Omit<Chosen, "options">) {
  const field = useRef<HTMLInputElement>(null)
  const soon = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    // The URL was changed elsewhere, for example by the back button. A focused field keeps its text.
    if (field.current !== null && field.current !== document.activeElement) field.current.value = value
  }, [value])
  useEffect(() => () => clearTimeout(soon.current), [])
  const find = (afterMs: number) => {
    clearTimeout(soon.current)
    const write = () => choose({ [param]: field.current?.value.trim() ?? "" }, { replace: true })
    soon.current = setTimeout(write, afterMs)
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

const paramOf = (name: string): string => route.value.params[name] ?? ""

const TYPING_PAUSE_MS = 150
