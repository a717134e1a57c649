import { type Change, changes, dismiss, spoken } from "../data/commands.ts"
import { isExport } from "../data/data.ts"
import { linkTo } from "../data/route.ts"
import { Icon } from "../parts/icon.tsx"
import { isLive, wasLive } from "./follow.ts"

export function ServerEnded() {
  if (isExport || isLive.value || !wasLive.value) return null
  return (
    <p class="callout tone-wait" role="alert">
      <strong>The server has stopped.</strong> The page shows the last state, and nothing can be changed. The
      server stops when its terminal or OpenCode is closed. Run <code>hivemind dashboard</code> or{" "}
      <code>/hive-dashboard</code> to start it again; a new page opens.
    </p>
  )
}

/** A note about the user's last change: waiting, applied, or refused with the reason. The Health view lists the others. */
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

const LOOKS = {
  waiting: { tone: "wait", icon: "planned", word: "Waiting" },
  done: { tone: "good", icon: "good", word: "Applied" },
  refused: { tone: "wrong", icon: "failed", word: "Refused" },
} as const
