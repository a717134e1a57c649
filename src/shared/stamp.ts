/** The stamp of a moment: `mmHHDDMMYYYY` in local time, so that people recognise it and grep finds it. */
export function stampOf(now: number): string {
  const date = new Date(now)
  const two = (n: number) => String(n).padStart(2, "0")
  return (
    two(date.getMinutes()) +
    two(date.getHours()) +
    two(date.getDate()) +
    two(date.getMonth() + 1) +
    String(date.getFullYear()).padStart(4, "0")
  )
}

/**
 * That stamp, or with the first free suffix `-2`, `-3`…, found by a binary search. Where stamps were released, it may be a
 * later one.
 */
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

/** The number of a stamp within its minute: 1, or its suffix. */
export function stampNumber(stamp: string): number {
  const dash = stamp.indexOf("-")
  return dash < 0 ? 1 : Number(stamp.slice(dash + 1))
}

/** A stamp as people read it: `2026-11-16 14:13`, the second one of a minute `2026-11-16 14:13 #2`. Other text stays. */
export function readableStamp(stamp: string): string {
  const [whole, minute, hour, day, month, year, number] =
    /^(\d\d)(\d\d)(\d\d)(\d\d)(\d{4})(?:-(\d+))?$/.exec(stamp) ?? []
  if (whole === undefined) return stamp
  return `${year}-${month}-${day} ${hour}:${minute}${number === undefined ? "" : ` #${number}`}`
}

/** The stamp of a time as `readableStamp` shows it; other text stays. */
export function stampFromReadable(text: string): string {
  const [whole, year, month, day, hour, minute, number] =
    /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d)(?: #(\d+))?$/.exec(text) ?? []
  if (whole === undefined) return text
  return `${minute}${hour}${day}${month}${year}${number === undefined ? "" : `-${number}`}`
}
