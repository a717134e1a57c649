import { saveMem } from "../../src/knowledge/memory/save.ts"
import { defaultConfig } from "../../src/schemas/config.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { stampOf } from "../../src/shared/stamp.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { usageFile } from "../../src/store/files/usage-file.ts"
import { updateSession } from "../../src/work/focus/update.ts"
import { type HostVersion, openHostBed } from "../../test/live/bed/host-bed.ts"
import type { ModelRequest } from "../../test/live/bed/model-request.ts"
import type { ScratchOptions } from "../../test/live/bed/scratch.ts"
import { say } from "../../test/live/bed/steps.ts"

/** The same conversation for every contender; the graph changes in every turn, from another process. Returns what the model was sent. */
export async function converse(
  options: ScratchOptions,
  turns: number,
  host: HostVersion,
): Promise<ModelRequest[]> {
  const files = {
    "notes.md": "A line of a file that is read again and again in this conversation.\n".repeat(60),
  }
  await using bed = await openHostBed(host, { ownHost: true, files, ...options })
  const session = await bed.newSession("bench")
  for (let turn = 1; turn <= turns; turn++) {
    await changeGraph(bed.project, session.id, turn)
    const read = bed.does.read("notes.md")
    bed.model.script(read, read, read, say(`Turn ${turn} is done. ${"It went as planned. ".repeat(10)}`))
    await bed.prompt(
      session,
      `Please go on with step ${turn} of the plan, and tell me what you found on the way.`,
    )
  }
  return bed.model.requests.filter(({ kind }) => kind === "turn")
}

/** The last task is completed, the next one started, a mem saved and an anchor set. */
async function changeGraph(project: string, session: string, turn: number): Promise<void> {
  const store = openFileStore(project, { source: systemSource })
  const hive = {
    home: project,
    dir: project,
    branch: () => null,
    endSession: async () => {},
    startSession: async () => "ses_new",
    usage: usageFile(hivePaths(project)),
    store,
    source: systemSource,
    config: defaultConfig,
  }
  const caller = { session, agent: "build", tool: "bench" }
  const now = Date.now()
  const at = new Date(now).toISOString()
  await store.write({ tool: "bench", session, agent: null }, (tx) => {
    for (const task of [...tx.all("task")].filter(({ status }) => status === "active")) {
      tx.set("task", task.id, { status: "completed", completed_at: at, updated_at: at })
    }
    const record = {
      id: systemSource.newId(),
      key: `RULE_${turn}`,
      value: `Rule ${turn} holds from now on`,
      related_to: [],
    }
    const rest = {
      priority: "medium",
      type: "decision",
      status: "active",
      session_id: session,
    } as const
    tx.add("anchor", { ...record, ...rest, created_at: at, updated_at: at, stamp: stampOf(now) })
  })
  await updateSession(hive, caller, { level: "action", content: `Step ${turn} of the work` })
  await saveMem(hive, caller, { content: `Finding ${turn}: the cause is in module ${turn}`, kind: "fact" })
  await store.close()
}
