import type { Injected } from "../context/inject/injector.ts"
import type { SeenMessage, SeenModel } from "../context/inject/seen-message.ts"
import type { ToolCall } from "../gate/call.ts"
import type { SessionControl } from "../hive/hive.ts"
import type { Log } from "../store/files/log-file.ts"
import type { HiveTool, ToolCaller, ToolReply } from "../tools/tool.ts"
import type { AfterCall, CallResult } from "../turns/after-call.ts"
import type { CountedAnswer } from "../turns/answer-counted.ts"
import type { CompactionRequest } from "../turns/before-compaction.ts"
import type { BetweenTurns } from "../turns/between-turns.ts"
import type { CallsOnly } from "../turns/calls-only.ts"
import type { Conversations } from "../turns/conversations.ts"
import type { UserMessage } from "../turns/user-message.ts"

/**
 * What HiveMind needs of a host, in HiveMind's words. Every function may reject: HiveMind logs it and goes on. A host
 * that cannot do something gives a function that says so, or an empty answer.
 */
export interface Host extends SessionControl {
  /** Where the host runs, anywhere in the project: relative paths in calls start there. */
  directory: string
  /** The user's home folder, and the configuration of HiveMind that is theirs alone. */
  home: string
  userConfig: string | null
  /** Options of the host's own configuration; they win over HiveMind's files. */
  options: unknown
  /** Is this path the host's own configuration? */
  isConfig: (path: string) => boolean
  /** Whose subagent a session is; null for a session of its own. */
  parentOf: (session: string) => Promise<string | null>
  /** What was said last in a session; with "to the end", only if that answer came to its end. */
  lastAnswer: (session: string, only?: "to the end") => Promise<string>
  /** The summary that a session was last cut down to; "" where there is none. */
  lastSummary: (session: string) => Promise<string>
  /** The last answers of a session that have ended, oldest first. */
  lastAnswers: (session: string) => Promise<CountedAnswer[]>
  /** No command of ours may run there: an agent runs its task's check itself, and that is looked at. */
  agentRunsChecks?: boolean
  /** Left out where whole conversations cannot be had. */
  conversations?: Conversations
  /** Shows a line to the person. Without a screen there is nobody to show it to, and that is fine. */
  toast: (message: string) => Promise<void>
}

/** What HiveMind offers a host. The adapter calls each at its moment and writes the answer out in the host's own form. */
export interface HiveMind {
  /** The text for the system prompt. It never changes. */
  protocol: string
  tools: readonly HiveTool[]
  /** Never rejects. */
  runTool(tool: HiveTool, caller: Omit<ToolCaller, "tool">, args: unknown): Promise<ToolReply>
  /** The agent last seen in a session. */
  agentOf(session: string): string | null
  /** Learns whose subagent a new session is, so that the host need not be asked. */
  learnParent(session: string, parent: string | null): void

  /** Waited for before the message is answered. */
  onUserMessage(message: UserMessage): Promise<void>
  /** Before every request: what each user message carries, and which old output gives way. */
  inject(session: string, messages: readonly SeenMessage[], model: SeenModel | undefined): Promise<Injected>
  /** Why a call is refused; undefined if it may run. Never rejects. */
  beforeCall(call: ToolCall): Promise<string | undefined>
  afterCall(result: CallResult): Promise<AfterCall>
  /** Before the host summarises a session. */
  beforeCompaction(session: string, isPromptTaken: boolean): Promise<CompactionRequest | undefined>
  /** Not waited for. */
  between: BetweenTurns
  /** For a host that shows nothing but the calls of our tools. */
  callsOnly: CallsOnly
  /** Whether commands may run where the host has no way to ask for leave: only if the user has said so. */
  mayRunUnasked(): Promise<boolean>

  log: Log
  close(): Promise<void>
}
