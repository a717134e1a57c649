import { unmetItems } from "../context/inject/decide.ts"
import { createInjector, NOT_PACKED } from "../context/inject/injector.ts"
import { currentTask } from "../graph/current-task.ts"
import { headOf, sessionOf } from "../graph/read-head.ts"
import type { Hive } from "../hive/hive.ts"
import { locateHive } from "../hive/locate.ts"
import { evidenceCheck } from "../knowledge/memory/evidence.ts"
import { openWithLegacyFiles } from "../migrate/open-with-legacy.ts"
import { foreignFilesOf } from "../project/document/check-files.ts"
import { fileStatusLookup } from "../project/document/file-status.ts"
import { realPath } from "../project/project-path.ts"
import { defaultConfig } from "../schemas/config.ts"
import type { RefusedCall } from "../schemas/refusal.ts"
import type { ErrorCode } from "../shared/error.ts"
import { BoundedMap, onceEach, type Source, systemSource } from "../shared/ids.ts"
import { withTimeout } from "../shared/timeout.ts"
import { hivePaths } from "../store/files/layout.ts"
import { injectedTextFile, openLog, refusalFile } from "../store/files/log-file.ts"
import { restoredText, restoreIfGone } from "../sync/restore.ts"
import { tools } from "../tools/index.ts"
import { errorReply } from "../tools/tool.ts"
import { afterCall } from "../turns/after-call.ts"
import { agentChecks, beforeCall, type PassedCalls, refusedCall } from "../turns/before-call.ts"
import { betweenTurns } from "../turns/between-turns.ts"
import { callSnapshots } from "../turns/call-snapshots.ts"
import { callsOnly } from "../turns/calls-only.ts"
import { changeNotes } from "../turns/change-notes.ts"
import { codeMapRefresh } from "../turns/code-map-refresh.ts"
import { beforeCompaction } from "../turns/compaction.ts"
import { queueRunner } from "../turns/queue-runner.ts"
import { migrateAtStart } from "../turns/session-start.ts"
import { sessionSplits } from "../turns/split.ts"
import { recordUnclaimedChanges } from "../turns/turn-end.ts"
import { MORE_HINT, PROTOCOL, turnTranscript } from "../turns/turn-transcript.ts"
import { lastMessages, sessionParents, userMessage } from "../turns/user-message.ts"
import { createValidation } from "../watch/validation.ts"
import { resumeSession } from "../work/session/session.ts"
import { endUnplannedLeft } from "../work/session/unplanned.ts"
import type { HiveMind, Host } from "./port.ts"

