import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { kinds } from "../../src/schemas/records.ts"
import { signalNames } from "../../src/schemas/signals.ts"
import { metricsOf, streakLength } from "../../src/watch/session-metrics.ts"
import { toldSignals } from "../../src/watch/signals.ts"
import { trials } from "../support/effort.ts"
import { type Bed, openBed } from "./bed/bed.ts"
import { busyTurn } from "./bed/busy-session.ts"
import { injectedState, injectedTexts } from "./bed/injected-state.ts"
import { prefixFigures } from "./bed/prefix.ts"
import { bash, call, pause, read, say, write } from "./bed/steps.ts"

const files = { "notes.md": "Some notes.\n".repeat(20) }

it("three turns in a row that the user stops raise the alert once; it changes no mode, and fades when a turn ends well", async () => {
  await using bed = await openBed({ files, hive: true })
  const session = await bed.newSession("s")
  for (const row of [1, 2, 3]) {
    await stoppedTurn(bed, session, row)
    await expect.poll(() => counts(bed, session)).toMatchObject({ cancelsInRow: row })
    expect(warningsIn(newest(bed))).toEqual([])
  }
  await stoppedTurn(bed, session, 4)
  expect(warningsIn(newest(bed))).toEqual(["cancels high"])
  await expect.poll(() => counts(bed, session)).toMatchObject({ cancelsInRow: 4 })

  const file = join(bed.project, "a.txt")
  await bed.prompt(session, LONG, write(file))
  expect(newest(bed)).not.toContain("cancels")
  expect(existsSync(file)).toBe(true)

  await expect.poll(() => counts(bed, session)).toMatchObject({ cancelsInRow: 0 })
  await bed.prompt(session, LONG)
  expect(newest(bed)).toContain('<was what="warning" id="cancels" status="gone"/>')
  await bed.prompt(session, LONG)
  expect(newest(bed)).not.toContain("cancels")
  expect(JSON.stringify(bed.model.lastTurn().body).match(/<warning id=..cancels/g)).toHaveLength(1)
  expect(bed.printed()).toBe("")
})

it("tools that go on failing raise the warning during the turn, in the output of a tool, once", async () => {
  await using bed = await openBed({ files, hive: true })
  const session = await bed.newSession("s")
  const failing = Array.from({ length: 10 }, (_, n) => bash(`echo try ${n}; exit 1`))
  const { toolCalls } = await bed.prompt(session, LONG, ...failing)
  const warned = toolCalls.map(({ output }) => warningsIn(output ?? ""))
  expect(warned).toEqual(failing.map((_, n) => (n === 7 ? ["failures high"] : [])))
  await bed.prompt(session, LONG)
  expect(newest(bed)).not.toContain("<warning")
  expect(new Set(prefixFigures(bed.model.turns()).kept)).toEqual(new Set([1]))
})

it("killed with -9 in mid-turn, and the session continued: counters, state and frozen injections are as before", async () => {
  await using bed = await openBed({ files, hive: true })
  const session = await bed.newSession("s")
  await busyTurn(bed, session, 1)
  await bed.prompt(session, LONG, ...Array(4).fill(read("missing.md")))
  await expect.poll(() => counts(bed, session)).toMatchObject({ failuresInRow: 4 })
  const held = pause()
  bed.model.script(write("a.txt"), bash("exit 3"), say("Thinking", { pause: held }))
  await bed.start(session, LONG)
  await held.reached
  const before = {
    counts: counts(bed, session),
    graph: kinds.map((kind) => bed.all(kind)),
    injected: await bed.readHive(`state/injected/${session.id}.jsonl`),
    texts: injectedTexts(bed.model.lastTurn()),
    told: injectedState(bed.model.lastTurn()),
  }
  expect(before.counts).toMatchObject({ failuresInRow: 1, failures: 5 })
  expect(before.told.get("warning failures")).toContain('severity="medium"')
  await bed.kill()
  held.release()
  await bed.restart()
  expect(counts(bed, session)).toEqual(before.counts)
  expect(kinds.map((kind) => bed.all(kind))).toEqual(before.graph)
  await bed.prompt(session, LONG)
  expect((await bed.readHive(`state/injected/${session.id}.jsonl`)).startsWith(before.injected)).toBe(true)
  expect(injectedTexts(bed.model.lastTurn()).slice(0, before.texts.length)).toEqual(before.texts)
  // A warning that ended meanwhile is told as ended.
  expect(newest(bed)).toContain('<was what="warning" id="failures" status="gone"/>')
})

