import { expect, it } from "vitest"
import { headOf, sessionOf } from "../../src/graph/read-head.ts"
import { type Bed, openBed } from "./bed/bed.ts"
import { prefixFigures } from "./bed/prefix.ts"
import { hive, save, update } from "./bed/steps.ts"

it("a fork begins with all that its source has sent, and keeps the task and the intent, also after a restart", async () => {
  await using bed = await openBed({ hive: true })
  const session = await bed.newSession("source")
  const start = hive("session start", { intent: "Add a login page" })
  await bed.prompt(session, "Begin with the login page", start, update("action", "Build the form"))
  await bed.prompt(session, "Remember how forms are checked", save("Forms use zod"))
  await bed.prompt(session, "What is next?")
  const before = bed.model.lastTurn()
  for (const isRestarted of [false, true]) {
    if (isRestarted) await bed.restart()
    const fork = await bed.fork(session)
    await bed.prompt(fork, "And if it were a modal dialog?")
    expect(prefixFigures([before, bed.model.lastTurn()]).kept).toEqual([1])
    await expect.poll(() => placeOf(bed, fork)).toEqual(placeOf(bed, session))
  }
})

function placeOf(bed: Bed, { id }: { id: string }) {
  const head = headOf(bed.state(), id)
  return [sessionOf(bed.state(), id)?.intent, head?.active_plan_id, head?.active_task_ids]
}
