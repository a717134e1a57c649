import type { Injected } from "../context/inject/injector.ts"
import type { SeenMessage, SeenModel } from "../context/inject/seen-message.ts"
import type { ToolCall } from "../gate/call.ts"
import type { Hive, SessionControl } from "../hive/hive.ts"
import type { Log } from "../store/files/log-file.ts"
import type { HiveTool, ToolCaller, ToolReply } from "../tools/tool.ts"
import type { AfterCall, CallResult } from "../turns/after-call.ts"
import type { CountedAnswer } from "../turns/answer-usage.ts"
import type { BetweenTurns } from "../turns/between-turns.ts"
import type { CallsOnly } from "../turns/calls-only.ts"
import type { CompactionRequest } from "../turns/compaction.ts"
import type { Conversations } from "../turns/split-attempt.ts"
import type { UserMessage } from "../turns/user-message.ts"

/**
 * The functions of a host that HiveMind calls. Each may reject: HiveMind logs the error and goes on. A host that cannot do
 * something rejects with the reason, or returns an empty answer.
 */
export interface Host extends SessionControl {
  /** The host's working folder, anywhere in the project: relative paths in calls start there. */
  directory: string
  /** The user's home folder, and the user's own HiveMind configuration file. */
  home: string
  userConfig: string | null
  /** Options of the host's own configuration; they win over HiveMind's files. */
  options: unknown
  /** Is this path the host's own configuration? */
  isConfig: (path: string) => boolean
  /** The session that started this one as a subagent; null for a session of its own. */
  parentOf: (session: string) => Promise<string | null>
  /** The last answer of a session; with "to the end", "" unless that answer is finished. */
  lastAnswer: (session: string, only?: "to the end") => Promise<string>
  /** The summary of the last compaction of a session; "" without one. */
  lastSummary: (session: string) => Promise<string>
  /** The last finished answers of a session, oldest first. */
  lastAnswers: (session: string) => Promise<CountedAnswer[]>
  /** The host takes no other prompt for a summary: HiveMind's text is added to it. */
  addsToSummaryPrompt?: boolean
  /** Left out by a host that cannot read and create conversations. */
  conversations?: Conversations
  /** Shows a line to the user, if the host has a screen. */
  toast: (message: string) => Promise<void>
}

/** The functions that a host's adapter calls; it translates their results into the host's own form. */
export interface HiveMind {
  /** The text for the system prompt. It never changes. */
  protocol: string
  tools: readonly HiveTool[]
  /** Never rejects. */
  runTool(tool: HiveTool, caller: Omit<ToolCaller, "tool">, args: unknown): Promise<ToolReply>
  /** The agent last seen in a session. */
  agentOf(session: string): string | null
  /** Remembers a new session's parent, so that the host need not be asked. */
  learnParent(session: string, parent: string | null): void

  /** Finished before the host answers the message. */
  onUserMessage(message: UserMessage): Promise<void>
  /** Before every request: the text added to each user message, and the old tool output to remove. */
  inject(session: string, messages: readonly SeenMessage[], model: SeenModel | undefined): Promise<Injected>
  /** The reason why a call is refused; undefined if it may run. Never rejects. */
  beforeCall(call: ToolCall): Promise<string | undefined>
  afterCall(result: CallResult): Promise<AfterCall>
  /** Before the host summarises a session. */
  beforeCompaction(session: string, isPromptTaken: boolean): Promise<CompactionRequest | undefined>
  /** Open work that should be done before the turn ends, each as a line; none if governance is off. */
  unmet(session: string): Promise<readonly string[]>
  /** Steps that run in the background. */
  between: BetweenTurns
  /** For a host that sends nothing but calls of our tools. */
  callsOnly: CallsOnly
  /** Whether commands may run in a host that cannot ask for permission: only if the user's configuration allows it. */
  mayRunUnasked(): Promise<boolean>

  /** The hive, for commands that the adapter answers itself. */
  hive(): Promise<Hive>
  log: Log
  close(): Promise<void>
}
