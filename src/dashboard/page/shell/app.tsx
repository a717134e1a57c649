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
import { ChangeNote, ServerEnded } from "./frame.tsx"
import { focusHeading } from "./keys.ts"

export function App() {
  const { view, params } = route.value
  const { value: now } = useAnswer<NowView>(address("now"))
  const { View, title } = PAGES[view]
  const project = now?.project.name ?? "HiveMind"
  document.title = `${title} · ${project}`
  const [kind, id] = (params["open"] ?? "").split(":")
  return (
    <div class="app">
      <button type="button" class="skip" onClick={focusHeading}>
        Skip to the content
      </button>
      <header class="top">
        <span class="brand">
          <svg viewBox="0 0 24 22" aria-hidden="true">
            <path d="M7 1.5h10l5 9.5l-5 9.5H7L2 11z" />
          </svg>
          HiveMind
        </span>
        <span class="project">{project}</span>
        {now?.project.branch != null && <span class="quiet branch">on {now.project.branch}</span>}
        <span class="spring" />
        <span class={`presence ${isLive.value ? "is-live" : ""}`}>
          {isExport ? "Exported file" : isLive.value ? "Live" : "Not connected"}
        </span>
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
                <span>{PAGES[each].title}</span>
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
        <h1 tabIndex={-1}>{title}</h1>
        <ServerEnded />
        {now?.inactive != null && (
          <p class="callout tone-wait" role="alert">
            {now.inactive}
          </p>
        )}
        <View />
      </main>
      {kind === "task" && id !== undefined && <TaskSheet key={id} id={id} />}
      {kind === "mem" && id !== undefined && <MemSheet key={id} id={id} />}
      <ChangeNote />
    </div>
  )
}

function Count({ of, now }: { of: ViewName; now: NowView | undefined }) {
  if (now === undefined) return null
  const { conflicts, problems, warnings, decisions } = now
  const counts: Partial<Record<ViewName, number>> = {
    health: conflicts + problems,
    now: warnings.length + decisions.length,
  }
  const count = counts[of] ?? 0
  if (count === 0) return null
  return (
    <span class="count">
      {count}
      <span class="unseen"> to look at</span>
    </span>
  )
}

const PAGES: Record<ViewName, { View: ComponentType; title: string }> = {
  now: { View: Now, title: "Now" },
  plans: { View: Plans, title: "Plans" },
  memory: { View: Memory, title: "Memory" },
  timeline: { View: Timeline, title: "Timeline" },
  context: { View: Context, title: "Context" },
  health: { View: Health, title: "Health" },
}
