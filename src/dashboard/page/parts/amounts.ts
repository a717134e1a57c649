/** Numbers as people read them. */
export function amount(value: number): string {
  return value.toLocaleString("en")
}

/** `1 task`, `3 tasks`. */
export function counted(value: number, word: string): string {
  return `${amount(value)} ${value === 1 ? word : `${word}s`}`
}

/** `950`, `12.4k`, `1.2M`. */
export function short(value: number): string {
  if (value < 1000) return String(Math.round(value))
  return value < 1e6 ? `${round(value / 1000)}k` : `${round(value / 1e6)}M`
}

export function percent(share: number): string {
  return `${Math.round(share * 100)}%`
}

export function dollars(value: number): string {
  if (value === 0) return "no price known"
  return value < 0.01 ? "under $0.01" : `$${value.toFixed(2)}`
}

export function bytes(value: number): string {
  if (value < 1024) return `${value} B`
  return value < 1024 ** 2 ? `${round(value / 1024)} KB` : `${round(value / 1024 ** 2)} MB`
}

function round(value: number): string {
  return value < 10 ? value.toFixed(1).replace(/\.0$/, "") : String(Math.round(value))
}
