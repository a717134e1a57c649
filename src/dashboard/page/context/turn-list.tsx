import type { Turn } from "../../answers/model.ts"
import { amount } from "../parts/amounts.ts"
import { Badge } from "../parts/badge.tsx"
import { Time } from "../parts/time.tsx"
import { VirtualList } from "../parts/virtual-list.tsx"

/** The turns of a session, the newest first. */
export function TurnList({
  turns,
  chosen,
  onTurn,
}: {
  turns: readonly Turn[]
  chosen: number
  onTurn: (turn: number) => void
}) {
  const at = (index: number) => turns[turns.length - 1 - index]
  return (
    <VirtualList
      label="Turns"
      class="turn-list"
      total={turns.length}
      rowPx={ROW_PX}
      of={turns[0]?.message ?? ""}
      keyAt={(index) => at(index)?.message}
      row={(index, focus) => {
        const turn = at(index)
        if (turn === undefined) return null
        return (
          <button
            type="button"
            class="turn-row"
            {...focus}
            aria-pressed={turn.turn === chosen}
            onClick={() => onTurn(turn.turn)}
          >
            <span class="turn-number number">{turn.turn}</span>
            <span class="meta">
              <Badge is={turn.kind} />
              <span class="number">{amount(turn.tokens)} tokens</span>
              <Time at={turn.at} />
            </span>
          </button>
        )
      }}
    />
  )
}

const ROW_PX = 60
