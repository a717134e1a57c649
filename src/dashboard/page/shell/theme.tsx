import { signal } from "@preact/signals"
import { Icon } from "../parts/icon.tsx"

const KEY = "hivemind-colours"

type Theme = "auto" | "light" | "dark"

/** As the system has it, unless the reader says otherwise. */
const theme = signal<Theme>(stored())

export function applyTheme(): void {
  const { dataset } = document.documentElement
  if (theme.value === "auto") delete dataset["theme"]
  else dataset["theme"] = theme.value
  dispatchEvent(new Event("themechange"))
}

export function ThemeButton() {
  const next: Theme = ({ auto: "light", light: "dark", dark: "auto" } as const)[theme.value]
  const turn = () => {
    theme.value = next
    try {
      localStorage.setItem(KEY, next)
    } catch {
      // A browser that keeps nothing keeps it for this page only.
    }
    applyTheme()
  }
  return (
    <button
      type="button"
      class="icon-button"
      onClick={turn}
      aria-label={`Colours: ${theme.value}. Change to ${next}`}
    >
      <Icon name={theme.value === "auto" ? "auto" : theme.value === "light" ? "sun" : "moon"} />
    </button>
  )
}

function stored(): Theme {
  try {
    const value = localStorage.getItem(KEY)
    return value === "light" || value === "dark" ? value : "auto"
  } catch {
    return "auto" // An exported file may stand where nothing is kept.
  }
}
