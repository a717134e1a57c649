import * as fc from "fast-check"
import { expect, it } from "vitest"
import { findCycle } from "../../../src/graph/links.ts"
import { circularParents, type Node, orderWork } from "../../../src/migrate/records/dependency-order.ts"

function nodesOf(
  links: readonly { parent: number | null; waitsFor: readonly number[] }[],
): Map<string, Node> {
  const nodes = new Map(
    links.map(({ parent, waitsFor }, at) => [
      String(at),
      { parent: parent === null ? null : String(parent), waitsFor: waitsFor.map(String) },
    ]),
  )
  for (const name of circularParents(nodes))
    nodes.set(name, { parent: null, waitsFor: nodes.get(name)?.waitsFor ?? [] })
  return nodes
}

it("orders tasks so that each link leads backwards, and drops only links of circles", () => {
  const index = fc.nat({ max: 9 })
  const node = fc.record({
    parent: fc.option(index, { freq: 2 }),
    waitsFor: fc.uniqueArray(index, { maxLength: 3 }),
  })
  fc.assert(
    fc.property(fc.array(node, { maxLength: 10 }), (links) => {
      const nodes = nodesOf(links)
      const { order, notWaitedFor } = orderWork(nodes)
      expect([...order].sort()).toEqual([...nodes.keys()].sort())
      const place = new Map(order.map((name, at) => [name, at]))
      const isBehind = (name: string, other: string) => (place.get(other) ?? -1) < (place.get(name) ?? -1)
      for (const [name, { parent, waitsFor }] of nodes) {
        if (parent !== null && nodes.has(parent)) expect(isBehind(name, parent)).toBe(true)
        for (const other of waitsFor)
          if (nodes.has(other) && notWaitedFor.get(name)?.has(other) !== true)
            expect(isBehind(name, other)).toBe(true)
      }
      // Each dropped dependency was part of a circle.
      const before = (name: string) => {
        const { parent, waitsFor } = nodes.get(name) as Node
        return [...waitsFor, ...(parent === null ? [] : [parent])].filter((each) => nodes.has(each))
      }
      for (const [name, others] of notWaitedFor)
        for (const other of others)
          expect(other === name || findCycle(name, (at) => (at === name ? [other] : before(at)))).toBeTruthy()
    }),
    { seed: 1 },
  )
})

it("orders a chain of any length, and a parent that waits for its own part", () => {
  const chain = nodesOf(Array.from({ length: 20_000 }, (_, at) => ({ parent: null, waitsFor: [at + 1] })))
  expect(orderWork(chain).order.slice(0, 2)).toEqual(["19999", "19998"])
  const part = nodesOf([
    { parent: null, waitsFor: [1] },
    { parent: 0, waitsFor: [] },
  ])
  expect(orderWork(part)).toEqual({ order: ["0", "1"], notWaitedFor: new Map([["0", new Set(["1"])]]) })
})