const TURNS = trials(3, 12)

it("with every warning on, each request still begins with the whole one before it", async () => {
  const detection = Object.fromEntries(signalNames.map((name) => [name, 1]))
  const pluginOptions = { detection: { ...detection, silence_hours: 1e-7, cooldown_minutes: 0 } }
  await using bed = await openBed({ files, hive: true, pluginOptions })
  const session = await bed.newSession("s")
  const toAndFro = ["a", "b", "a"].map((content) => write("a.txt", content))
  const again = call("bash", { command: "npm test", description: "Let me try again" })
  await bed.prompt(session, `That is wrong. ${LONG}`, ...toAndFro, again)
  for (const row of [1, 2]) {
    await stoppedTurn(bed, session, row)
    await expect.poll(() => counts(bed, session)).toMatchObject({ cancelsInRow: row })
  }
  for (let turn = 1; turn <= TURNS; turn++) expect((await busyTurn(bed, session, turn)).error).toBeUndefined()
  // With a task at hand: a busy turn begins with one finished.
  await bed.prompt(session, LONG, bash("exit 2"))
  await bed.prompt(session, LONG)

  const kept = prefixFigures(bed.model.turns()).kept
  expect(new Set(kept)).toEqual(new Set([1]))
  expect(kept).toHaveLength(5 + 2 + TURNS * 4 + 2)
  const told = warningsIn(JSON.stringify(bed.model.lastTurn().body))
  expect(new Set(told.map((each) => each.split(" ")[0]))).toEqual(new Set(toldSignals))
  expect(bed.printed()).toBe("")
  expect(await bed.pluginLog()).not.toContain("error")
})

// Long enough not to get a line on where the session stands.
const LONG =
  "Please take the next step of the plan, and tell me in a few words what you have found on the way."

// Unlike each other: a stopped message that is sent again in similar words counts once.
const ORDERS = [
  "Add a search form above the list of orders, with one field for the customer's name and another for the day.",
  "Rename every column that holds money so that its currency can be seen, and update whatever reads those.",
  "Write down how backups work here: where they are stored, who may restore them, which scripts run at night.",
  "Look through our dependencies for ones nobody imports any longer, then remove them from package.json.",
]

async function stoppedTurn(bed: Bed, session: { id: string }, n = 1): Promise<void> {
  const held = pause()
  bed.model.script(say("Let me see", { pause: held }))
  await bed.start(session, ORDERS[n - 1] ?? LONG)
  await held.reached
  await bed.abort(session)
  await bed.waitForEvent("session.idle")
  held.release()
}

function newest(bed: Bed): string {
  return bed.model.lastTurn().user
}

function warningsIn(text: string): string[] {
  return [...text.matchAll(/<warning id=\\?"(\w+)\\?" severity=\\?"(\w+)/g)].map(
    ([, id, severity]) => `${id} ${severity}`,
  )
}

function counts(bed: Bed, session: { id: string }) {
  const state = bed.state()
  const metrics = metricsOf(state, session.id)
  return {
    failures: metrics.counts["tool_failures"] ?? 0,
    failuresInRow: streakLength(metrics, "failed_steps"),
    cancels: metrics.counts["cancels"] ?? 0,
    cancelsInRow: streakLength(metrics, "cancels"),
  }
}
