import type { Recalled } from "../../../../src/context/pack/knowledge-items.ts"
import { currentStatus, recordFinder } from "../../../../src/context/turning-points/status.ts"
import { isKnowledge } from "../../../../src/graph/lifecycle.ts"
import { lookupIn } from "../../../../src/graph/obstacles.ts"
import type { FileState } from "../../../../src/project/document/file-status.ts"
import { type Anchor, type Mem, readEvidence } from "../../../../src/schemas/knowledge.ts"
import type { Plan } from "../../../../src/schemas/plan.ts"
import type { Trajectory, TurningPoint } from "../../../../src/schemas/session.ts"
import type { Task } from "../../../../src/schemas/task.ts"
import { acknowledgedSeverity } from "../../../../src/watch/warnings.ts"
import { graphOf } from "../../../support/graph.ts"
import { inARow } from "../../../support/session-metrics.ts"

export const SESSION = "ses_1"
const HASHES = ["0a0a0a0a", "1b1b1b1b", "2c2c2c2c"]
const NO_FILE = { file: null, line: null }
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
  function change<T extends { id: string }>(
    records: Map<string, T>,
    to: (record: T) => Partial<T>,
    isMeant: (record: T) => boolean = () => true,
  ): void {
    const record = pick([...records.values()].filter(isMeant))
    if (record !== undefined) records.set(record.id, { ...record, ...to(record) })
  }
  const { state } = g
  const setTask = (to: Partial<Task>) => change(state.task, () => to)
  const times = (most: number) => Math.floor(random() * most)
  const fact = (to: Partial<Mem> = {}) =>
    g.mem(`Fact ${random()}`, { stale_at: null, origin_task_id: pick(tasks()).id, ...to })

  const changes: Readonly<Record<string, () => void>> = {
    "status of a task": () => setTask({ status: pick(STATUSES) }),
    "start of the task at hand": () =>
      change(
        state.task,
        () => ({ status: "active" as const }),
        ({ id }) => head.active_task_ids.includes(id),
      ),
    "title of a task": () => setTask({ title: `Task ${random()}` }),
    assignee: () => setTask({ assigned_to: pick([null, "hive-executor", "hive-tester"]) }),
    "file of a task": () =>
      setTask(pick([NO_FILE, { file: "src/a.ts", line: null }, { file: "src/a.ts", line: 7 }])),
    "terms of a task": () =>
      setTask(
        pick<Partial<Task>>([
          { verify: pick([null, "npm test", "npm run lint"]) },
          { file_locks: some(["src/a.ts", "src/b.ts"], 2) },
          { expected_output: `Output ${random()}` },
          { ahead: random() < 0.5 },
          { reason: pick([null, `It broke ${random()}`]) },
        ]),
      ),
    dependencies: () => setTask({ depends_on: some(tasks(), 2).map(({ id }) => id) }),
    gate: () =>
      setTask({
        temporal_gate: pick([null, { after_task_id: pick(tasks()).id, reason: `because ${random()}` }]),
      }),
    "words of a plan": () =>
      change(state.plan, () =>
        pick<Partial<Plan>>([
          { title: `Plan ${random()}` },
          { acceptance: some([`it works ${random()}`], 1) },
        ]),
      ),
    "status of a plan": () => change(state.plan, () => ({ status: pick(["active", "completed"] as const) })),
    "dependencies of a plan": () =>
      change(state.plan, (plan) => ({
        depends_on: pick([[], plans.flatMap(({ id }) => (id === plan.id ? [] : [id]))]),
      })),
    "edit of a document": () => {
      const sections = HEADINGS.filter(() => random() < 0.4)
      edited.set(pick([...edited.keys()]), pick([undefined, sections, sections]))
    },
    "title of a phase": () => change(state.phase, () => ({ title: `Phase ${random()}` })),
    "status of a phase": () =>
      change(state.phase, () => ({ status: pick(["active", "completed"] as const) })),
    "new conflict": () => {
      const task = pick(tasks())
      const created_at = new Date(Date.parse(task.created_at) + random() * 1e6).toISOString()
      const fields = pick([{ status: task.status }, { assigned_to: task.assigned_to }])
      const lost = { fields: { title: `Other title ${random()}` }, writer: null }
      g.conflict(task, { rule: "same_field", kept: { fields, writer: null }, lost, created_at })
    },
    "title of a task in conflict": () => {
      const disputed = new Set(Array.from(state.conflict.values(), ({ record_id }) => record_id))
      change(
        state.task,
        () => ({ title: `Disputed ${random()}` }),
        ({ id }) => disputed.has(id),
      )
    },
    "status of a conflict": () =>
      change(state.conflict, () => ({ status: pick(["settled", "open"] as const) })),
    signals: () => {
      const rows = inARow({
        failed_steps: times(25),
        same_calls: times(20),
        cancels: times(4),
        stuck_words: times(15),
      })
      state.metrics.set(SESSION, { id: SESSION, compactions: 0, ...rows })
    },
    "acknowledged signals": () =>
      change(state.metrics, ({ registers }) => ({
        registers: { ...registers, [acknowledgedSeverity("failures")]: pick(["low", "medium", "high"]) },
      })),
    "new turning point": () => {
      const done = [...state.plan.values(), ...state.phase.values(), ...tasks()]
      const [kind, records] = pick([
        ["decision", [...mems(), ...state.anchor.values()]],
        ["direction", done],
        ["abandoned", [...mems(), ...tasks()]],
        ["milestone", done],
      ] as const)
      const find = recordFinder(lookupIn(state), archive)
      const points = records.flatMap(({ id }) => {
        const status = currentStatus({ kind, about: id }, find)
        return status === undefined ? [] : [{ at: g.at(0), kind, about: id, text: status.text }]
      })
      if (points.length > 0) turns = [...turns, pick(points)].slice(-12)
    },
    "fewer turning points": () => {
      turns = turns.filter(() => random() < 0.7)
    },
    "move to a task": () => {
      const { id, parent_plan_id, parent_phase_id } = pick(tasks())
      head = {
        ...head,
        active_plan_id: parent_plan_id,
        active_phase_id: parent_phase_id,
        active_task_ids: [id],
        intent_about: head.intent_about ?? parent_plan_id,
      }
    },
    "leave the plan": () => {
      head = { ...head, active_plan_id: null, active_phase_id: null, active_task_ids: [] }
    },
    intent: () => {
      head = { ...head, intent: `Goal ${random()}`, intent_about: pick([null, head.active_plan_id]) }
    },
    "open decision": () => {
      const { id } = fact({ kind: "decision", resolved: false })
      setTask({ decisions: [id, ...some(open(), 1).map((mem) => mem.id)] })
    },
    "taken decision": () =>
      change(
        state.mem,
        () => ({ resolved: true }),
        ({ resolved }) => resolved === false,
      ),
    "replaced decision": () => {
      const question = pick(open())
      if (question === undefined) return
      fact({ kind: "decision", resolved: true, supersedes: question.id })
      state.mem.set(question.id, { ...question, status: "superseded" })
    },
    fact: () => void fact(),
    "fact about a file": () => {
      const path = pick([...files.keys()])
      fact({ evidence: [`${path}@${files.get(path)}`] })
    },
    "content of a file": () => void files.set(pick([...files.keys()]), pick(HASHES)),
    "words of a mem": () => change(state.mem, () => ({ content: `Said anew ${random()}` })),
    "fate of a mem": () =>
      change(state.mem, () =>
        pick<Partial<Mem>>([
          { kind: "false_path", reason: "it broke" },
          { status: "superseded" },
          { status: "invalidated" },
          { status: "active", kind: "fact" },
        ]),
      ),
    archive: () => {
      const mem = pick(mems().filter(isKnowledge))
      if (mem === undefined) return
      state.mem.delete(mem.id)
      archive.set(mem.id, mem)
    },
    "replace an archived mem": () => {
      const mem = pick([...archive.values()])
      if (mem !== undefined) fact({ supersedes: mem.id })
    },
    "fate of an archived mem": () =>
      change(archive, () => ({ status: pick(["invalidated", "active"] as const) })),
    "bring back an archived mem": () => {
      const mem = pick([...archive.values()])
      if (mem === undefined) return
      archive.delete(mem.id)
      state.mem.set(mem.id, { ...mem, kind: "false_path", reason: "it broke later" })
    },
    recall: () => {
      const known = [...mems(), ...archive.values()]
      recalled = [
        ...some(known, Math.min(3, known.length)).map((mem) => ({ mem, reason: "your words" })),
        ...some(tasks(), 2).map((task) => ({ task, reason: "your words" })),
      ]
    },
    "new anchor": () =>
      void g.anchor(`KEY-${times(1e6)}`, `value ${random()}`, {
        priority: pick(["critical", "medium", "low"] as const),
      }),
    "fate of an anchor": () =>
      change(state.anchor, () =>
        pick<Partial<Anchor>>([
          { status: "active" },
          { status: "removed" },
          { type: "decision" },
          { priority: pick(["critical", "low"] as const) },
          { value: `now ${random()}` },
        ]),
      ),
    "new delegation": () => void g.delegation(pick(tasks()), "hive-executor"),
    "fate of a delegation": () =>
      change(state.delegation, () => ({
        status: pick(["assigned", "running", "returned", "recalled"] as const),
      })),
    checkpoint: () => {
      const task = state.task.get(head.active_task_ids[0] ?? "")
      const test = { files: [], command: "npm test", did: ["test" as const] }
      if (task !== undefined) g.checkpoint(task, pick([{ files: [`f${random()}`] }, test]))
    },
  }
  return {
    state: g.state,
    archive,
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
    turningPoints: () => turns,
    change: () => pick(Object.values(changes))(),
    takeRecalled: () => recalled.splice(0),
  }
}
