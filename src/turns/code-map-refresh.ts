import type { CodeFactsLookup } from "../schemas/codemap.ts"
import type { TurnInput } from "./between-turns.ts"

/** Keeps the code map fresh while a host runs. A missing map is created after a write, if there is a parser. */
export function codeMapRefresh({ hive, log }: Pick<TurnInput, "hive" | "log">) {
  let look: CodeFactsLookup | undefined
  let timer: NodeJS.Timeout | undefined
  let isAtWork = false
  let isClosed = false
  let mayMake = false
  /** True if another refresh is due, because files may have changed since the running one began. */
  let isBehind = false

  async function renew(): Promise<void> {
    const opened = await hive()
    if (!opened.store.isThere()) return
    const { codeMapOf, hasParser, codeFactsFor } = await import("../project/codemap/answers.ts")
    const map = codeMapOf(opened)
    if (!map.hasFile() && !(mayMake && hasParser(opened.dir))) return
    const renewed = await map.refresh()
    look = codeFactsFor(renewed, await map.graphOf(renewed))
  }

  function soon(): void {
    isBehind = true
    if (isClosed || isAtWork || timer !== undefined) return
    timer = setTimeout(start, 300)
    timer.unref()
  }

  function start(): void {
    timer = undefined
    isAtWork = true
    isBehind = false
    renew()
      .catch((error: unknown) => log("error", "the code map could not be renewed", error))
      .finally(() => {
        isAtWork = false
        if (isBehind) soon()
      })
  }

  return {
    wanted() {
      mayMake = true
      soon()
    },
    begin: soon,
    look: (path: string) => look?.(path),
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
