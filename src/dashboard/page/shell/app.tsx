import type { ComponentType } from "preact"
import type { NowView } from "../../answers/model.ts"
import { Context } from "../context/context.tsx"
import { useAnswer } from "../data/answers.ts"
import { address, isExport } from "../data/data.ts"
import { linkTo, route, VIEWS, type ViewName } from "../data/route.ts"
import { Health } from "../health/health.tsx"
import { MemSheet } from "../memory/mem-sheet.tsx"
import { Memory } from "../memory/memory.tsx"
import { Now } from "../now/now.tsx"
import { Icon } from "../parts/icon.tsx"
import { Plans } from "../plans/plans.tsx"
import { TaskSheet } from "../plans/task-sheet.tsx"
import { Timeline } from "../timeline/timeline.tsx"
import { isLive } from "./follow.ts"
import { Gone } from "./gone.tsx"
import { focusView } from "./keys.ts"
import { useProjects } from "./projects.ts"
import { Switcher } from "./switcher.tsx"
import { ThemeButton } from "./theme.tsx"
import { Tray } from "./tray.tsx"

/** The frame around the views. */
export function App() {
  const { view, params } = route.value
  const { value: now } = useAnswer<NowView>(address("now"))
  const View = PAGES[view]
  const { here } = useProjects()
  const name = here?.name ?? now?.project.name ?? "HiveMind"
  document.title = `${WORDS[view]} · ${name}`
  const [kind, id] = (params["open"] ?? "").split(":")
  return (
    <div class="app">
      <button type="button" class="skip" onClick={focusView}>
        Skip to the content
      </button>
      <header class="top">
        <span class="brand">
          <svg viewBox="0 0 24 22" aria-hidden="true">
            <path d="M7 1.5h10l5 9.5l-5 9.5H7L2 11z" />
          </svg>
          HiveMind
        </span>
        <Switcher name={name} />
        {now?.project.branch != null && <span class="quiet branch">on {now.project.branch}</span>}
        <span class="spring" />
        <Presence />
        <ThemeButton />
      </header>
      <nav class="views" aria-label="Views">
        <ul>
          {VIEWS.map((each) => (
            <li key={each}>
              <a
                href={linkTo(each)}
                aria-current={each === view ? "page" : undefined}
                title={`Keys: g ${each[0]}`}
              >
                <Icon name={each} />
                <span>{WORDS[each]}</span>
                <Count of={each} now={now} />
              </a>
            </li>
          ))}
        </ul>
        <p class="quiet hints">
          <kbd>g</kbd> and a letter for a view, <kbd>/</kbd> to search, <kbd>Esc</kbd> to close
        </p>
      </nav>
      <main id="main">
        <h1 tabIndex={-1}>{WORDS[view]}</h1>
        <Gone />
        <View />
      </main>
      {kind === "task" && id !== undefined && <TaskSheet key={id} id={id} />}
      {kind === "mem" && id !== undefined && <MemSheet key={id} id={id} />}
      <Tray />
    </div>
  )
}

/** What waits for the reader there. */
function Count({ of, now }: { of: ViewName; now: NowView | undefined }) {
  const count =
    of === "health"
      ? (now?.conflicts ?? 0) + (now?.problems ?? 0)
      : of === "now"
        ? (now?.warnings.length ?? 0) + (now?.decisions.length ?? 0)
        : 0
  if (count === 0) return null
  return (
    <span class="count">
      {count}
      <span class="unseen"> to look at</span>
    </span>
  )
}

function Presence() {
  const word = isExport ? "Exported file" : isLive.value ? "Live" : "Not connected"
  return <span class={`presence ${isLive.value ? "is-live" : ""}`}>{word}</span>
}

const PAGES: Record<ViewName, ComponentType> = {
  now: Now,
  plans: Plans,
  memory: Memory,
  timeline: Timeline,
  context: Context,
  health: Health,
}
const WORDS: Record<ViewName, string> = {
  now: "Now",
  plans: "Plans",
  memory: "Memory",
  timeline: "Timeline",
  context: "Context",
  health: "Health",
}
