import { round } from "./stats.ts"

export function count(value: number): string {
  return value.toLocaleString("en-US")
}

export function ms(value: number): string {
  return `${figure(value)} ms`
}

export function times(value: number): string {
  return `${figure(value)} ×`
}

/** Three digits that count, without an exponent. */
export function figure(value: number): string {
  return round(value).toLocaleString("en-US", { maximumSignificantDigits: 21 })
}
