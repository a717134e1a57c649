/** Formats a time as a stamp: `mmHHDDMMYYYY` in local time. */
export function stampOf(now: number): string {
  const date = new Date(now)
  const parts = [date.getMinutes(), date.getHours(), date.getDate(), date.getMonth() + 1]
  return parts.map((n) => String(n).padStart(2, "0")).join("") + String(date.getFullYear()).padStart(4, "0")
}

/** Returns a free stamp. If the time's own stamp is taken, adds `-2`, `-3`…; a binary search finds the next free one. */
export function freeStamp(now: number, taken: (stamp: string) => boolean): string {
  const base = stampOf(now)
  const stamp = (n: number) => (n === 1 ? base : `${base}-${n}`)
  let free = 1
  while (taken(stamp(free))) free *= 2
  for (let low = free >> 1; low + 1 < free; ) {
    const middle = (low + free) >> 1
    if (taken(stamp(middle))) low = middle
    else free = middle
  }
  return stamp(free)
}

/** The number in the suffix of a stamp, or 1 for a stamp without one. */
export function stampNumber(stamp: string): number {
  const dash = stamp.indexOf("-")
  return dash < 0 ? 1 : Number(stamp.slice(dash + 1))
}

/** Formats a stamp for people: `2026-11-16 14:13`, with the suffix as ` #2`. Returns other text unchanged. */
export function readableStamp(stamp: string): string {
  const [whole, minute, hour, day, month, year, number] =
    /^(\d\d)(\d\d)(\d\d)(\d\d)(\d{4})(?:-(\d+))?$/.exec(stamp) ?? []
  if (whole === undefined) return stamp
  return `${year}-${month}-${day} ${hour}:${minute}${number === undefined ? "" : ` #${number}`}`
}

/** The inverse of `readableStamp`. Returns other text unchanged. */
export function stampFromReadable(text: string): string {
  const [whole, year, month, day, hour, minute, number] =
    /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d)(?: #(\d+))?$/.exec(text) ?? []
  if (whole === undefined) return text
  return `${minute}${hour}${day}${month}${year}${number === undefined ? "" : `-${number}`}`
}
