import { describe, expect, it } from "vitest"
import { type Played, type Step, sessionPlayer } from "../../support/session-player.ts"
import { bad } from "./bad.ts"
import { moreBad } from "./more-bad.ts"
import { moreOrdinary } from "./more-ordinary.ts"
import { ordinary } from "./ordinary.ts"

/** Plays every session of a list in a project of its own, and says which were warned, and of what. */
async function warnedAmong(sessions: Record<string, readonly Step[]>): Promise<Map<string, string[]>> {
  const warned = new Map<string, string[]>()
  for (const [name, steps] of Object.entries(sessions)) {
    const { play } = await sessionPlayer()
    const { warnings }: Played = await play(steps)
    if (warnings.length > 0) warned.set(name, [...new Set(warnings)])
  }
  return warned
}

function report(what: string, sessions: object, warned: Map<string, string[]>): void {
  const lines = Object.keys(sessions).map((name) => `  ${warned.get(name)?.join(", ") ?? "-"}: ${name}`)
  process.stdout.write(`${what}: ${warned.size} of ${lines.length} warned\n${lines.join("\n")}\n`)
}

describe("detection, measured", () => {
  it("at most one of ten ordinary sessions is warned", async () => {
    const warned = await warnedAmong(ordinary)
    report("ordinary sessions", ordinary, warned)
    expect(Object.keys(ordinary)).toHaveLength(10)
    expect(warned.size).toBeLessThanOrEqual(1)
  }, 120_000)

  it("at least ten of twelve bad sessions are warned", async () => {
    const warned = await warnedAmong(bad)
    report("bad sessions", bad, warned)
    expect(Object.keys(bad)).toHaveLength(12)
    expect(warned.size).toBeGreaterThanOrEqual(10)
  }, 120_000)

  it("of eight more ordinary sessions at most one is", async () => {
    const warned = await warnedAmong(moreOrdinary)
    report("more ordinary sessions", moreOrdinary, warned)
    expect(Object.keys(moreOrdinary)).toHaveLength(8)
    expect(warned.size).toBeLessThanOrEqual(1)
  }, 120_000)

  it("of eight more bad sessions at least seven are", async () => {
    const warned = await warnedAmong(moreBad)
    report("more bad sessions", moreBad, warned)
    expect(Object.keys(moreBad)).toHaveLength(8)
    expect(warned.size).toBeGreaterThanOrEqual(7)
  }, 120_000)
})
