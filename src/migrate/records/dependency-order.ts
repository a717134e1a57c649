export interface Node {
  parent: string | null
  waitsFor: readonly string[]
}

/** Sorts items after their parents and dependencies. Drops one dependency of each circle. Not recursive: chains can be long. */
export function orderWork(nodes: ReadonlyMap<string, Node>) {
  /** The dependencies that were dropped, by item: one of each circle. */
  const notWaitedFor = new Map<string, Set<string>>()
  const order: string[] = []
  const placed = new Set<string>()
  const depth = new Map<string, number>()

  const isWaitedFor = (name: string, other: string) => notWaitedFor.get(name)?.has(other) !== true
  const forget = (name: string, other: string) => {
    notWaitedFor.set(name, (notWaitedFor.get(name) ?? new Set()).add(other))
  }

  for (const start of nodes.keys()) {
    if (placed.has(start)) continue
    const way: (Link & { links: Link[] })[] = [{ name: start, isParent: false, links: linksOf(nodes, start) }]
    depth.set(start, 0)
    for (let step = way.at(-1); step !== undefined; step = way.at(-1)) {
      const link = step.links.pop()
      if (link === undefined) {
        placed.add(step.name)
        order.push(step.name)
        depth.delete(step.name)
        way.pop()
        continue
      }
      if (placed.has(link.name) || (!link.isParent && !isWaitedFor(step.name, link.name))) continue
      const open = depth.get(link.name)
      if (open === undefined) {
        depth.set(link.name, way.length)
        way.push({ ...link, links: linksOf(nodes, link.name) })
        continue
      }
      if (!link.isParent) {
        forget(step.name, link.name)
        continue
      }
      // A parent is never dropped. If the circle ends with one, the last dependency in the circle is dropped instead.
      const cut = way.findLastIndex((each, at) => at > open && !each.isParent)
      const [before, first] = [way[cut - 1], way[cut]]
      if (before === undefined || first === undefined) continue
      forget(before.name, first.name)
      for (const { name } of way.splice(cut)) depth.delete(name)
    }
  }
  return { order, notWaitedFor }
}

type Link = { name: string; isParent: boolean }

/** Lists an item's parent and dependencies, last one first: they are taken from the end. */
function linksOf(nodes: ReadonlyMap<string, Node>, name: string): Link[] {
  const { parent = null, waitsFor = [] } = nodes.get(name) ?? {}
  const waits = waitsFor.filter((other) => nodes.has(other)).toReversed()
  return [
    ...waits.map((other) => ({ name: other, isParent: false })),
    ...(parent !== null && nodes.has(parent) ? [{ name: parent, isParent: true }] : []),
  ]
}

export function circularParents(nodes: ReadonlyMap<string, Pick<Node, "parent">>): Set<string> {
  const cut = new Set<string>()
  const seenFrom = new Map<string, string>()
  for (const start of nodes.keys()) {
    for (let name: string | null = start; name !== null && nodes.has(name); ) {
      const seen = seenFrom.get(name)
      if (seen === start) cut.add(name)
      if (seen !== undefined) break
      seenFrom.set(name, start)
      name = nodes.get(name)?.parent ?? null
    }
  }
  return cut
}

/** Makes names unique: a repeated name becomes `name#2`, `name#3`… */
export function freeNames(): (name: string) => string {
  const given = new Map<string, number>()
  return (name) => {
    const times = (given.get(name) ?? 0) + 1
    given.set(name, times)
    return times === 1 ? name : `${name}#${times}`
  }
}
