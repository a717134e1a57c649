/** `2026-02-11 14:30:05`, local time. */
export function localTime(time: number | string): string {
  // Sweden writes dates the ISO way, which sorts and reads alike everywhere.
  return new Date(time).toLocaleString("sv-SE")
}
