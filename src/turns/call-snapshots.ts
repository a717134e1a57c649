import type { GateCall } from "../gate/call.ts"
import type { UserWork } from "../gate/destructive.ts"
import { firstSession } from "../graph/conversation.ts"
import { currentTask } from "../graph/current-task.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { Hive } from "../hive/hive.ts"
import { findRepository } from "../shared/git-folders.ts"
import { createQueue } from "../shared/queue.ts"
import { maskSecrets } from "../shared/secrets/mask.ts"
import { shorten } from "../shared/text/clean.ts"
import { withTimeout } from "../shared/timeout.ts"
import {
  type CapturedWorktree,
  captureWorktree,
  detectChanges,
  NO_CHANGES,
  type WorktreeChanges,
} from "../snapshots/detect-changes.ts"
import { hiveSnapshots } from "../snapshots/hive-snapshots.ts"
import type { Loss } from "../snapshots/loss.ts"
import { type EndedCall, type SnapshotRecord, snapshotId } from "../snapshots/records.ts"
import type { SessionStart } from "../snapshots/session-start.ts"
import type { Snapshots } from "../snapshots/snapshots.ts"
import type { WorktreeState } from "../snapshots/worktree-state.ts"
import type { Log } from "../store/files/log-file.ts"

export interface CallChanges {
  changed: string[]
  /** Uncommitted files and commits from before the session that are gone. */
  lost: (Loss & { snapshot: string }) | null
}

