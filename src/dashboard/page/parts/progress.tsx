import { amount } from "./amounts.ts"

/** How much of a plan is done. */
export function Progress({ done, all }: { done: number; all: number }) {
  return (
    <span class="progress">
      <progress value={done} max={Math.max(1, all)} aria-label={`${done} of ${all} tasks are done`} />
      <span class="quiet number">
        {amount(done)} of {amount(all)}
      </span>
    </span>
  )
}
