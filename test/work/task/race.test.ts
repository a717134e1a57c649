import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { systemSource } from "../../../src/shared/ids.ts"
import { openFileStore } from "../../../src/store/file-store.ts"
import { lineProcess } from "../../support/line-process.ts"
import { aPhase, aPlan, aTask, by, uuid } from "../../support/records.ts"
import { tempProject } from "../../support/temp-project.ts"

const starter = fileURLToPath(new URL("../../support/task-starter.mjs", import.meta.url))

it("two processes try to start the same task at the same moment, 100 times: one wins each time", async () => {
  const project = await tempProject()
  const store = openFileStore(project, { source: systemSource })
  await store.write(by, (tx) => {
    tx.add("plan", aPlan(1))
    tx.add("phase", aPhase(2, 1))
    for (let n = 0; n < 100; n++) tx.add("task", aTask(100 + n, 1, 2))
  })
  const racers = ["ses_a", "ses_b"].map((session) => lineProcess(starter, project, session))
  for (const each of racers) expect(await each.next()).toBe("ready")
  const wins: number[] = []
  for (let n = 0; n < 100; n++) {
    for (const each of racers) each.go(uuid(100 + n))
    const answers = await Promise.all(racers.map((each) => each.next()))
    expect([...answers].sort()).toEqual(["conflict", "success"])
    wins.push(answers.indexOf("success"))
  }
  const owners = [...store.read().state.task.values()].map(({ assigned_session_id }) => assigned_session_id)
  expect(owners).toEqual(wins.map((who) => (who === 0 ? "ses_a" : "ses_b")))
})
