import { resolve } from "node:path"
import { currentTask } from "../../graph/current-task.ts"
import type { Caller, Hive } from "../../hive/hive.ts"
import type { Task } from "../../schemas/task.ts"
import { forgetOldest } from "../../shared/once-each.ts"
import { maskSecrets } from "../../shared/secrets/mask.ts"
import { shorten } from "../../shared/text/clean.ts"
import { type CapturedWorktree, captureWorktree, detectChanges } from "../../snapshots/detect-changes.ts"
import { keptPlaces, knownPlaces, otherChanges, writtenPlaces } from "./check-products.ts"
import { recordCheckpoint } from "./checkpoint.ts"

/** A command that an agent runs with its host's own shell. */
export interface ShellCall {
  id: string
  session: string
  command: string
  /** Where it runs. */
  cwd: string
}

/**
 * Where HiveMind may run nothing, an agent runs its task's check itself. Such a run counts if it is the check to the letter, in
 * the project's folder, with an exit that tells, on files that nobody else changed meanwhile. What a check writes itself is
 * known from its second run on.
 */
export function observedChecks() {
  const underWay = new Map<string, Seen>()

  return {
    async begin(hive: Hive, { id, session, command, cwd }: ShellCall): Promise<void> {
      const task = currentTask(hive.store.read().state, session)
      if (task?.verify == null || command.trim() !== task.verify.trim()) return
      if (resolve(hive.dir, cwd) !== resolve(hive.dir)) return
      const { hasTellingExit } = await import("./telling-exit.ts") // Its parser is no part of a host's start.
      if (!hasTellingExit(command)) return
      underWay.set(id, { task, verify: task.verify, before: await captureWorktree(hive) })
      if (underWay.size > MAX_UNDER_WAY) forgetOldest(underWay)
    },
    async end(hive: Hive, caller: Caller, id: string, exit: number | null, output: string): Promise<void> {
      const seen = underWay.get(id)
      underWay.delete(id)
      if (seen === undefined || exit === null) return
      const { task, verify, before } = seen
      const changes = await detectChanges(hive, before, await captureWorktree(hive))
      const own = knownPlaces(hive.store.read().state, verify)
      const others = otherChanges(changes, own)
      await recordCheckpoint(hive, caller, task, {
        tool: caller.tool,
        summary: `verify: ${shorten(verify, 120)}${exit === 0 ? "" : " (failed)"}`,
        files: [],
        command: verify,
        did: ["verify"],
        run: {
          tree: others.length > 0 ? null : (before.fingerprint ?? null),
          exit,
          output: maskSecrets(output).slice(-MAX_OUTPUT),
          changed: keptPlaces(writtenPlaces(changes)),
        },
        ok: exit === 0,
      })
    },
  }
}

interface Seen {
  task: Task
  verify: string
  before: CapturedWorktree
}

const MAX_UNDER_WAY = 100
const MAX_OUTPUT = 2000
