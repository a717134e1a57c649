import { decideInjection } from "../../../../src/context/inject/decide.ts"
import { packedWarnings } from "../../../../src/context/inject/packed-warnings.ts"
import type { Injection } from "../../../../src/context/inject/record.ts"
import { defaultConfig } from "../../../../src/schemas/config.ts"
import { HOUR_MS } from "../../../../src/shared/time.ts"
import { randomFrom } from "../../../store/faults/random.ts"
import { T0 } from "../../../support/records.ts"
import { beliefsFrom } from "./beliefs.ts"
import { untruths } from "./compare.ts"
import { randomWorld, SESSION } from "./world.ts"

/** Plays a session over a graph that changes at random before every message. Returns the turns on which something was untrue. */
export function playSession(
  seed: number,
  turns: number,
  isCut = false,
  budget = 6000,
  isScoped = false,
): string[] {
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
        warnings: packedWarnings(
          { config: defaultConfig },
          { state: world.state, problems: [] },
          SESSION,
          visible,
          now,
        ),
      },
      commitAfterFiles: COMMIT_AFTER_FILES,
    })
    visible.push(injection)
    const beliefs = beliefsFrom(visible.flatMap(({ parts }) => parts))
    for (const key of beliefs.keys()) believed.add(key.split(" ")[0] ?? "")
    const told = { now, isScoped, session: SESSION, detection, commitAfterFiles: COMMIT_AFTER_FILES }
    const wrong = untruths(beliefs, { ...world, head: world.head(), ...told })
    if (wrong.length > 0) untrue.push(`seed ${seed}, turn ${turn} (${injection.kind}): ${wrong.join("; ")}`)
  }
  return untrue
}

export const believed = new Set<string>()
const { detection } = defaultConfig
const COMMIT_AFTER_FILES = 5
