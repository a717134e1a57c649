import type { ComponentChildren } from "preact"
import { useId, useState } from "preact/hooks"
import { type Command, order } from "../data/commands.ts"
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
}

/** A change that needs words: a button that opens a small form. */
export function Ask({ title, fields, command, label }: Asking) {
  const [isOpen, setOpen] = useState(false)
  if (isExport) return null
  if (!isOpen) {
    return (
      <button type="button" class="button" onClick={() => setOpen(true)}>
        {title}…
      </button>
    )
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const data = new FormData(event.currentTarget as HTMLFormElement)
    const asked = command(
      Object.fromEntries(fields.map(({ name }) => [name, String(data.get(name) ?? "").trim()])),
    )
    if (asked !== null) order(asked, label)
    setOpen(false)
  }
  return (
    <form class="ask" onSubmit={submit} data-closes="" aria-label={title}>
      {fields.map((field, index) => (
        <FieldInput key={field.name} field={field} isFirst={index === 0} />
      ))}
      <div class="actions">
        <button type="submit" class="button primary">
          {title}
        </button>
        <button type="button" class="button" data-close="" onClick={() => setOpen(false)}>
          Cancel
        </button>
      </div>
    </form>
  )
}

function FieldInput({ field, isFirst }: { field: Field; isFirst: boolean }) {
  const id = useId()
  const { name, label, value = "", isLong, choices, isOptional } = field
  const focus = (element: HTMLElement | null) => {
    if (isFirst && element !== null && element.dataset["seen"] === undefined) {
      element.dataset["seen"] = ""
      element.focus()
    }
  }
  const shared = { id, name, ref: focus, required: isOptional !== true }
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
        <textarea {...shared} rows={4} defaultValue={value} />
      ) : (
        <input {...shared} type="text" defaultValue={value} />
      )}
    </div>
  )
}
