/**
 * Things of an old file so that each comes after those it depends on; `after` names these. What is not there and what
 * would close a circle is left out of it: first of all that something done waits for what is still open.
 */
export function inOrder<T extends object>(
  things: readonly T[],
  idOf: (thing: T) => string | undefined,
  dependenciesOf: (thing: T) => readonly string[],
  isDone: (thing: T) => boolean,
): (T & { after: string[] })[] {
  const byId = new Map(
    things.flatMap((thing) => (idOf(thing) === undefined ? [] : [[idOf(thing), thing] as const])),
  )
  const { ordered, hasCircle } = placeAll(things, byId, dependenciesOf)
  if (!hasCircle) return ordered
  const withoutBackward = (thing: T) =>
    dependenciesOf(thing).filter((id) => {
      const other = byId.get(id)
      const isBackward = other !== undefined && isDone(thing) && !isDone(other)
      return !isBackward || !leadsTo(other, thing, (each) => linked(dependenciesOf(each), byId))
    })
  return placeAll(things, byId, withoutBackward).ordered
}

type ById<T> = ReadonlyMap<string | undefined, T>

function placeAll<T extends object>(
  things: readonly T[],
  byId: ById<T>,
  dependenciesOf: (thing: T) => readonly string[],
): { ordered: (T & { after: string[] })[]; hasCircle: boolean } {
  const ordered: (T & { after: string[] })[] = []
  const done = new Set<T>()
  const underWay = new Set<T>()
  let hasCircle = false

  function place(thing: T): void {
    if (done.has(thing)) return
    underWay.add(thing)
    const after: string[] = []
    for (const id of new Set(dependenciesOf(thing))) {
      const other = byId.get(id)
      // Of another plan: those that came before are known by their ids.
      if (other === undefined) after.push(id)
      else if (underWay.has(other)) hasCircle = true
      else {
        place(other)
        after.push(id)
      }
    }
    underWay.delete(thing)
    done.add(thing)
    ordered.push({ ...thing, after })
  }

  for (const thing of things) place(thing)
  return { ordered, hasCircle }
}

function leadsTo<T>(from: T, to: T, next: (thing: T) => readonly T[]): boolean {
  const seen = new Set([from])
  // What is added while it runs is gone through as well.
  for (const each of seen) for (const other of next(each)) seen.add(other)
  return seen.has(to)
}

function linked<T>(ids: readonly string[], byId: ById<T>): T[] {
  return ids.flatMap((id) => byId.get(id) ?? [])
}
