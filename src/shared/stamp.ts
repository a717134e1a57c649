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
 * That stamp, or the first of `-2`, `-3`… that is not taken. Found in a few steps, however many there are of a minute;
 * where some of them were given back, it may be a later one.
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

/** Which of its minute a stamp is: 1, then the number behind the dash. */
export function stampNumber(stamp: string): number {
  const dash = stamp.indexOf("-")
  return dash < 0 ? 1 : Number(stamp.slice(dash + 1))
}
