import { useEffect, useRef } from "preact/hooks"
import { Icon } from "./icon.tsx"

/** Tells what was typed once the fingers rest. */
export function SearchField({
  label,
  value,
  onFind,
  onDown,
}: {
  label: string
  value: string
  onFind: (words: string) => void
  /** The arrow down: to what was found. */
  onDown?: () => void
}) {
  const field = useRef<HTMLInputElement>(null)
  const soon = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    // Changed from elsewhere, such as by going back. What is being typed is left alone.
    if (field.current !== null && field.current !== document.activeElement) field.current.value = value
  }, [value])
  useEffect(() => () => clearTimeout(soon.current), [])
  const tell = (after: number) => {
    clearTimeout(soon.current)
    soon.current = setTimeout(() => onFind(field.current?.value.trim() ?? ""), after)
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
        onInput={() => tell(RESTS_MS)}
        onKeyDown={(event) => {
          if (event.key === "Enter") tell(0)
          if (event.key !== "ArrowDown" || onDown === undefined) return
          event.preventDefault()
          onDown()
        }}
      />
    </span>
  )
}

const RESTS_MS = 150
