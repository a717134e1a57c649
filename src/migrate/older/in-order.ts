/**
 * Things of an old file so that each comes after those it depends on; `after` names these. What is not there and what
 * would close a circle is left out of it.
 */
export function inOrder<T extends object>(
  things: readonly T[],
  idOf: (thing: T) => string | undefined,
  dependenciesOf: (thing: T) => readonly string[],
): (T & { after: string[] })[] {
  const byId = new Map(
    things.flatMap((thing) => (idOf(thing) === undefined ? [] : [[idOf(thing), thing] as const])),
  )
  const ordered: (T & { after: string[] })[] = []
  const done = new Set<T>()
  const underWay = new Set<T>()

  function place(thing: T): void {
    if (done.has(thing)) return
    underWay.add(thing)
    const after: string[] = []
    for (const id of new Set(dependenciesOf(thing))) {
      const other = byId.get(id)
      // Of another plan: those that came before are known by their ids.
      if (other === undefined) after.push(id)
      else if (!underWay.has(other)) {
        place(other)
        after.push(id)
      }
    }
    underWay.delete(thing)
    done.add(thing)
    ordered.push({ ...thing, after })
  }

  for (const thing of things) place(thing)
  return ordered
}
