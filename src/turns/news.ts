import { ALL } from "../graph/indexes.ts"
import { holderOf } from "../graph/lifecycle.ts"
import { first } from "../graph/record-map.ts"
import type { GraphState } from "../graph/state.ts"
import { shorten } from "../shared/text/clean.ts"

/**
 * What somebody else has set in the middle of a turn and the model must know before its next step: a critical anchor, a
 * file that another session works on. Told with the next result, once; where nothing happened, nothing is added. What was
 * there when the turn began is in the block.
 */
export function newsInTurn() {
  const known = new Map<string, Set<string>>()

  return {
    begin(session: string, state: GraphState): void {
      known.set(session, new Set(urgent(session, state).map(({ key }) => key)))
    },
    since(session: string, state: GraphState): string[] {
      const told = known.get(session)
      // A turn that was under way when this process started: what it was told is not known.
      if (told === undefined) {
        this.begin(session, state)
        return []
      }
      return urgent(session, state).flatMap(({ key, text }) => {
        if (told.has(key)) return []
        told.add(key)
        return [text]
      })
    },
  }
}

export type NewsInTurn = ReturnType<typeof newsInTurn>

function urgent(session: string, state: GraphState): { key: string; text: string }[] {
  const anchors = [...state.anchor.by("kept", ALL)]
    .filter(({ priority, session_id }) => priority === "critical" && session_id !== session)
    .map(({ id, key, value }) => ({
      key: `${id} ${value}`,
      text: `Set meanwhile, critical: ${key} = ${shorten(value, 300)}`,
    }))
  const locks = first(MAX_TASKS, state.task.by("status", "active"))
    .filter((task) => task.file_locks.length > 0 && holderOf(task) !== session && holderOf(task) !== null)
    .flatMap(({ id, title, file_locks }) =>
      file_locks.map((path) => ({
        key: `${id} ${path}`,
        text: `Locked meanwhile by another session (task "${shorten(title, 80)}"): ${path}. Leave it alone.`,
      })),
    )
  return [...anchors, ...locks]
}

// More are never under way at once; if they are, the gate still holds their locks.
const MAX_TASKS = 200
