import { injectedFile, lastInjectedSession } from "../../context/inject/injected-file.ts"
import type { Injection } from "../../context/inject/record.ts"
import type { Hive } from "../../hive/hive.ts"
import { hivePaths } from "../../store/files/layout.ts"

/** A message of the user with what it carried of us. */
export interface Turn extends Injection {
  /** From 1 on, in the order of the session. */
  turn: number
}

/** The session that was last told something; null where none was. */
export function lastToldSession(hive: Hive): string | null {
  return lastInjectedSession(hivePaths(hive.home)) ?? null
}

/** All turns of a session, oldest first. */
export function turnsOf(hive: Hive, session: string | null): Turn[] {
  const records = session === null ? [] : injectedFile(hivePaths(hive.home), session).read()
  return records.map((record, index) => ({ ...record, turn: index + 1 }))
}
