/** A number with its noun: `1 entry`, `3 entries`. */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`
}
export function byteSize(bytes: number): string {
  const step = UNITS.findIndex((_, index) => bytes < 1024 ** (index + 1))
  const power = step < 0 ? UNITS.length - 1 : step
  const value = bytes / 1024 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`
}

const UNITS = ["bytes", "KB", "MB", "GB", "TB"]
