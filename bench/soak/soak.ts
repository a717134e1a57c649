// npm run soak [-- --turns 60]: three sessions at once in the real OpenCode, with everything on, and what it costs in the end.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { serveDashboard } from "../../src/dashboard/serve.ts"
import { openHiveIn } from "../../src/hive/open.ts"
import { enqueue, outcomeOf } from "../../src/queue/queue.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { syncHive } from "../../src/sync/sync.ts"
import { type Bed, openBed } from "../../test/live/bed/bed.ts"
import type { ModelRequest } from "../../test/live/bed/model-request.ts"
import { call, hive, pause, replied, type StepSource, save, say, update } from "../../test/live/bed/steps.ts"
import { writeReliabilityPage } from "../../test/reliability-page.ts"
import { git } from "../../test/support/git-repo.ts"
import { machineLine } from "../machine.ts"
import { commitHere } from "../results.ts"
import { untrueIn } from "./beliefs.ts"
import { hookTimes, type Moment, measure } from "./measure.ts"
import { renderSoak, type SoakResults } from "./soak-table.ts"

const { values } = parseArgs({ options: { turns: { type: "string", default: "1000" } } })
const TURNS = Number(values.turns)
const ROUNDS = Math.ceil(TURNS / 3)
const share = (part: number) => Math.ceil(ROUNDS * part)
const COMPACTIONS = new Set([share(0.3), share(0.7)])
const KILLS = new Set([0.2, 0.4, 0.6, 0.8].map(share))
const RESEARCH_EVERY = 15
const CHECK_EVERY = 5
const LOSS_EVERY = 10

const OPEN = { source: systemSource, userConfig: null, options: { name: "soak", value: undefined } }

const scratch = mkdtempSync(join(tmpdir(), "hivemind-soak-"))
const times = join(scratch, "times.txt")
writeFileSync(times, "")
const bed = await openBed({
  ownHost: true,
  git: true,
  hive: true,
  plugin: fileURLToPath(new URL("./timed-plugin", import.meta.url)),
  pluginOptions: { sync: "auto" },
  env: { SOAK_TIMES: times },
  files: { "notes.md": "# Notes\n", ".gitignore": "drafts/\n", "clean.sh": 'rm "$1"\n', ...drafts() },
})
try {
  const results = await run(bed)
  writeFileSync(new URL("../soak-results.json", import.meta.url), `${JSON.stringify(results, null, 2)}\n`)
  writeReliabilityPage()
  console.log(renderSoak(results))
  process.exitCode = results.lost + results.untrue + results.files_lost === 0 ? 0 : 1
} finally {
  await bed.close()
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 })
}

