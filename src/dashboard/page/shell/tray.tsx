import { type Asked, commands, dismiss, spoken } from "../data/commands.ts"
import { linkTo } from "../data/route.ts"
import { Icon } from "../parts/icon.tsx"

/** What the reader has asked for last: waiting, applied, or refused with the reason. Health lists the others. */
export function Tray() {
  const shown = commands.value.at(-1)
  const others =
    commands.value.filter(({ state }) => state !== "done").length - (shown?.state === "done" ? 0 : 1)
  return (
    <>
      <p class="unseen" role="status" aria-live="polite">
        {spoken.value}
      </p>
      {shown !== undefined && (
        <section class="tray" aria-label="Your changes">
          <Change asked={shown} />
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

function Change({ asked }: { asked: Asked }) {
  const { id, label, state, what, why, use_instead } = asked
  const look = LOOKS[state]
  return (
    <div class={`change tone-${look.tone}`}>
      <Icon name={look.icon} />
      <div>
        <p>
          <strong>{look.word}</strong> {label}
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
