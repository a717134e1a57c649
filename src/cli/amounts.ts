/** `3 entries`, `1 entry`. */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`
}

export function byteSize(bytes: number): string {
  const step = UNITS.findIndex((_, index) => bytes < 1024 ** (index + 1))
  const power = step < 0 ? UNITS.length - 1 : step
  const value = bytes / 1024 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`
}

/** A length of time in its largest whole unit: `40 s`, `5 min`, `3 h`, `12 days`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 120) return `${seconds} s`
  if (seconds < 2 * 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h`
  return `${Math.floor(seconds / 86_400)} days`
}

export { localTime } from "../shared/local-time.ts"

const UNITS = ["bytes", "KB", "MB", "GB", "TB"]