async function run({ project, model, state }: Bed): Promise<SoakResults> {
  const remote = join(scratch, "remote.git")
  git(scratch, "init", "-q", "--bare", remote)
  git(project, "remote", "add", "origin", remote)
  const { hive: own } = await openHiveIn(project, OPEN)
  const dashboard = await openDashboard(own)
  const sessions = await Promise.all([0, 1, 2].map((n) => bed.newSession(`soak ${n}`)))
  const acknowledged = new Set<string>()
  const moments: Moment[] = []
  const counts = { compactions: 0, kills: 0, researchers: 0, checks: 0, restores: 0, asked_dashboard: 0 }
  const untrue: string[] = []
  let filesLost = 0
  let turns = 0
  // A sync by the user is what makes later ones automatic.
  await syncHive({ store: own.store, dir: project, remote: "origin", mayBegin: async () => true })

  /** The reply to the save before, as the model reads it: from then on it must not be lost. */
  const noted =
    (next: StepSource): StepSource =>
    (request) => {
      const { status, entity_id } = replied(request)
      if (status === "success" && typeof entity_id === "string") acknowledged.add(entity_id)
      return typeof next === "function" ? next(request) : next
    }
  const steps = (n: number, round: number): StepSource[] => [
    ...(round % 4 === 1 ? [update("action", `Step ${round} of session ${n}`)] : []),
    save(`Soak fact ${n}.${round}: module ${round % 17} keeps its state in file ${round % 5}`, "fact"),
    noted(
      call("write", { filePath: join(project, `src/part-${n}-${round % 20}.ts`), content: `${round}\n` }),
    ),
    call("bash", { command: `mkdir -p drafts && echo ${round} > drafts/${n}.txt`, description: "draft" }),
    say(`Step ${round} is done.`),
  ]

  for (let round = 1; round <= ROUNDS; round++) {
    if (round % RESEARCH_EVERY === 2) {
      counts.researchers++
      model.script(
        { agent: "hive-investigator" },
        save(`Research ${round}: the cause is in module ${round}`, "fact"),
        noted(say("Found.")),
      )
      model.script({ session: idOf(0) }, hive("delegate research", { question: `What is ${round}?` }))
    }
    const isKilled = KILLS.has(round)
    const held = pause()
    for (const [n, { id }] of sessions.entries())
      model.script({ session: id }, ...steps(n, round).slice(0, isKilled ? -1 : undefined))
    if (isKilled) {
      // The last answer of the first session is held back: the others are wherever they are.
      model.script({ session: idOf(0) }, say("Held.", { pause: held }))
      await Promise.all(sessions.map((session) => bed.start(session, `Go on with step ${round}`)))
      await held.reached
      await bed.kill()
      held.release()
      model.reset()
      counts.kills++
      await bed.restart()
    } else {
      await Promise.all(sessions.map((session) => bed.prompt(session, `Go on with step ${round}`)))
    }
    turns += 3
    if (round === 1 || round === share(0.5)) moments.push(measure(project, turns))
    counts.asked_dashboard += await dashboard.ask()
    if (COMPACTIONS.has(round)) {
      await Promise.all(sessions.map((session) => bed.summarize(session)))
      counts.compactions += 3
    }
    if (round % LOSS_EVERY === 0) {
      counts.restores++
      if (!(await losesAndRestores(round))) filesLost++
    }
    if (round % CHECK_EVERY === 0) {
      counts.checks++
      untrue.push(...(await check(round)))
    }
    model.requests.length = 0
    if (round % 10 === 0) console.error(`round ${round} of ${ROUNDS}, ${turns} turns`)
  }
  await own.store.ready()
  moments.push(measure(project, turns))
  await syncHive({ store: own.store, dir: project, remote: "origin", mayBegin: async () => true })
  const { mem } = state()
  const lost = [...acknowledged].filter((id) => !mem.has(id) && !own.store.archive.has(id))
  const differences = await own.store.compareWithLog()
  for (const text of [...lost, ...untrue, ...differences.map(({ text }) => text)]) console.error(text)
  await dashboard.close()
  await own.store.close()
  return {
    commit: commitHere(),
    date: new Date().toISOString().slice(0, 10),
    machine: machineLine(),
    turns,
    ...counts,
    acknowledged: acknowledged.size,
    lost: lost.length + differences.length,
    untrue: untrue.length,
    files_lost: filesLost,
    printed: bed.printed().length,
    moments,
    hooks: hookTimes(times),
  }

  function idOf(n: number): string {
    return sessions[n]?.id ?? ""
  }

  /** A quiet turn: what the first session's model can conclude is compared with the graph, before the turn and at its request. */
  async function check(round: number): Promise<string[]> {
    const session = sessions[0] ?? { id: "" }
    const before = await untrueIn(project, session.id)
    let wrong: string[] = []
    model.script({ session: session.id }, (request: ModelRequest) => {
      wrong = before.compare(request)
      return say("Fine.")
    })
    await bed.prompt(session, "Where are we?")
    turns++
    const after = await untrueIn(project, session.id)
    const still = after.compareLast(model.requests)
    return wrong.filter((each) => still.includes(each)).map((each) => `round ${round}: ${each}`)
  }

  /** A script deletes an ignored file that nobody has committed; a person restores it by the snapshot that the reply names. */
  async function losesAndRestores(round: number): Promise<boolean> {
    const session = sessions[1] ?? { id: "" }
    const path = `drafts/kept-${round}.txt`
    const file = join(project, path)
    let told = ""
    model.script(
      { session: session.id },
      call("bash", { command: `sh clean.sh ${path}`, description: "clean" }),
      (request) => {
        told = request.toolOutputs.join("\n")
        return say("Cleaned.")
      },
    )
    await bed.prompt(session, "Clean the drafts")
    turns++
    const snapshot = /restore (S\d+)/.exec(told)?.[1]
    if (snapshot === undefined) console.error(`no snapshot was named: ${told}`)
    if (snapshot === undefined) return false
    const id = await enqueue(own, "soak", { do: "restore", snapshot, paths: [path] })
    for (let tries = 0; tries < 600 && outcomeOf(own, id) === "waiting"; tries++)
      await new Promise((resolve) => setTimeout(resolve, 100))
    const isBack = existsSync(file) && readFileSync(file, "utf8") === `kept ${round}\n`
    if (!isBack) console.error(`not restored: ${JSON.stringify(outcomeOf(own, id))}`)
    return isBack
  }
}

/** Files of the user that git ignores, from before the sessions: one for each loss. */
function drafts(): Record<string, string> {
  const rounds = Array.from({ length: Math.floor(ROUNDS / LOSS_EVERY) }, (_, n) => (n + 1) * LOSS_EVERY)
  return Object.fromEntries(rounds.map((round) => [`drafts/kept-${round}.txt`, `kept ${round}\n`]))
}

/** As a browser that has the page open: it asks after each round. */
async function openDashboard(own: Awaited<ReturnType<typeof openHiveIn>>["hive"]) {
  const served = await serveDashboard({
    hive: own,
    now: Date.now,
    doctor: async () => ({ checks: [] }),
    onError: (error) => console.error(error),
  })
  const entered = await fetch(served.invite().url, { redirect: "manual" })
  const cookie = entered.headers.get("set-cookie")?.split(";")[0] ?? ""
  const base = `http://127.0.0.1:${served.port}${served.base}`
  return {
    async ask(): Promise<number> {
      const paths = ["now", "memory?q=module", "timeline", "health"]
      for (const path of paths) {
        const { status } = await fetch(`${base}api/${path}`, { headers: { cookie } })
        if (status !== 200) throw new Error(`the dashboard answered ${status} to ${path}`)
      }
      return paths.length
    },
    close: served.close,
  }
}
