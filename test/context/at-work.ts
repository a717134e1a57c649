import { decideInjection } from "../../src/context/inject/decide.ts"
import { createInjector, type InjectorInput } from "../../src/context/inject/injector.ts"
import { type Injection, injectedItem, knownFrom, noInjection } from "../../src/context/inject/record.ts"
import type { Block } from "../../src/context/pack/fit-block.ts"
import type { GraphState } from "../../src/graph/state.ts"
import type { Task } from "../../src/schemas/task.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import type { Warning } from "../../src/watch/signals.ts"
import { graphOf } from "../support/graph.ts"
import { T0 } from "../support/records.ts"

export function atWork(more: Partial<Task> = {}) {
  const g = graphOf()
  const plan = g.plan("Login")
  const phase = g.phase(plan, "API")
  const task = g.task(phase, "Build the form", { status: "active", ...more })
  return { g, plan, phase, task, head: g.head("Add a login page", plan, phase, task) }
}

/** A conversation at work: `say` decides what the next message carries, given the messages still in sight. */
export function conversation(
  warningsFor: (state: GraphState, visible: readonly Injection[], now: number) => Warning[] = () => [],
) {
  const work = atWork()
  const { state } = work.g
  let { head } = work
  let count = 0
  let said = 0
  let visible: Injection[] = []
  return {
    ...work,
    move: (id: string) => {
      head = { ...head, active_task_ids: [id] }
    },
    talkOn: (tokens: number) => {
      said += tokens
    },
    forget: (from: number) => {
      visible = visible.slice(from)
    },
    say(text = "word ".repeat(25)): Injection {
      const now = T0 + ++count * 60_000
      const injection = decideInjection({
        state,
        head,
        message: { id: `msg_${count}`, text },
        visible,
        isFirst: count === 1,
        score: visible.at(-1)?.score ?? 0,
        conversationTokens: said,
        options: { now, budget: 3000, more: "ask", warnings: warningsFor(state, visible, now) },
        commitAfterFiles: 5,
      })
      visible.push(injection)
      return injection
    },
  }
}

/** An injector for a project folder. An error fails the test. */
export function injectorIn(home: string, more: Partial<InjectorInput> = {}) {
  return createInjector({
    paths: hivePaths(home),
    evidence: () => undefined,
    files: () => undefined,
    more: "ask",
    onError: (what, error) => {
      throw new Error(what, { cause: error })
    },
    ...more,
  })
}

export function userMessage(id: string, text = "Please go on with the work that is planned") {
  return { id, role: "user" as const, text, isCompactionRequest: false }
}

export function anInjection(message: string, more: Partial<Injection> = {}): Injection {
  return { ...noInjection(message, T0, "", 0), kind: "delta", ...more }
}

export const knownOf = ({ items }: Block) => knownFrom([{ items: items.map(injectedItem), gone: [] }])
