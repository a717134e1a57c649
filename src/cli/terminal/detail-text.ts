import type { Pressure } from "../../graph/pressure.ts"
import { counted } from "../../shared/amounts.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { localTime } from "../../shared/time.ts"
import type { SpentShort } from "../../views/lists/costs.ts"
import type { RefusalRow } from "../../views/lists/refusals.ts"

export function memLine({ id, kind, content }: { id: string; kind: string; content: string }): string {
  return `${shortId(id)} ${kind}: ${shorten(content, MAX_TEXT)}`
}

export function comparedLines(replaced: readonly Shown[], conflicts: readonly Shown[]): string[] {
  const name = ({ id, content }: Shown) => `${shortId(id)}: ${shorten(content)}`
  return [
    ...replaced.map((old) => `The new mem replaces ${name(old)}`),
    ...conflicts.map((old) => `The new mem may contradict ${name(old)}`),
  ]
}

type Shown = { id: string; content: string }

export function refusalLine({ short, at, what, times }: RefusalRow): string {
  const often = times === 1 ? "" : ` (${times} times)`
  return `${short} ${localTime(at)} ${shorten(what, MAX_TEXT)}${often}`
}

/** `12 answers: 1,200 fresh input tokens, 30,000 from cache, 400 output, $0.25`. */
export function spentText(spent: SpentShort | null): string | null {
  if (spent === null) return null
  const { answers, fresh, cached, output, cost } = spent
  const money = cost > 0 ? `, ${moneyText(cost)}` : ""
  return `${counted(answers, "answer")}: ${grouped(fresh)} fresh input tokens, ${grouped(cached)} from cache, ${grouped(output)} output${money}`
}

export function moneyText(cost: number): string {
  return `$${cost.toFixed(cost < 1 ? 4 : 2)}`
}

export function grouped(n: number): string {
  return n.toLocaleString("en-US")
}

/** `window 61 % full (122,000 of 200,000 tokens)` */
export function windowText({ tokens, window, share }: Pressure): string {
  return `window ${Math.round(share * 100)} % full (${grouped(tokens)} of ${grouped(window)} tokens)`
}

const MAX_TEXT = 120