export function connect(host: Host, source: Source = systemSource): HiveMind {
  const { directory, userConfig, conversations, isConfig: isHostConfig } = host
  const place = locateHive(directory)
  const paths = hivePaths(place.home)
  let config = defaultConfig
  const { log } = openLog(paths, source.now, () => config.log_level)
  const logError = (what: string) => (error: unknown) => log("error", what, error)
  const toast = (message: string) => void host.toast(message).catch(logError("could not show toast"))

  let opened: Promise<Hive> | undefined
  const openOnce = () => {
    // If opening fails, the next call tries again: the user may have repaired the cause.
    opened ??= open().catch((error: unknown) => {
      opened = undefined
      throw error
    })
    return opened
  }
  const hive = async () => {
    const ours = await openOnce()
    // Catch up on other processes' writes first, in slices that leave the event loop free.
    await ours.store.ready()
    return ours
  }
  async function open(): Promise<Hive> {
    const { hive: fresh, configProblems } = await openWithLegacyFiles(place, {
      source,
      userConfig,
      options: { name: "the plugin's options", value: host.options },
      onBackgroundError: logError("fold failed"),
      host,
      onResearch: (started) => between.researchStarted(started),
    })
    const restored = await restoreDeleted(fresh)
    if (restored?.config === true) {
      await fresh.store.close()
      return open()
    }
    config = fresh.config
    fresh.pastSessions = async () => {
      // Imported only when needed, because OpenCode's start waits until the plugin is loaded.
      const { agentFolders, pastSessionsOffer } = await import("../history/find-sessions.ts")
      return pastSessionsOffer(place, agentFolders(process.env, host.home), fresh.store.read().state)
    }
    for (const problem of configProblems) log("error", `config: ${problem}`)
    return fresh
  }
  async function restoreDeleted(fresh: Hive) {
    const restored = await restoreIfGone(fresh).catch(logError("could not restore .hivemind/"))
    if (!restored) return undefined
    log("info", restoredText(restored))
    toast(`HiveMind: ${restoredText(restored)}`)
    return restored
  }

  const agents = new Map<string, string>()
  const agentOf = (session: string) => agents.get(session) ?? null
  const steps = new Map<string, string>()
  const stepOf = (session: string) => steps.get(session) ?? null
  const calls: PassedCalls = new BoundedMap()
  const parents = sessionParents(host.parentOf)
  const messages = lastMessages()
  const transcript = turnTranscript(injectedTextFile(paths), source.now)
  const refusals = refusalFile(paths)
  const onRefusal = (refused: RefusedCall) => refusals.add(refused)

  const foreignFiles = foreignFilesOf(fileStatusLookup(place.dir))
  const files = foreignFiles.look
  const map = codeMapRefresh({ hive, log })
  const tree = callSnapshots(log, toast)
  const notes = changeNotes(host.toast, log)
  const recordChanges = recordUnclaimedChanges({ hive, tree, changeNotes: notes })
  const isFirstTime = onceEach()
  const injector = createInjector({
    paths,
    evidence: evidenceCheck(place.dir, files),
    files,
    code: map.look,
    more: MORE_HINT,
    onFork(session, from) {
      const caller = { session, agent: agentOf(session), tool: "fork" }
      const resumed = hive().then((ours) => resumeSession(ours, caller, from))
      resumed.catch((error: unknown) => log("info", `the fork of ${from} starts without its plan`, error))
    },
    onError(what, error) {
      log("error", what, error)
      // Only this error is also shown, because without the state HiveMind is of no use in the turn.
      if (what === NOT_PACKED && isFirstTime(what)) toast(`HiveMind: ${what}`)
    },
  })
  const validate = createValidation(files, (session) => injector.injections(session).length, foreignFiles)

  const splits = sessionSplits({ ...injector, hive, conversations, toast: host.toast, log })
  const between = betweenTurns({ ...host, hive, log, stepOf, validate, tree, changeNotes: notes, splits })
  const migrate = migrateAtStart({ hive, log, toast: host.toast })
  const queue = queueRunner({ hive, paths, log })
  const checks = agentChecks({ hive, directory, log })
  const askCompaction = beforeCompaction({ ...host, hive, log })
  const onUserMessage = userMessage({
    ...{ hive, parents, agentOf, tree, log },
    lastMessages: messages,
    hintAt: injector.hintAt,
    toast: host.toast,
  })
  const settings = { isHostConfig, userConfig: userConfig === null ? null : realPath(userConfig) }
  const judge = beforeCall(
    {
      ...{ hive, place, directory, userHome: host.home, settings, onRefusal, log, tree },
      lastMessages: messages,
    },
    calls,
  )
  const noteCall = afterCall({
    ...{ hive, calls, agentOf, stepOf, tree },
    ...{ injections: injector.injections, changeNotes: notes },
    onChange: map.wanted,
  })
  let isAwake = false

  return {
    protocol: PROTOCOL,
    tools,
    async runTool(tool, caller, args) {
      try {
        let unpermitted: string | null = null
        async function mayRun(command: string, cwd: string): Promise<void> {
          unpermitted = command
          await caller.running.mayRun(command, cwd)
          unpermitted = null
        }
        const running = { ...caller.running, mayRun, watchWriters: tree.watchWriters }
        const ours = await hive()
        migrate()
        const reply = await tool.execute(ours, { ...caller, running }, args)
        transcript.reply(caller.session, tool.name, reply)
        if (reply.status === "error" && GOVERNS.has(reply.code)) {
          const task = currentTask(ours.store.read().state, caller.session)?.id ?? null
          const call = { ...caller, tool: tool.name, files: [], command: unpermitted, task }
          const permission = unpermitted !== null && ({ needs_permission: true } as const)
          onRefusal(refusedCall({ ...call, ...permission }, reply, source.now()))
        }
        return reply
      } catch (error) {
        return errorReply(error) // The hive could not be opened.
      }
    },
    agentOf,
    learnParent: parents.learn,
    async onUserMessage(message) {
      const { session, agent, text } = message
      if (splits.isMaking(session)) return
      splits.onUserMessage(session)
      if (!isAwake) {
        between.processStarted()
        map.begin()
      }
      isAwake = true
      agents.set(session, agent)
      between.sessionAsked(session, text)
      await queue.beforeTurn()
      migrate()
      // Recall runs in parallel with the other steps, which mostly wait for the disk.
      const recalled = injector.beginRecall(await hive(), session, text)
      await Promise.all([onUserMessage(message), withTimeout(recalled, 150)])
    },
    async inject(session, seen, model) {
      const recalled = await injector.recalledFor(await hive(), session, seen)
      // `hive` again reads what other processes have written, because recall takes time.
      return injector.inject(await hive(), session, seen, model, recalled)
    },
    async beforeCall(call) {
      const refusal = await judge(call)
      if (refusal === undefined) await checks.begin(call)
      else transcript.refusal(call.session, call.tool, refusal)
      return refusal
    },
    async afterCall(result) {
      const after = await noteCall(result)
      await checks.end(result)
      transcript.after(result.session, result.tool, after)
      return after
    },
    async beforeCompaction(session, isPromptTaken) {
      // After a split the work goes on in another session, so this compaction is not needed.
      if (await splits.isBeforeCompaction(session))
        await host.endSession(session).catch(logError("a compaction after a split could not be stopped"))
      const request = await askCompaction(session, isPromptTaken)
      if (request !== undefined) transcript.compaction(session, request)
      return request
    },
    async unmet(session) {
      const { config, store } = await hive()
      if (config.governance === "off") return []
      const { state } = store.read()
      const stamp = sessionOf(state, session)?.stamp
      return unmetItems(state, headOf(state, session), config.commit_after_files, stamp)
    },
    between: {
      ...between,
      turnEnded(session) {
        splits.onIdle(session)
        between.turnEnded(session)
      },
      answerBegun(session, message) {
        steps.set(session, message)
        between.answerBegun(session, message)
      },
    },
    callsOnly: callsOnly({ hive, injector, tree, recordUnclaimedChanges: recordChanges }),
    hive,
    mayRunUnasked: async () => (await openOnce()).config.run_commands === "allow",
    log,
    async close() {
      map.close()
      queue.close()
      // `opencode run` closes right after its answer: wait for the session file and the export.
      if (opened !== undefined) await withTimeout(between.idle(), 5000)
      const ours = await opened
      // Ends the tasks that collect unplanned work of this process's sessions. A session that is opened again gets a new one.
      if (ours?.store.isThere() === true && agents.size > 0)
        await endUnplannedLeft(
          ours,
          { session: null, agent: null, tool: "host end" },
          new Set(agents.keys()),
        ).catch(logError("inbox tasks were not ended"))
      await withTimeout(tree.idle(), CLOSE_MS)
      await ours?.store.close()
    },
  }
}

// A tool's refusals with these codes are recorded; errors such as wrong arguments are not.
const GOVERNS: ReadonlySet<string> = new Set<ErrorCode>([
  "lifecycle",
  "conflict",
  "not_allowed",
  "protected",
  "depth",
  "circle",
])
// The first snapshot of a project may take longer. It can be interrupted safely.
const CLOSE_MS = 2000
