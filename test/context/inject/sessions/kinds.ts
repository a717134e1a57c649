import { randomFrom } from "../../../store/faults/random.ts"
import { callTool } from "../../../tools/call-tool.ts"
import { scriptedSession } from "./scripted-session.ts"

export type Session = ReturnType<typeof scriptedSession>

/** Short chat about a small plan, with little to do: where anything that is said twice weighs most. */
export async function lightSession(folder: string, turns: number): Promise<Session> {
  const session = scriptedSession(folder)
  const { hive } = session
  const random = randomFrom(7)
  const tasks = await setUp(session, { phases: 2, tasks: 3, mems: 12, anchors: 3 })
  for (let turn = 1; turn <= turns; turn++) {
    if (turn % 7 === 0) await callTool(hive, "memory", { action: "save", content: sentence(random, 14) })
    if (turn % 13 === 0) await nextTask(session, tasks)
    const outputs = turn % 5 === 0 ? [lines(random, 12)] : []
    await session.turn({ user: sentence(random, 4 + (turn % 14)), outputs, answer: sentence(random, 50) })
  }
  return session
}

/** Work on a long plan: tool calls in every turn, a graph that changes with each, long requests, compactions. */
export async function workingSession(folder: string, turns: number): Promise<Session> {
  const session = scriptedSession(folder)
  const { hive } = session
  const random = randomFrom(11)
  const tasks = await setUp(session, { phases: 4, tasks: 12, mems: 80, anchors: 12 })
  for (let turn = 1; turn <= turns; turn++) {
    await callTool(hive, "memory", { action: "save", content: sentence(random, 25) })
    if (turn % 3 === 0) await nextTask(session, tasks)
    if (turn % 10 === 0)
      await callTool(hive, "anchor", { action: "save", key: `K-${turn}`, value: sentence(random, 6) })
    if (turn % 45 === 0) session.compact(sentence(random, 400))
    const outputs = Array.from({ length: 3 }, () => lines(random, 10 + Math.floor(random() * 60)))
    const user = sentence(random, turn % 4 === 0 ? 90 : 5 + (turn % 25))
    await session.turn({ user, outputs, answer: sentence(random, 80) })
  }
  return session
}

async function setUp(
  { hive }: Session,
  size: { phases: number; tasks: number; mems: number; anchors: number },
): Promise<string[]> {
  const random = randomFrom(3)
  const phases = Array.from({ length: size.phases }, (_, n) => `Part ${n + 1}: ${sentence(random, 3)}`)
  await callTool(hive, "session", { action: "start", intent: sentence(random, 12) })
  const plan = await callTool(hive, "plan", {
    action: "create",
    title: sentence(random, 5),
    acceptance: [sentence(random, 8)],
    phases,
  })
  const planned = await callTool(hive, "plan", {
    action: "plan_tasks",
    plan_id: plan.entity_id,
    tasks: phases.flatMap((phase) =>
      Array.from({ length: size.tasks }, () => ({
        title: sentence(random, 6),
        expected_output: sentence(random, 10),
        phase,
      })),
    ),
  })
  for (let n = 0; n < size.mems; n++)
    await callTool(hive, "memory", { action: "save", content: sentence(random, 25) })
  for (let n = 0; n < size.anchors; n++)
    await callTool(hive, "anchor", { action: "save", key: `KEY-${n}`, value: sentence(random, 6) })
  const ids: string[] = planned.tasks.map(({ entity_id }: { entity_id: string }) => entity_id)
  await callTool(hive, "task", { action: "start", task_id: ids[0] })
  return ids
}

async function nextTask({ hive }: Session, tasks: string[]): Promise<void> {
  const done = tasks.shift()
  await callTool(hive, "task", { action: "fail", task_id: done, reason: "it has to wait for the other team" })
  await callTool(hive, "task", { action: "start", task_id: tasks[0] })
}

function lines(random: () => number, count: number): string {
  return Array.from({ length: count }, () => sentence(random, 9)).join("\n")
}

function sentence(random: () => number, words: number): string {
  return Array.from({ length: words }, () => WORDS[Math.floor(random() * WORDS.length)]).join(" ")
}

const WORDS =
  `the a of to and in is for that with build page login session token cookie cache index query table user account
 order invoice payment button form field error message server client request response header route handler test fixture
 branch commit merge review queue worker thread lock retry timeout limit budget report export import parse render style
 theme color layout menu search filter sort page cursor offset batch stream buffer file folder path name value key list
 graph node edge tree plan phase task step rule check gate watch signal warning state record field schema format version`
    .split(/\s+/)
    .filter((word) => word !== "")
