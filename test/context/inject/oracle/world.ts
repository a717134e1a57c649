import type { Recalled } from "../../../../src/context/pack/knowledge-items.ts"
import { currentStatus, recordFinder } from "../../../../src/context/turning-points/status.ts"
import { isKnowledge } from "../../../../src/graph/lifecycle.ts"
import { lookupIn } from "../../../../src/graph/obstacles.ts"
import type { FileState } from "../../../../src/project/document/file-status.ts"
import { type Mem, readEvidence } from "../../../../src/schemas/knowledge.ts"
import type { Trajectory, TurningPoint } from "../../../../src/schemas/session.ts"
import { acknowledgedSeverity } from "../../../../src/watch/warnings.ts"
import { graphOf } from "../../../support/graph.ts"
import { inARow } from "../../../support/session-metrics.ts"

/** Whose work is watched. */
export const SESSION = "ses_1"

const HASHES = ["0a0a0a0a", "1b1b1b1b", "2c2c2c2c"]
const HEADINGS = ["Goal", "Steps", "Risks"]
const STATUSES = ["planned", "active", "blocked", "review", "completed", "failed", "invalidated"] as const

/** A graph with two plans, an archive, and a session in it. `change` does something to it that others might do. */
export function randomWorld(random: () => number) {
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
  const some = <T>(list: readonly T[], most: number) =>
    Array.from({ length: Math.floor(random() * (most + 1)) }, () => pick(list))
  const g = graphOf()
  const archive = new Map<string, Mem>()
  let recalled: Recalled[] = []
  let turns: TurningPoint[] = []
  /** Their hashes. */
  const files = new Map(["src/a.ts", "src/b.ts", "src/c.ts"].map((path) => [path, pick(HASHES)]))
  const plans = ["Login", "Billing"].map((title) => g.plan(title, { sot_document_path: `docs/${title}.md` }))
  /** Which sections of each plan's document are edited; undefined where the file is gone. */
  const edited = new Map<string, readonly string[] | undefined>(
    plans.map((plan) => [plan.sot_document_path ?? "", []]),
  )
  for (const path of edited.keys())
    g.artifact(path, { hash: "as recorded", sections: HEADINGS.map((heading) => ({ heading, hash: "0" })) })
  const phases = plans.flatMap((plan) => ["API", "Page"].map((title) => g.phase(plan, title)))
  for (const phase of phases) {
    const parent = g.task(phase, `Whole of ${phase.title}`, { reason: null })
    for (let n = 0; n < 7; n++)
      g.task(phase, `Task ${n} of ${phase.title}`, {
        reason: null,
        ...(n < 2 && { parent_task_id: parent.id, type: "sub" as const }),
      })
  }
  // More than are shown, so that some are out of sight.
  for (let n = 0; n < 40; n++) g.anchor(`OLD-${n}`, `value ${n}`, { priority: "low" })
  const tasks = () => [...g.state.task.values()]
  const mems = () => [...g.state.mem.values()]
  const open = () => mems().filter(({ resolved }) => resolved === false)
  let head: Trajectory = {
    ...g.head("Add a login page", plans[0], phases[0], pick(tasks())),
    intent_about: null,
  }
  const setTask = (to: object) => {
    const task = pick(tasks())
    g.state.task.set(task.id, { ...task, ...to })
  }
  const setMem = (mem: Mem | undefined, to: Partial<Mem>) => {
    if (mem !== undefined) g.state.mem.set(mem.id, { ...mem, ...to })
  }
  const times = (most: number) => Math.floor(random() * most)
  const fact = (to: Partial<Mem> = {}) =>
    g.mem(`Fact ${random()}`, { stale_at: null, origin_task_id: pick(tasks()).id, ...to })

  const changes: Readonly<Record<string, () => void>> = {
    status: () => setTask({ status: pick(STATUSES) }),
    "another name": () => setTask({ title: `Task ${random()}` }),
    "somebody else": () => setTask({ assigned_to: pick([null, "hive-executor", "hive-tester"]) }),
    "another place": () =>
      setTask(
        pick([
          { file: null, line: null },
          { file: "src/a.ts", line: pick([null, 7]) },
        ]),
      ),
    "other terms": () =>
      setTask(
        pick([
          { verify: pick([null, "npm test", "npm run lint"]) },
          { file_locks: some(["src/a.ts", "src/b.ts"], 2) },
          { expected_output: `Output ${random()}` },
          { ahead: random() < 0.5 },
          { reason: pick([null, `It broke ${random()}`]) },
        ]),
      ),
    "another name of a plan": () => {
      const plan = pick([...g.state.plan.values()])
      const to = pick([{ title: `Plan ${random()}` }, { acceptance: some([`it works ${random()}`], 1) }])
      g.state.plan.set(plan.id, { ...plan, ...to })
    },
    "an edit of a document": () =>
      void edited.set(
        pick([...edited.keys()]),
        pick([undefined, HEADINGS.filter(() => random() < 0.4), HEADINGS.filter(() => random() < 0.4)]),
      ),
    "another name of a phase": () => {
      const phase = pick([...g.state.phase.values()])
      g.state.phase.set(phase.id, { ...phase, title: `Phase ${random()}` })
    },
    "clones disagree": () => {
      const task = pick(tasks())
      const written = new Date(Date.parse(task.created_at) + random() * 1e6).toISOString()
      const lost = { fields: { title: `Other title ${random()}` }, writer: null }
      const kept = {
        fields: pick([{ status: task.status }, { assigned_to: task.assigned_to }]),
        writer: null,
      }
      g.conflict(task, { rule: "same_field", kept, lost, created_at: written })
    },
    "another name of what they disagree on": () => {
      const task = g.state.task.get(pick([...g.state.conflict.values()])?.record_id ?? "")
      if (task !== undefined) g.state.task.set(task.id, { ...task, title: `Disputed ${random()}` })
    },
    "somebody decides": () => {
      const conflict = pick([...g.state.conflict.values()])
      if (conflict !== undefined)
        g.state.conflict.set(conflict.id, { ...conflict, status: pick(["settled", "open"] as const) })
    },
    "how it goes": () => {
      const rows = inARow({
        failed_steps: times(25),
        same_calls: times(20),
        cancels: times(4),
        stuck_words: times(15),
      })
      g.state.metrics.set(SESSION, { id: SESSION, compactions: 0, ...rows })
    },
    "they know": () => {
      const metrics = g.state.metrics.get(SESSION)
      const registers = {
        ...metrics?.registers,
        [acknowledgedSeverity("failures")]: pick(["low", "medium", "high"]),
      }
      if (metrics !== undefined) g.state.metrics.set(SESSION, { ...metrics, registers })
    },
    "a turn": () => {
      const [kind, records] = pick([
        ["decision", [...g.state.mem.values(), ...g.state.anchor.values()]],
        ["direction", [...g.state.plan.values(), ...g.state.phase.values(), ...tasks()]],
        ["abandoned", [...g.state.mem.values(), ...tasks()]],
        ["milestone", [...g.state.plan.values(), ...g.state.phase.values(), ...tasks()]],
      ] as const)
      const find = recordFinder(lookupIn(g.state), archive)
      const points = records.flatMap(({ id }) => {
        const status = currentStatus({ kind, about: id }, find)
        return status === undefined ? [] : [{ at: g.at(0), kind, about: id, text: status.text }]
      })
      if (points.length > 0) turns = [...turns, pick(points)].slice(-12)
    },
    "less of a turn": () => {
      turns = turns.filter(() => random() < 0.7)
    },
    move() {
      const task = pick(tasks())
      head = {
        ...head,
        active_plan_id: task.parent_plan_id,
        active_phase_id: task.parent_phase_id,
        active_task_ids: [task.id],
        intent_about: head.intent_about ?? task.parent_plan_id,
      }
    },
    "leave the plan": () => {
      head = { ...head, active_plan_id: null, active_phase_id: null, active_task_ids: [] }
    },
    intent() {
      head = { ...head, intent: `Goal ${random()}`, intent_about: pick([null, head.active_plan_id]) }
    },
    plan() {
      const plan = pick([...g.state.plan.values()])
      g.state.plan.set(plan.id, { ...plan, status: pick(["active", "completed"] as const) })
    },
    "what a plan waits for": () => {
      const plan = pick([...g.state.plan.values()])
      const others = plans.filter(({ id }) => id !== plan.id).map(({ id }) => id)
      g.state.plan.set(plan.id, { ...plan, depends_on: pick([[], others]) })
    },
    phase() {
      const phase = pick([...g.state.phase.values()])
      g.state.phase.set(phase.id, { ...phase, status: pick(["active", "completed"] as const) })
    },
    dependencies: () => setTask({ depends_on: some(tasks(), 2).map(({ id }) => id) }),
    gate: () =>
      setTask({
        temporal_gate: pick([null, { after_task_id: pick(tasks()).id, reason: `because ${random()}` }]),
      }),
    "a question": () => {
      const { id } = fact({ kind: "decision", resolved: false })
      setTask({ decisions: [id, ...some(open(), 1).map((mem) => mem.id)] })
    },
    "its answer": () => setMem(pick(open()), { resolved: true }),
    "another answer": () => {
      const question = pick(open())
      if (question === undefined) return
      fact({ kind: "decision", resolved: true, supersedes: question.id })
      setMem(question, { status: "superseded" })
    },
    fact: () => void fact(),
    "a fact of a file": () => {
      const path = pick([...files.keys()])
      fact({ evidence: [`${path}@${files.get(path)}`] })
    },
    "another file": () => void files.set(pick([...files.keys()]), pick(HASHES)),
    "other words": () => setMem(pick(mems()), { content: `Said anew ${random()}` }),
    "fate of a mem": () =>
      setMem(
        pick(mems()),
        pick([
          { kind: "false_path" as const, reason: "it broke" },
          { status: "superseded" as const },
          { status: "invalidated" as const },
          { status: "active" as const, kind: "fact" as const },
        ]),
      ),
    "put away": () => {
      const mem = pick(mems().filter(isKnowledge))
      if (mem === undefined) return
      g.state.mem.delete(mem.id)
      archive.set(mem.id, mem)
    },
    "replace what is away": () => {
      const mem = pick([...archive.values()])
      if (mem !== undefined) fact({ supersedes: mem.id })
    },
    "fate of one that is away": () => {
      const mem = pick([...archive.values()])
      if (mem !== undefined) archive.set(mem.id, { ...mem, status: pick(["invalidated", "active"] as const) })
    },
    "take it back": () => {
      const mem = pick([...archive.values()])
      if (mem === undefined) return
      archive.delete(mem.id)
      g.state.mem.set(mem.id, { ...mem, kind: "false_path", reason: "it broke later" })
    },
    recall() {
      const known = [...mems(), ...archive.values()]
      recalled = [
        ...some(known, Math.min(3, known.length)).map((mem) => ({ mem, reason: "your words" })),
        ...some(tasks(), 2).map((task) => ({ task, reason: "your words" })),
      ]
    },
    anchor: () =>
      void g.anchor(`KEY-${Math.floor(random() * 1e6)}`, `value ${random()}`, {
        priority: pick(["critical", "medium", "low"] as const),
      }),
    "fate of an anchor": () => {
      const anchor = pick([...g.state.anchor.values()])
      if (anchor === undefined) return
      const to = pick([
        { status: "active" as const },
        { status: "removed" as const },
        { type: "decision" as const },
        { priority: pick(["critical", "low"] as const) },
        { value: `now ${random()}` },
      ])
      g.state.anchor.set(anchor.id, { ...anchor, ...to })
    },
    delegation: () => void g.delegation(pick(tasks()), "hive-executor"),
    "fate of a delegation": () => {
      const delegation = pick([...g.state.delegation.values()])
      if (delegation !== undefined)
        g.state.delegation.set(delegation.id, {
          ...delegation,
          status: pick(["assigned", "running", "returned", "recalled"] as const),
        })
    },
    checkpoint() {
      const task = g.state.task.get(head.active_task_ids[0] ?? "")
      if (task !== undefined)
        g.checkpoint(
          task,
          pick([{ files: [`f${random()}`] }, { files: [], command: "npm test", did: ["test" as const] }]),
        )
    },
  }
  return {
    state: g.state,
    archive,
    /** True of evidence whose file is still that. */
    evidence(evidence: string): boolean {
      const { path, hash } = readEvidence(evidence)
      return files.get(path) === hash
    },
    look(path: string): FileState | null | undefined {
      if (!edited.has(path)) return undefined
      const changed = edited.get(path)
      if (changed === undefined) return null
      const sections = HEADINGS.map((heading) => ({ heading, hash: changed.includes(heading) ? "1" : "0" }))
      return { hash: changed.length === 0 ? "as recorded" : changed.join(), sections }
    },
    documentOf(id: string): { path: string; edited: string } {
      const path = g.state.plan.get(id)?.sot_document_path ?? ""
      const changed = edited.get(path)
      return changed === undefined ? { path: "", edited: "" } : { path, edited: changed.join(", ") }
    },
    head: () => head,
    /** What its work has turned on, as its record has it. */
    turningPoints: () => turns,
    change: () => pick(Object.values(changes))(),
    /** What was asked for since the last look. */
    takeRecalled: () => recalled.splice(0),
  }
}
