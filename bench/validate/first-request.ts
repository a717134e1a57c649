import { cp } from "node:fs/promises"
import { openBed } from "../../test/live/bed/bed.ts"
import { say } from "../../test/live/bed/steps.ts"

export interface Asking {
  /** A fresh OpenCode, a new session, a prompt: the time in ms until the model is asked. */
  ask: () => Promise<number>
  close: () => Promise<void>
}

/** A real OpenCode on a copy of a project, with the plugin from a folder. */
export async function askingHost(project: string, plugin?: string): Promise<Asking> {
  const bed = await openBed({ ownHost: true, ...(plugin === undefined ? {} : { plugin }) })
  await cp(project, bed.project, { recursive: true })
  return {
    ask: async () => {
      await bed.restart()
      bed.model.reset()
      const asked = new Promise<number>((resolve) => {
        bed.model.script((request) => {
          resolve(performance.now())
          return say(`done with ${request.session}`)
        })
      })
      const started = performance.now()
      const session = await bed.newSession("timed")
      await bed.start(session, "Where are we?")
      const took = (await asked) - started
      await bed.waitForEvent("session.idle")
      return took
    },
    close: bed.close,
  }
}
