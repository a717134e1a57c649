import { execSync } from "node:child_process"
import { defaultConfig } from "../../src/schemas/config.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { snapshotsIn } from "../../src/snapshots/hive-snapshots.ts"
import type { SnapshotRecord } from "../../src/snapshots/records.ts"
import type { CallNote } from "../../src/snapshots/snapshots.ts"
import { GIT_ENV } from "./git-repo.ts"

/** Runs a command between two snapshots, as the host's hooks do. Throws where it changed nothing. */
export async function aroundCommand(
  dir: string,
  command: string,
  { isOverlapped = false, ...note }: Partial<CallNote> & { isOverlapped?: boolean } = {},
): Promise<SnapshotRecord> {
  const snapshots = snapshotsIn({ dir, config: defaultConfig, source: systemSource })
  const call = { session: "ses_one", turn: null, tool: "bash", command, task: null, ...note }
  const begun = snapshots.begin(call, await snapshots.take(), isOverlapped)
  execSync(command, { cwd: dir, stdio: "pipe", env: { ...process.env, ...GIT_ENV } })
  const ended = await snapshots.end(begun, await snapshots.take(), isOverlapped)
  if (ended === undefined) throw new Error(`nothing was changed by ${command}`)
  return ended
}
