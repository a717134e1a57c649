import type { Variables } from "./variables.ts"

/** How much may be looked at before it is given up; what was not looked at may be anything. */
export interface Bounds {
  /** Counts one command; false once there were too many. */
  step(): boolean
  steps(): number
  /** Counts text, which is read again at every level that it is nested in. */
  spend(chars: number): boolean
  /** Counts variables copied for every way that it may go, and texts of other languages looked through again. */
  works(count: number): boolean
  /** Much of what may be looked at has been: what is repeated is judged once for all from here on. */
  isShort(): boolean
  hasEnded(): boolean
  end(): void
}

export function newBounds(meter: Pick<Variables, "spend" | "spent">, giveUp: () => void): Bounds {
  let steps = 0
  let chars = 0

  function end(): void {
    giveUp()
    steps = MAX_STEPS
  }
  function works(count: number): boolean {
    meter.spend(count)
    if (meter.spent > MAX_WORK) end()
    return meter.spent <= MAX_WORK
  }
  return {
    step: () => {
      if (++steps === MAX_STEPS) giveUp()
      return steps < MAX_STEPS
    },
    steps: () => steps,
    spend: (count) => {
      chars += count
      if (chars > MAX_CHARS) end()
      return chars <= MAX_CHARS
    },
    works,
    isShort: () => steps > MANY_STEPS || chars > MANY_CHARS,
    hasEnded: () => !works(0) || steps >= MAX_STEPS,
    end,
  }
}

/** Chosen so that no text takes longer than 50 ms; agents' commands are under a tenth of it. */
const MAX_STEPS = 1500
const MANY_STEPS = 1000
const MAX_WORK = 40_000
const MAX_CHARS = 60_000
const MANY_CHARS = 40_000
