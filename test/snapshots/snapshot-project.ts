import { spawnSync } from "node:child_process"
import { lstatSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Loss } from "../../src/snapshots/loss.ts"
import type { EndedCall, SnapshotRecord } from "../../src/snapshots/records.ts"
import { openSnapshots, type SnapshotSettings, type Snapshots } from "../../src/snapshots/snapshots.ts"
import { DEFAULT_LIMITS } from "../../src/snapshots/take-snapshot.ts"
import { carryOut, planRestore, type RestoreOptions } from "../../src/work/restore/restore.ts"
import { GIT_ENV, gitRepo } from "../support/git-repo.ts"
import { tempProject } from "../support/temp-project.ts"

const SETTINGS: SnapshotSettings = { ...DEFAULT_LIMITS, keepDays: 14, maxBytes: 1 << 30 }
export const NO_LOSS: Loss = { deleted: [], overwritten: [], notRestorable: [], commits: [] }
export const CALL = { session: "ses_1", turn: "1", tool: "bash", command: "x", task: null }

export async function snapshotProject(files: Record<string, string> = { "a.txt": "a\n", "b.txt": "b\n" }) {
  const dir = join(await tempProject(), "project")
  gitRepo(dir, { ".gitignore": ".env\n*.sqlite\n", ...files })
  return around(dir)
}

export function around(dir: string, settings: Partial<SnapshotSettings> = {}, now = Date.now) {
  const snapshots = openSnapshots(dir, () => ({ ...SETTINGS, ...settings }), now)
  const project = {
    dir,
    snapshots,
    path: (name: string) => join(dir, name),
    read: (name: string) => readFileSync(join(dir, name), "utf8"),
    write(name: string, text: string | Buffer) {
      mkdirSync(dirname(join(dir, name)), { recursive: true })
      writeFileSync(join(dir, name), text)
    },
    sh: (command: string) => shell(dir, command),
    /** Runs a shell command as a tool call. Throws if the command changed no file. */
    async call(command: string, more: Partial<typeof CALL> = {}): Promise<EndedCall> {
      const record = snapshots.begin({ ...CALL, command, ...more }, await snapshots.take(), false)
      shell(dir, command)
      const ended = await snapshots.end(record, await snapshots.take(), false)
      if (ended === undefined) throw new Error(`${command} changed nothing`)
      return ended
    },
    plan: (id: string, options: RestoreOptions) => planRestore(snapshots, id, options),
    restore: (record: Pick<SnapshotRecord, "number">, options: RestoreOptions & { force?: boolean } = {}) =>
      restoreFrom(snapshots, record.number, options),
    async loss(command: string, written: readonly string[] = []) {
      const before = await snapshots.take()
      const start = await snapshots.saveSessionStart("ses_1", before)
      const record = snapshots.begin({ ...CALL, command }, before, false)
      shell(dir, command)
      const ended = await snapshots.end(record, await snapshots.take(), false)
      return ended === undefined ? NO_LOSS : snapshots.loss(start, ended, new Set(written))
    },
  }
  return project
}

async function restoreFrom(
  snapshots: Snapshots,
  number: number,
  options: RestoreOptions & { force?: boolean },
) {
  const plan = await planRestore(snapshots, `S${number}`, options)
  return { plan, ...(await carryOut(snapshots, plan, { ...CALL, ...options })) }
}

export function shell(dir: string, command: string): string {
  const env = { ...process.env, ...GIT_ENV }
  const { status, stdout, stderr } = spawnSync("bash", ["-c", command], { cwd: dir, encoding: "utf8", env })
  if (status !== 0) throw new Error(`${command}: ${stderr}`)
  return stdout.trimEnd()
}

export function fileAt(path: string): string | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return undefined
  if (stat.isSymbolicLink()) return `link ${readlinkSync(path)}`
  return `${(stat.mode & 0o777).toString(8)} ${readFileSync(path, "latin1")}`
}
