import { vi } from "vitest"
import type { Hive } from "../../../src/hive/hive.ts"
import { eventReader } from "../../../src/hosts/opencode/events.ts"
import { openCodePlugin } from "../../../src/hosts/opencode/plugin.ts"
import { betweenTurns, type TurnInput } from "../../../src/turns/between-turns.ts"
import { sessionSplits } from "../../../src/turns/split.ts"
import { streakLength } from "../../../src/watch/session-metrics.ts"
import { memoryHive } from "../../support/hive.ts"
import { callSteps } from "../../support/tree.ts"

export function pluginIn(project: string) {
  const client = { config: { providers: async () => ({ data: { providers: [] } }) } }
  return openCodePlugin({ directory: project, worktree: project, client } as never, undefined)
}

export function readerOn(input: Partial<TurnInput> = {}, compacting = new Set<string>()) {
  const between = betweenTurns({
    hive: async () => memoryHive(),
    log: vi.fn(),
    toast: async () => {},
    lastAnswer: async () => "",
    lastSummary: async () => "",
    lastAnswers: async () => [],
    validate: async () => [],
    splits: sessionSplits({
      hive: async () => memoryHive(),
      conversations: undefined,
      toast: async () => {},
      log: () => {},
      keyframe: () => raise(),
      noteTold: () => {},
    }),
    ...callSteps(),
    ...input,
  })
  return eventReader(
    { between, learnParent: () => {} },
    compacting,
    () => undefined,
    async () => {},
  )
}

function raise(): never {
  throw new Error("nothing is split here")
}

/** Steps run one after another from the next turn of the event loop on; on a hive in memory none waits for anything else. */
export async function stepsDone(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

export function rowsOf(hive: Hive, session: string): Record<(typeof ROWS)[number], number> {
  const { counts = {}, registers = {} } = hive.store.read().state.metrics.get(session) ?? {}
  const length = (row: (typeof ROWS)[number]) => streakLength({ counts, registers }, row)
  return {
    failed_steps: length("failed_steps"),
    cancels: length("cancels"),
    same_calls: length("same_calls"),
  }
}

const ROWS = ["failed_steps", "cancels", "same_calls"] as const
