import { createInjector, NOT_PACKED } from "../context/inject/injector.ts"
import { currentTask } from "../graph/current-task.ts"
import type { Hive } from "../hive/hive.ts"
import { locateHive } from "../hive/locate.ts"
import { evidenceCheck } from "../knowledge/memory/evidence.ts"
import { openReadingOld } from "../migrate/fallback/open.ts"
import { fileLook } from "../project/document/file-look.ts"
import { realPath } from "../project/project-path.ts"
import { defaultConfig } from "../schemas/config.ts"
import type { RefusedCall } from "../schemas/refusal.ts"
import type { ErrorCode } from "../shared/error.ts"
import { type Source, systemSource } from "../shared/ids.ts"
import { onceEach } from "../shared/once-each.ts"
import { withTimeout } from "../shared/timeout.ts"
import { hivePaths } from "../store/files/layout.ts"
import { openLog } from "../store/files/log-file.ts"
import { refusalFile } from "../store/files/refusal-file.ts"
import { toldFile } from "../store/files/told-file.ts"
import { restoredText, restoreIfGone } from "../sync/restore.ts"
import { tools } from "../tools/index.ts"
import { errorReply } from "../tools/tool.ts"
import { afterCall } from "../turns/after-call.ts"
import { agentChecks } from "../turns/agent-checks.ts"
import { beforeCall, type PassedCalls } from "../turns/before-call.ts"
import { beforeCompaction } from "../turns/before-compaction.ts"
import { betweenTurns } from "../turns/between-turns.ts"
import { callSnapshots } from "../turns/call-snapshots.ts"
import { callsOnly } from "../turns/calls-only.ts"
import { changeNotes } from "../turns/change-notes.ts"
import { lastMessages } from "../turns/last-messages.ts"
import { lookAround } from "../turns/look-around.ts"
import { mapBetween } from "../turns/map-between.ts"
import { migrateBetween } from "../turns/migrate-between.ts"
import { newsInTurn } from "../turns/news.ts"
import { MORE_HINT, PROTOCOL } from "../turns/protocol.ts"
import { queueBetween } from "../turns/queue-between.ts"
import { refusedCall } from "../turns/refused-call.ts"
import { sessionParents } from "../turns/session-parents.ts"
import { sessionSplits } from "../turns/split.ts"
import { toldInTurn } from "../turns/told-in-turn.ts"
import { userMessage } from "../turns/user-message.ts"
import { createValidation } from "../watch/validation/validation.ts"
import { resumeSession } from "../work/session/resume.ts"
import type { HiveMind, Host } from "./port.ts"