/** Takes a snapshot before and after each call that may change files, as a command does not name all of them. Never rejects. */
export function callSnapshots(log: Log, tell: (message: string) => void) {
  const queue = createQueue()
  const underWay = new Map<string, CallUnderWay>()
  const turns = new Map<string, string>()
  const warned = new Set<string>()
  /** A capture is a snapshot, or only a scan if no snapshot is possible. Each is compared with the last of its kind. */
  let lastSnapshot: CapturedWorktree | undefined
  let lastScan: CapturedWorktree | undefined
  let capturedAt = 0
  let unclaimed: string[] = []
  let begun = 0
  let isLate = false
  let beginning: Promise<void> = Promise.resolve()
  let pruning: Promise<void> | undefined

  /** Captures run one at a time, because each one finds the changes since the previous one. */
  function capture(opened: Hive): Promise<Captured> {
    return queue.run(async () => {
      const since = capturedAt
      capturedAt = opened.source.now()
      const fresh = await captureWorktree(opened)
      const last = "state" in fresh ? lastSnapshot : lastScan
      const changes = last === undefined ? NO_CHANGES : await detectChanges(opened, last, fresh)
      if ("state" in fresh) lastSnapshot = fresh
      else lastScan = fresh
      return { now: fresh, last, changes, since }
    })
  }

  function prune(opened: Hive): void {
    pruning ??= safely(() => hiveSnapshots(opened).prune(), undefined).finally(() => {
      pruning = undefined
    })
  }

  /** Undefined if the capture fails or takes too long. The next capture then finds the changes. */
  async function captureInTime(opened: Hive, session: string) {
    // Do not wait again while a slow capture is still running.
    if (isLate) return undefined
    try {
      const capturing = capture(opened)
      const found = await withTimeout(capturing, opened.config.snapshots.seconds * 1000)
      if (!found.timedOut) return found.value
      isLate = true
      capturing
        .then(({ changes }) => leaveUnclaimed(changes.changed))
        .catch((error: unknown) => log("error", FAILED, error))
        .finally(() => {
          isLate = false
        })
      warn(session, `a snapshot took more than ${opened.config.snapshots.seconds} seconds`)
    } catch (error) {
      log("error", FAILED, error)
      warn(session, error instanceof Error ? error.message : String(error))
    }
    return undefined
  }

  /** How many running calls may write. A subagent's calls count, the call that waits for the subagent does not. */
  function writers(): number {
    return [...underWay.values()].filter(({ call }) => call.use !== "delegate").length
  }

  function warn(session: string, why: string): void {
    if (warned.has(session)) return
    warned.add(session)
    log("info", `calls of ${session} are not covered by snapshots: ${why}`)
    tell(`HiveMind: snapshots do not work in this session, so its changes cannot be restored: ${why}.`)
  }

  /** True if another running call names the file, or another session has recorded a change of it since. */
  function isOtherCalls(opened: Hive, session: string, path: string, since: number): boolean {
    for (const { named } of underWay.values()) if (named.has(path)) return true
    const { state } = opened.store.read()
    for (const { session_id, created_at } of state.checkpoint.by("wrote", path).backwards())
      return session_id !== session && Date.parse(created_at) > since
    return false
  }

  // Not `push(...changed)`, which throws for a very long list.
  function leaveUnclaimed(changed: readonly string[]): void {
    unclaimed = [...unclaimed, ...changed]
  }

  function claim(opened: Hive, session: string, changed: readonly string[], since: number): string[] {
    const all = [...new Set([...unclaimed, ...changed])]
    unclaimed = []
    return all.filter((path) => !isOtherCalls(opened, session, path, since))
  }

  async function record(opened: Hive, call: GateCall, now: CapturedWorktree) {
    if (!("state" in now)) return void warn(call.session, now.whyNoSnapshot)
    const { state } = opened.store.read()
    const { top, snapshots } = await withSessionStart(opened, call.session, now.state)
    const note = {
      session: call.session,
      turn: turns.get(top) ?? null,
      tool: call.tool,
      command: call.command === null ? null : shorten(maskSecrets(call.command.text), 500),
      task: currentTask(state, call.session)?.id ?? null,
    }
    return snapshots.begin(note, now.state, writers() > 1)
  }

  async function withSessionStart(opened: Hive, session: string, state: WorktreeState) {
    const snapshots = hiveSnapshots(opened)
    const top = firstSessionOf(opened, session)
    if (snapshots.sessionStart(top) === undefined) await snapshots.saveSessionStart(top, state)
    return { top, snapshots }
  }

  async function findLoss(opened: Hive, call: GateCall, ended: EndedCall) {
    if (effectOf(call) === "named") return null
    const snapshots = hiveSnapshots(opened)
    const start = snapshots.sessionStart(firstSessionOf(opened, call.session))
    if (start === undefined) return null
    const named = [...underWay.values()].flatMap((each) => [...each.named])
    const written = new Set(named.map((path) => snapshots.fromTop(path)))
    const loss = await snapshots.loss(start, ended, written)
    const isNone = Object.values(loss).every((lost) => lost.length === 0)
    return isNone ? null : { ...loss, snapshot: snapshotId(ended) }
  }

  async function endCall(opened: Hive, call: GateCall, begin: CallUnderWay | undefined) {
    const found = await captureInTime(opened, call.session)
    if (found === undefined) return NOTHING
    const { changes, since } = found
    const isNamed = effectOf(call) === "named"
    if (isNamed) leaveUnclaimed(changes.changed.filter((path) => !call.writes.includes(path)))
    const changed = isNamed ? [] : claim(opened, call.session, changes.changed, since)
    return { changed, lost: await keepEnd(opened, call, begin, found) }
  }

  /** Saves the state after a call. If the snapshot before the call failed, the last earlier one is used. */
  async function keepEnd(opened: Hive, call: GateCall, begin: CallUnderWay | undefined, found: Captured) {
    const { now, last } = found
    if (begin === undefined || !("state" in now)) return null
    const isLate = begin.record === undefined
    const before = begin.record ?? (last && (await record(opened, call, last)))
    if (before === undefined) return null
    const isOverlapped = isLate || before.isOverlapped || writers() > 0 || begin.number !== begun
    const ended = await hiveSnapshots(opened).end(before, now.state, isOverlapped)
    prune(opened)
    return ended === undefined ? null : findLoss(opened, call, ended)
  }

  async function safely<T>(job: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await job()
    } catch (error) {
      log("error", FAILED, error)
      return otherwise
    }
  }

  return {
    async idle(): Promise<void> {
      await Promise.all([beginning, queue.idle(), pruning])
    },
    async begin(opened: Hive, call: GateCall): Promise<void> {
      const effect = effectOf(call)
      if (effect === "none" || !isWatched(opened)) return
      const named = new Set(effect === "named" ? call.writes : [])
      const begin: CallUnderWay = { call, named, number: ++begun, record: undefined }
      underWay.set(call.id, begin)
      await safely(async () => {
        const found = await captureInTime(opened, call.session)
        if (found === undefined) return
        leaveUnclaimed(found.changes.changed)
        begin.record = await record(opened, call, found.now)
      }, undefined)
    },
    atRisk: (opened: Hive, { id, session }: GateCall): Promise<UserWork> =>
      safely(async () => {
        const before = underWay.get(id)?.record?.before
        const start = before && hiveSnapshots(opened).sessionStart(firstSessionOf(opened, session))
        return before === undefined || start === undefined
          ? NOT_COVERED
          : unchangedUserWork(hiveSnapshots(opened), start, before)
      }, NOT_COVERED),
    async end(opened: Hive, call: GateCall): Promise<CallChanges> {
      const begin = underWay.get(call.id)
      underWay.delete(call.id)
      const isSeen = effectOf(call) !== "none" && isWatched(opened)
      return isSeen ? safely(() => endCall(opened, call, begin), NOTHING) : NOTHING
    },
    async failed(opened: Hive, id: string): Promise<CallChanges["lost"]> {
      const begin = underWay.get(id)
      underWay.delete(id)
      if (begin === undefined) return null
      return safely(async () => {
        const found = await captureInTime(opened, begin.call.session)
        if (found === undefined) return null
        leaveUnclaimed(found.changes.changed)
        return keepEnd(opened, begin.call, begin, found)
      }, null)
    },
    refused(opened: Hive, id: string): void {
      const before = underWay.get(id)?.record
      underWay.delete(id)
      if (before !== undefined) void safely(async () => hiveSnapshots(opened).drop(before), undefined)
    },
    watchWriters(): () => boolean {
      const before = begun
      const isAlone = writers() <= 1
      return () => isAlone && begun === before
    },
    /** Finds the changes after the last call of a turn. */
    async turnEnded(opened: Hive, session: string): Promise<string[]> {
      for (const [id, { call }] of underWay) if (call.session === session) underWay.delete(id)
      // While another session's call runs, the end of that call reports the changes.
      if (underWay.size > 0 || (lastSnapshot ?? lastScan) === undefined || !isWatched(opened)) return []
      return safely(async () => {
        const found = await captureInTime(opened, session)
        return found === undefined ? [] : claim(opened, session, found.changes.changed, found.since)
      }, [])
    },
    /** Called at a user's message. Changes since the last turn are the user's, unless a call is still running. */
    async turnBegins(opened: Hive, session: string): Promise<void> {
      turns.set(firstSessionOf(opened, session), new Date(opened.source.now()).toISOString())
      if (underWay.size > 0 || !isWatched(opened)) return
      beginning = safely(async () => {
        const { now } = await capture(opened)
        unclaimed = []
        if (!("state" in now)) return
        await withSessionStart(opened, session, now.state)
        prune(opened)
      }, undefined)
      await beginning
    },
  }
}

