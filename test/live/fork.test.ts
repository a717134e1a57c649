import { expect, it } from "vitest"
import { headOf, sessionOf } from "../../src/graph/read-head.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { openBed } from "./bed/bed.ts"
import { prefixFigures } from "./bed/prefix.ts"
import { hive, save, say, update } from "./bed/steps.ts"

it("a fork begins with all that its source has sent, and keeps the task and the intent, also after a restart", async () => {
  await using bed = await openBed({ hive: true })
  const session = await bed.newSession("source")
  bed.model.script(
    hive("session start", { intent: "Add a login page" }),
    update("action", "Build the form"),
    say("begun"),
  )
  await bed.prompt(session, "Begin with the login page")
  bed.model.script(save("Forms use zod"), say("saved"))
  await bed.prompt(session, "Remember how forms are checked")
  await bed.prompt(session, "What is next?")
  const before = bed.model.lastTurn()
  for (const isRestarted of [false, true]) {
    if (isRestarted) await bed.restart()
    const { data: fork } = await bed.client.session.fork({ path: { id: session.id }, body: {} })
    if (fork === undefined) throw new Error("no fork")
    await bed.prompt(fork, "And if it were a modal dialog?")
    expect(prefixFigures([before, bed.model.lastTurn()]).kept).toEqual([1])
    await expect.poll(() => state(bed.project, fork.id)).toEqual(state(bed.project, session.id))
  }
})

function state(project: string, session: string) {
  const { state } = openFileStore(project, { source: systemSource }).read()
  const head = headOf(state, session)
  return {
    intent: sessionOf(state, session)?.intent,
    plan: head?.active_plan_id,
    tasks: head?.active_task_ids,
  }
}
