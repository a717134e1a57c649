import type { ToolCall } from "../../gate/call.ts"
import type { Log } from "../../store/files/log-file.ts"
import type { HiveMind } from "../port.ts"
import type { HostCall } from "./calls.ts"
import { changesPlugins } from "./own-entry.ts"

/** Logs a hook's errors, because an error that reaches the host would end the user's turn. */
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

/** The reason why the gate refuses a call; undefined if the call may run or if HiveMind itself fails. */
export async function refusalOf(
  { beforeCall, log }: Pick<HiveMind, "beforeCall" | "log">,
  directory: string,
  read: () => { host: Pick<HostCall, "tool" | "args">; call: ToolCall },
): Promise<string | undefined> {
  try {
    const { host, call } = read()
    const changesLoading =
      call.use === "write" && (await changesPlugins(host.tool, host.args, directory).catch(() => false))
    return await beforeCall({ ...call, changesLoading })
  } catch (error) {
    log("error", "the gate failed; the call was let through", error)
    return undefined
  }
}
