/** `2026-02-11 14:30:05`, local time. By hand: a log of thousands of lines waits for none of the locale's rules. */
export function localTime(time: number | string): string {
  const date = new Date(time)
  const two = (n: number) => String(n).padStart(2, "0")
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}
