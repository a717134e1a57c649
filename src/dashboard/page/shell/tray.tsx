import { type Asked, commands, dismiss, spoken } from "../data/commands.ts"
import { Icon } from "../parts/icon.tsx"

/** What the reader has asked for: waiting, applied, or refused with the reason. */
export function Tray() {
  return (
    <>
      <p class="unseen" role="status" aria-live="polite">
        {spoken.value}
      </p>
      {commands.value.length > 0 && (
        <section class="tray" aria-label="Your changes">
          <ul>
            {commands.value.map((asked) => (
              <li key={asked.id}>
                <Change asked={asked} />
              </li>
            ))}
          </ul>
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
