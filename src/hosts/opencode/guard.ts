import type { Log } from "../../store/files/log-file.ts"

/**
 * Wraps a hook so that nothing it throws reaches the host, where it would end the user's turn. The error goes to the
 * log, and the host goes on as if the hook were not there.
 */
export function guarded<A extends unknown[]>(
  name: string,
  log: Log,
  hook: (...args: A) => Promise<void> | void,
): (...args: A) => Promise<void> {
  return async (...args) => {
    try {
      await hook(...args)
    } catch (error) {
      log("error", `hook ${name} failed`, error)
    }
  }
}
