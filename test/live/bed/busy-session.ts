import { systemSource } from "../../../src/shared/ids.ts"
import { stampOf } from "../../../src/shared/stamp.ts"
import { openFileStore } from "../../../src/store/file-store.ts"
import type { ScriptedModel } from "./scripted-model.ts"
import { call, type Step, say } from "./steps.ts"

/** A turn of three tool steps in which the graph changes: another process finishes a task and sets an anchor, then the model starts the next task and saves mems. */
export async function busyTurn<T>(bed: Driven<T>, session: { id: string }, turn: number): Promise<T> {
  await changeFromOutside(bed.project, turn)
  bed.model.script(
    call("hivemind_session", { action: "update", level: "action", content: `Step ${turn} of the work` }),
    call("hivemind_memory", {
      action: "save",
      content: `Finding ${turn}: the cause is in module ${turn}`,
      kind: "fact",
    }),
    bed.does?.read("notes.md") ?? call("read", { filePath: `${bed.project}/notes.md` }),
    say(`Turn ${turn} is done. ${"It went as planned. ".repeat(5)}`),
  )
  return bed.prompt(
    session,
    `Please go on with step ${turn} of the plan, and tell me what you found on the way. ${"Mind the tests. ".repeat(3)}`,
  )
}

interface Driven<T> {
  project: string
  model: ScriptedModel
  prompt: (session: { id: string }, text: string) => Promise<T>
  does?: { read: (path: string) => Step }
}

async function changeFromOutside(project: string, turn: number): Promise<void> {
  const store = openFileStore(project, { source: systemSource })
  const now = Date.now()
  const at = new Date(now).toISOString()
  await store.write({ tool: "test", session: null, agent: null }, (tx) => {
    const active = [...tx.all("task")].filter(({ status }) => status === "active")
    for (const task of active)
      tx.set("task", task.id, { status: "completed", completed_at: at, updated_at: at })
    tx.add("anchor", {
      id: systemSource.newId(),
      key: `RULE_${turn}`,
      value: `Rule ${turn} holds from now on`,
      priority: turn % 3 === 0 ? "critical" : "medium",
      type: "decision",
      status: "active",
      session_id: null,
      related_to: [],
      created_at: at,
      updated_at: at,
      stamp: stampOf(now),
    })
  })
  await store.close()
}
