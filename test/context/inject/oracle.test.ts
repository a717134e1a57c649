import { expect, it } from "vitest"
import { decideInjection } from "../../../src/context/inject/decide.ts"
import { packedWarnings } from "../../../src/context/inject/packed-warnings.ts"
import type { Injection } from "../../../src/context/inject/record.ts"
import { defaultConfig } from "../../../src/schemas/config.ts"
import { HOUR_MS } from "../../../src/shared/time.ts"
import { randomFrom } from "../../store/faults/random.ts"
import { trials } from "../../support/effort.ts"
import { T0 } from "../../support/records.ts"
import { beliefsFrom } from "./oracle/beliefs.ts"
import { checks, untruths } from "./oracle/compare.ts"
import { randomWorld, SESSION } from "./oracle/world.ts"

const GRAPHS = trials(4, 40)

it("150 turns of work: what the model was told is true, and it was told what it has to know", () => {
  expect(live(1, 150)).toEqual([])
})

it(`${GRAPHS} random graphs that others change between the turns, 45 turns each: the same`, () => {
  const wrong = Array.from({ length: GRAPHS }, (_, seed) => live(seed + 100, 45)).flat()
  expect(wrong.length, wrong.slice(0, 10).join("\n")).toBe(0)
})

it("with messages taken back and compactions that keep some of the last ones: the same", () => {
  const wrong = Array.from({ length: GRAPHS }, (_, seed) => live(seed + 500, 45, true)).flat()
  expect(wrong.length, wrong.slice(0, 10).join("\n")).toBe(0)
})

it("in these sessions the model was told of all that there is to tell of", () => {
  expect([...believed].sort()).toEqual(Object.keys(checks).sort())
})

it("in a subagent's block, which is smaller: the same", () => {
  const wrong = Array.from({ length: GRAPHS }, (_, seed) => live(seed + 900, 45, true, 1875, true)).flat()
  expect(wrong.length, wrong.slice(0, 10).join("\n")).toBe(0)
})

/** A session over a graph that changes at random before every message. Returns the turns on which something was untrue. */
function live(seed: number, turns: number, isCut = false, budget = 6000, isScoped = false): string[] {
  const random = randomFrom(seed)
  const world = randomWorld(random)
  let visible: Injection[] = []
  const untrue: string[] = []
  for (let turn = 1; turn <= turns; turn++) {
    for (let n = 0; n < 4; n++) world.change()
    if (isCut && random() < 0.1) visible = visible.slice(0, -Math.ceil(random() * 3))
    if (isCut && random() < 0.05) visible = visible.slice(visible.length - Math.floor(random() * 3))
    const now = T0 + turn * HOUR_MS
    const injection = decideInjection({
      state: world.state,
      head: world.head(),
      message: { id: `msg_${turn}`, text: random() < 0.2 ? "word ".repeat(80) : "Go on" },
      visible,
      isFirst: turn === 1,
      score: visible.at(-1)?.score ?? 0,
      // Now and then enough for a whole state, mostly not.
      conversationTokens: Math.floor(random() ** 4 * 200_000),
      options: {
        now,
        budget,
        isScoped,
        more: "ask",
        recalled: world.takeRecalled(),
        evidence: world.evidence,
        files: world.look,
        archived: (id) => world.archive.get(id),
        archivedCount: world.archive.size,
        turningPoints: world.turningPoints(),
        warnings: packedWarnings({ config }, { state: world.state, problems: [] }, SESSION, visible, now),
      },
      commitAfterFiles: COMMIT_AFTER_FILES,
    })
    visible.push(injection)
    const beliefs = beliefsFrom(visible.flatMap(({ parts }) => parts))
    for (const key of beliefs.keys()) believed.add(key.split(" ")[0] ?? "")
    const { state, archive, evidence } = world
    const wrong = untruths(beliefs, {
      state,
      head: world.head(),
      archive,
      evidence,
      documentOf: world.documentOf,
      now,
      commitAfterFiles: COMMIT_AFTER_FILES,
      isScoped,
      session: SESSION,
      detection: config.detection,
    })
    if (wrong.length > 0) untrue.push(`seed ${seed}, turn ${turn} (${injection.kind}): ${wrong.join("; ")}`)
  }
  return untrue
}

/** Of which kinds anything was believed. */
const believed = new Set<string>()
const config = defaultConfig
const COMMIT_AFTER_FILES = 5
