import { analyzeCall, type GateCall } from "../../src/gate/call.ts"
import { readCommand } from "../../src/gate/shell/read-command.ts"
import type { Hive } from "../../src/hive/hive.ts"
import { type HostCall, readCall } from "../../src/hosts/opencode/calls.ts"
import { afterCall, type CallResult } from "../../src/turns/after-call.ts"
import type { PassedCalls } from "../../src/turns/before-call.ts"
import { callSteps } from "./tree.ts"

/** A call in the project `/p` as the gate sees it. */
export function gateCall(call: HostCall): GateCall {
  const read = (command: string, cwd: string) => readCommand(command, { project: "/p", cwd, home: "/h" })
  return analyzeCall(readCall(call), { projectDir: "/p", directory: "/p", read })
}

/** Lets calls end that have passed the gate, without running anything. */
export function callEnder(hive: Hive) {
  const calls: PassedCalls = new Map()
  const input = { hive: async () => hive, calls, injections: () => [], agentOf: () => "build" }
  const after = afterCall({ ...input, onChange: () => {}, ...callSteps() })
  return (call: HostCall, result: CallResult) => {
    const passed = { task: null, inherited: false, warnings: [], allowed: [] }
    calls.set(call.id, { call: gateCall(call), passed })
    return after(result)
  }
}
