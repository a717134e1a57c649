import { anAnchor } from "../../support/records.ts"
import { writeIn } from "../../support/state-in.ts"
import { read, type Step, type StepSource, save, say, update } from "./steps.ts"

/** A turn of three tool steps. Before it, another process finishes a task and sets an anchor. */
export async function busyTurn<T>(bed: Driven<T>, session: { id: string }, turn: number): Promise<T> {
  await changeFromOutside(bed.project, turn)
  return bed.prompt(
    session,
    `Please go on with step ${turn} of the plan, and tell me what you found on the way. ${"Mind the tests. ".repeat(3)}`,
    update("action", `Step ${turn} of the work`),
    save(`Finding ${turn}: the cause is in module ${turn}`, "fact"),
    bed.does?.read("notes.md") ?? read(`${bed.project}/notes.md`),
    say(`Turn ${turn} is done. ${"It went as planned. ".repeat(5)}`),
  )
}

interface Driven<T> {
  project: string
  prompt: (session: { id: string }, text: string, ...steps: StepSource[]) => Promise<T>
  does?: { read: (path: string) => Step }
}

async function changeFromOutside(project: string, turn: number): Promise<void> {
  const at = new Date().toISOString()
  await writeIn(project, (tx) => {
    const active = [...tx.all("task")].filter(({ status }) => status === "active")
    for (const task of active)
      tx.set("task", task.id, { status: "completed", completed_at: at, updated_at: at })
    const priority = turn % 3 === 0 ? "critical" : "medium"
    const rule = { key: `RULE_${turn}`, value: `Rule ${turn} holds from now on`, type: "decision" } as const
    tx.add("anchor", anAnchor(turn, { ...rule, priority, created_at: at, updated_at: at }))
  })
}