/** HiveMind in a host. Nothing is opened or read before it is first needed. */
export function connect(host: Host, source: Source = systemSource): HiveMind {
  const place = locateHive(host.directory)
  const paths = hivePaths(place.home)
  let config = defaultConfig
  const { log } = openLog(paths, source.now, () => config.log_level)

  let opened: Promise<Hive> | undefined
  const openOnce = () => {
    // A failure is not kept: what caused it may be mended while the host runs.
    opened ??= open().catch((error: unknown) => {
      opened = undefined
      throw error
    })
    return opened
  }
  const hive = async () => {
    const ours = await openOnce()
    // Whoever asks reads next, in one go: what others have written meanwhile is read here, with pauses.
    await ours.store.ready()
    return ours
  }
  async function open(): Promise<Hive> {
    const { hive: fresh, configProblems } = await openReadingOld(place, {
      source,
      userConfig: host.userConfig,
      options: { name: "the plugin's options", value: host.options },
      onBackgroundError: (error) => log("error", "fold failed", error),
      host,
      onResearch: (started) => between.researchStarted(started),
    })
    config = fresh.config
    for (const problem of configProblems) log("error", `config: ${problem}`)
    await restore(fresh).catch((error: unknown) => log("error", "could not restore .hivemind/", error))
    return fresh
  }

  /** Somebody has deleted the folder: the backup still has what was in it. */
  async function restore(fresh: Hive): Promise<void> {
    const entries = await restoreIfGone(fresh)
    if (entries === 0) return
    log("info", restoredText(entries))
    host
      .toast(`HiveMind: ${restoredText(entries)}`)
      .catch((error: unknown) => log("error", "could not show toast", error))
  }

  const isNewTrouble = onceEach()
  const files = fileLook(place.dir)
  const map = mapBetween({ hive, log })
  const injector = createInjector({
    paths,
    evidence: evidenceCheck(place.dir, files),
    files,
    code: map.look,
    more: MORE_HINT,
    onFork(session, source) {
      const caller = { session, agent: agentOf(session), tool: "fork" }
      const followed = hive().then((opened) => resumeSession(opened, caller, source))
      followed.catch((error: unknown) => log("info", `the fork of ${source} starts without its plan`, error))
    },
    onError(what, error) {
      log("error", what, error)
      // The rest mends itself, or costs a little: the log has it.
      if (what !== NOT_PACKED || !isNewTrouble(what)) return
      host.toast(`HiveMind: ${what}`).catch((cause: unknown) => log("error", "could not show toast", cause))
    },
  })
  const parents = sessionParents(host.parentOf)
  const agents = new Map<string, string>()
  const agentOf = (session: string) => agents.get(session) ?? null
  const calls: PassedCalls = new Map()
  const steps = new Map<string, string>()
  const stepOf = (session: string) => steps.get(session) ?? null
  const validate = createValidation(files, (session) => injector.injections(session).length)
  const news = newsInTurn()
  const { directory, userConfig, isConfig: isHostConfig } = host
  const settings = { isHostConfig, userConfig: userConfig === null ? null : realPath(userConfig) }
  const tree = callSnapshots(log, (message) => {
    host.toast(message).catch((error: unknown) => log("error", "could not show toast", error))
  })
  const messages = lastMessages()
  const notes = changeNotes(host.toast, log)
  const askCompaction = beforeCompaction({ hive, lastSummary: host.lastSummary, log })
  const onUserMessage = userMessage({
    ...{ hive, parents, agentOf, news, tree, log },
    lastMessages: messages,
    hintAt: injector.hintAt,
  })

  const { conversations, toast } = host
  const splits = sessionSplits({ ...injector, hive, conversations, toast, log })
  const between = betweenTurns({ ...host, hive, log, stepOf, validate, tree, changeNotes: notes, splits })
  const migration = migrateBetween({ hive, log, toast })
  const queue = queueBetween({ hive, paths, log })
  const look = lookAround({ hive, tree, changeNotes: notes })
  let isAwake = false

  const told = toldInTurn(toldFile(paths), source.now)
  const refusals = refusalFile(paths)
  const onRefusal = (refused: RefusedCall) => refusals.add(refused)
  const judge = beforeCall(
    {
      ...{ hive, place, directory, userHome: host.home, settings, onRefusal, log, tree },
      lastMessages: messages,
    },
    calls,
  )
  const gate: typeof judge = async (call) => {
    const refusal = await judge(call)
    if (refusal !== undefined) told.refusal(call.session, call.tool, refusal)
    return refusal
  }
  const note = afterCall({
    ...{ hive, calls, agentOf, stepOf, news, tree },
    ...{ injections: injector.injections, changeNotes: notes },
    onChange: map.wanted,
  })
  const noted: typeof note = async (result) => {
    const after = await note(result)
    told.after(result.session, result.tool, after)
    return after
  }
  const checks = agentChecks({ hive, directory, log })
  return {
    protocol: PROTOCOL,
    tools,
    async runTool(tool, caller, args) {
      try {
        const running = { ...caller.running, watchWriters: tree.watchWriters }
        const ours = await hive()
        // Some hosts show us nothing but calls.
        migration.begin()
        const reply = await tool.execute(ours, { ...caller, running }, args)
        told.reply(caller.session, tool.name, reply)
        // What a tool of ours refuses by itself: a task that is not done, or somebody else's.
        if (reply.status === "error" && GOVERNS.has(reply.code))
          onRefusal(
            refusedCall(
              {
                ...caller,
                tool: tool.name,
                files: [],
                command: null,
                task: taskAtHand(ours, caller.session),
              },
              reply,
              source.now(),
            ),
          )
        return reply
      } catch (error) {
        return errorReply(error) // The hive could not be opened.
      }
    },
    agentOf,
    learnParent: parents.learn,
    async onUserMessage(message) {
      if (splits.isMaking(message.session)) return
      splits.onUserMessage(message.session)
      if (!isAwake) {
        between.processStarted()
        map.begin()
      }
      isAwake = true
      agents.set(message.session, message.agent)
      await queue.beforeTurn()
      migration.begin()
      // Beside what else is done with a message, which mostly waits for the disk.
      const recalled = injector.beginRecall(await hive(), message.session, message.text)
      await Promise.all([onUserMessage(message), withTimeout(recalled, RECALL_MS)])
    },
    async inject(session, messages, model) {
      const recalled = await injector.recalledFor(await hive(), session, messages)
      // Others may have written while it was looked for.
      return injector.inject(await hive(), session, messages, model, recalled)
    },
    beforeCall: host.agentRunsChecks === true ? checks.before(gate) : gate,
    afterCall: host.agentRunsChecks === true ? checks.after(noted) : noted,
    async beforeCompaction(session, isPromptTaken) {
      // Stopped as a person would: its work goes on elsewhere by now.
      if (await splits.isBeforeCompaction(session))
        await host
          .endSession(session)
          .catch((error: unknown) => log("error", "a compaction after a split could not be stopped", error))
      const request = await askCompaction(session, isPromptTaken)
      if (request !== undefined) told.compaction(session, request)
      return request
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
    callsOnly: callsOnly({ hive, injector, tree, lookAround: look }),
    mayRunUnasked: async () => (await openOnce()).config.run_commands === "allow",
    log,
    async close() {
      map.close()
      queue.close()
      await withTimeout(tree.idle(), CLOSE_MS)
      await (await opened)?.store.close()
    },
  }
}

function taskAtHand(hive: Hive, session: string): string | null {
  return currentTask(hive.store.read().state, session)?.id ?? null
}

// What governance refuses; a wrong argument is a mistake.
const GOVERNS: ReadonlySet<string> = new Set<ErrorCode>([
  "lifecycle",
  "conflict",
  "not_allowed",
  "protected",
  "depth",
  "circle",
])
// Mostly a few; the first time a little more.
const RECALL_MS = 150
// A first snapshot may take longer; a killed one leaves nothing that the next has to care for.
const CLOSE_MS = 2000
