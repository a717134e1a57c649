/** The default threshold and config description of each signal. `watch/signals.ts` measures the signals. */
export const signalThresholds = {
  // The model is warned about these signals.
  corrections: {
    default: 3,
    description:
      "Messages among the last 14 that correct the agent or reject a call; a message that something still fails counts twice.",
  },
  cancels: { default: 3, description: "Turns in a row that the user stopped." },
  failures: {
    default: 4,
    description:
      "Failed steps in a row. Parallel calls count as one step, and a call that only reads does not end the row.",
  },
  failed_checks: {
    default: 4,
    description:
      "Tests or builds that failed after an edit, with none passing. A run with a new error counts half.",
  },
  rewrites: { default: 3, description: "Edits in a row that repeat an earlier edit of the same turn." },
  same_calls: { default: 5, description: "Identical calls with the same result in a row." },
  // These signals are only shown in the status, except `calls_per_minute`, about which the model is warned too.
  turns_on_task: { default: 30, description: "User messages on the same task." },
  reads_without_write: { default: 60, description: "Reads within a turn without a write or a saved mem." },
  keywords: { default: 3, description: "Calls in which the agent says that it is stuck." },
  same_updates: { default: 4, description: "Session updates in a row with nearly the same words." },
  // Off by default, because work without a task is allowed. Users who want every session to follow a plan set a threshold.
  writes_without_task: { default: 0, description: "Writes without an active task." },
  calls_per_minute: { default: 100, description: "Tool calls within one minute." },
  silence_hours: { default: 48, description: "Hours without activity on the current task." },
  finished_branches: { default: 30, description: "Finished tasks in finished phases without a summary." },
}

export type SignalName = keyof typeof signalThresholds

// The cast restores the names' type, which Object.keys returns as string[].
export const signalNames = Object.keys(signalThresholds) as SignalName[]
