import { signal } from "@preact/signals"
import { type Change, changes, dismiss, spoken } from "../data/commands.ts"
import { isExport } from "../data/data.ts"
import { linkTo } from "../data/route.ts"
import { Icon } from "../parts/icon.tsx"
import { isLive, wasLive } from "./follow.ts"

/** Says what to do after the server has stopped: the page keeps its last data. */
export function ServerEnded() {
  if (isExport || isLive.value || !wasLive.value) return null
  return (
    <p class="callout tone-wait" role="alert">
      <strong>The server has stopped.</strong> The page shows the state at that time, and nothing can be
      changed. It ends with the terminal or the OpenCode that it was started in: run{" "}
      <code>hivemind dashboard</code> or <code>/hive-dashboard</code> again and use the address that it opens.
    </p>
  )
}

type Theme = "auto" | "light" | "dark"
// Above its first use, which is when this module is loaded.
const THEME_KEY = "hivemind-colours"

/** As the system has it, unless the reader says otherwise. */
const theme = signal<Theme>(storedTheme())

export function applyTheme(): void {
  const { dataset } = document.documentElement
  if (theme.value === "auto") delete dataset["theme"]
  else dataset["theme"] = theme.value
}

export function ThemeButton() {
  const { icon, next } = THEMES[theme.value]
  const change = () => {
    theme.value = next
    try {
      localStorage.setItem(THEME_KEY, next)
    } catch {
      // A browser that stores nothing keeps it for this page only.
    }
    applyTheme()
  }
  return (
    <button
      type="button"
      class="icon-button"
      onClick={change}
      aria-label={`Colours: ${theme.value}. Change to ${next}`}
    >
      <Icon name={icon} />
    </button>
  )
}

function storedTheme(): Theme {
  try {
    const value = localStorage.getItem(THEME_KEY)
    return value === "light" || value === "dark" ? value : "auto"
  } catch {
    return "auto" // An exported file may be opened where nothing can be stored.
  }
}

/** The last change that the reader asked for: waiting, applied, or refused with the reason. Health lists the others. */
export function ChangeNote() {
  const shown = changes.value.at(-1)
  const open = changes.value.filter(({ state }) => state !== "done").length
  const others = open - (shown?.state === "done" ? 0 : 1)
  return (
    <>
      <p class="unseen" role="status" aria-live="polite">
        {spoken.value}
      </p>
      {shown !== undefined && (
        <section class="tray" aria-label="Your changes">
          <Note change={shown} />
          {others > 0 && (
            <p class="tray-more">
              <a href={linkTo("health")}>and {others} more, under Health</a>
            </p>
          )}
        </section>
      )}
    </>
  )
}

function Note({ change: { id, label, state, what, why, use_instead } }: { change: Change }) {
  const { tone, icon, word } = LOOKS[state]
  return (
    <div class={`change tone-${tone}`}>
      <Icon name={icon} />
      <div>
        <p>
          <strong>{word}</strong> {label}
        </p>
        {what !== null && (
          <p class="quiet">
            {what} {why} {use_instead}
          </p>
        )}
      </div>
      {state !== "waiting" && (
        <button
          type="button"
          class="icon-button"
          aria-label={`Dismiss: ${label}`}
          onClick={() => dismiss(id)}
        >
          <Icon name="close" />
        </button>
      )}
    </div>
  )
}

const THEMES = {
  auto: { icon: "auto", next: "light" },
  light: { icon: "sun", next: "dark" },
  dark: { icon: "moon", next: "auto" },
} as const
const LOOKS = {
  waiting: { tone: "wait", icon: "planned", word: "Waiting" },
  done: { tone: "good", icon: "good", word: "Applied" },
  refused: { tone: "wrong", icon: "failed", word: "Refused" },
} as const
