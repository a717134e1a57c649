/** The middle value: what one call costs when nothing gets in its way. */
export function p50(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] ?? Number.NaN
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper
}

/** All but one in a hundred are quicker. */
export function p99(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN
}

export function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Three digits that count; more would be noise. */
export function round(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3))
}

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
