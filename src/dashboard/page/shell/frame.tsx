import { signal } from "@preact/signals"
import { useRef } from "preact/hooks"
import type { ProjectsView } from "../../answers/model.ts"
import { useAnswer } from "../data/answers.ts"
import { type Change, changes, dismiss, spoken } from "../data/commands.ts"
import { address, isExport } from "../data/data.ts"
import { goTo, linkTo, project, route } from "../data/route.ts"
import { Select } from "../parts/forms.tsx"
import { Icon } from "../parts/icon.tsx"
import { isLive, wasLive } from "./follow.ts"

type Project = ProjectsView["projects"][number]

/** The projects of this user, each by a name that no other has, and the one on the page. */
export function useProjects(): { projects: Project[]; here: Project | undefined } {
  const { value } = useAnswer<ProjectsView>(isExport ? null : address("projects"))
  // The list stays while another project is loaded, so that the switcher does not flicker.
  const last = useRef<readonly Project[]>([])
  if (value !== undefined) last.current = value.projects
  const projects = withDistinctNames(last.current)
  // Where the address names none, the server shows the first.
  return { projects, here: projects.find(({ id }) => id === project.value) ?? projects[0] }
}

/** Two clones lie in folders of one name: the parent folder tells them apart, or the whole path. */
function withDistinctNames(projects: readonly Project[]): Project[] {
  const forms = [
    ({ name }: Project) => name,
    ({ dir }: Project) => dir.split(/[\\/]/).filter(Boolean).slice(-2).join("/"),
    ({ dir }: Project) => dir,
  ]
  return projects.map((each) => {
    const isDistinct = (form: (of: Project) => string) =>
      projects.filter((other) => form(other) === form(each)).length === 1
    return { ...each, name: (forms.find(isDistinct) ?? (({ name }) => name))(each) }
  })
}

/** Switches between projects. With one project it is just the name. */
export function Switcher({ name }: { name: string }) {
  const { projects, here } = useProjects()
  if (projects.length < 2) return <span class="project">{name}</span>
  return (
    <Select
      label="Project"
      class="project"
      value={here?.id ?? ""}
      options={projects.map((each) => [each.id, each.name])}
      onChoose={(id) => goTo(route.value.view, { project: id })}
    />
  )
}

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
  dispatchEvent(new Event("themechange"))
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
