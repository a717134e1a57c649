/** True in `npm run test:long`, which runs every trial; `npm test` runs a sample of each. */
export const longRun = process.env["HIVEMIND_LONG"] === "1"

/** How often a random or destructive trial is repeated: `short` in `npm test`, `long` in `npm run test:long`. */
export const trials = (short: number, long: number): number => (longRun ? long : short)

/** All items in the long run, else about `count` of them, spread evenly and always the same ones. */
export function sample<T>(items: readonly T[], count: number): readonly T[] {
  if (longRun || items.length <= count) return items
  const step = items.length / count
  return Array.from({ length: count }, (_, n) => items[Math.floor(n * step)] as T)
}
