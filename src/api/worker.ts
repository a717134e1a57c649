import { isActiveSession } from "../graph/lifecycle.ts"
import { sessionOf } from "../graph/read-head.ts"
import { authorOf, type Caller, type Hive } from "../hive/hive.ts"
import { closeSession } from "../work/session/close.ts"
import { HOST_PROCESS, THIS_PROCESS } from "../work/session/host-process.ts"

/** Who plans and works for a program: a session of its own, unless the program names one. */
export interface Worker {
  caller: Caller & { session: string }
  /** Waits for a write, and notes that its session lives in this process: it is `left` once that has ended. */
  noted: <T>(write: Promise<T>) => Promise<T>
  /** Closes the session where it is the program's own. */
  end: () => Promise<void>
}

export function workerOf(hive: Hive, caller: Caller): Worker {
  const isOwn = caller.session === null
  const session = caller.session ?? `api-${hive.source.newId()}`
  const worker = { ...caller, session }
  let isNoted = !isOwn
  return {
    caller: worker,
    async noted(write) {
      const result = await write
      if (!isNoted) {
        isNoted = true
        await hive.store.append(authorOf(worker), (tx) => tx.register(session, HOST_PROCESS, THIS_PROCESS))
      }
      return result
    },
    async end() {
      const record = isOwn ? sessionOf(hive.store.read().state, session) : undefined
      if (record !== undefined && isActiveSession(record)) await closeSession(hive, worker)
    },
  }
}