export type CallSnapshots = ReturnType<typeof callSnapshots>

interface CallUnderWay {
  call: GateCall
  named: ReadonlySet<string>
  number: number
  record: SnapshotRecord | undefined
}

interface Captured {
  now: CapturedWorktree
  last: CapturedWorktree | undefined
  changes: WorktreeChanges
  since: number
}

function firstSessionOf({ store }: Hive, session: string): string {
  return firstSession((host) => sessionOf(store.read().state, host), session)
}

/** Without a hive and without git there is no place for snapshots. */
function isWatched({ store, config, dir }: Hive): boolean {
  return store.isThere() || config.governance === "strict" || findRepository(dir) !== undefined
}

/** What a call may do to files: nothing, change the files that it names, or change unknown files. */
export function effectOf({ use, own, command, shell }: GateCall): "none" | "named" | "unknown" {
  if (command !== null) return shell?.kind === "read" && shell.writes.length === 0 ? "none" : "unknown"
  // Completing a task may run its check, which may write any file.
  if (own !== null) return own.tool === "task" && own.args["action"] === "complete" ? "unknown" : "none"
  if (use === "write") return "named"
  return use === "delegate" || use === "other" ? "unknown" : "none"
}

async function unchangedUserWork(snapshots: Snapshots, start: SessionStart, now: WorktreeState) {
  const changes = await snapshots.changes(start.state, now)
  const inProject = (paths: readonly string[]) =>
    new Set(paths.flatMap((path) => (changes.has(path) ? [] : (snapshots.projectPath(path) ?? []))))
  const stashes = new Set(now.repository?.stashes.map(({ commit }) => commit))
  return {
    isCovered: true,
    usersFiles: inProject(Object.keys(start.uncommitted)),
    untracked: inProject([...start.untracked, ...start.ignored]),
    ignored: inProject(start.ignored),
    leftOut: now.leftOut.flatMap(({ path }) => snapshots.projectPath(path)?.replace(/\/$/, "") ?? []),
    hasUsersStash: start.state.repository?.stashes.some(({ commit }) => stashes.has(commit)) ?? false,
  }
}

const NOT_COVERED: UserWork = { isCovered: false, usersFiles: new Set(), leftOut: [], hasUsersStash: false }
const NOTHING: CallChanges = { changed: [], lost: null }
const FAILED = "could not take a snapshot"
