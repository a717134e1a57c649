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

/** That stamp, or the first of `-2`, `-3`… that is not taken. */
export function freeStamp(now: number, taken: (stamp: string) => boolean): string {
  const base = stampOf(now)
  let stamp = base
  for (let n = 2; taken(stamp); n++) stamp = `${base}-${n}`
  return stamp
}

/** Which of its minute a stamp is: 1, then the number behind the dash. */
export function stampNumber(stamp: string): number {
  const dash = stamp.indexOf("-")
  return dash < 0 ? 1 : Number(stamp.slice(dash + 1))
}
