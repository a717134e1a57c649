/**
 * Every pattern that is watched for: its name, the default threshold and its line in the configuration. How each is
 * measured and worded is in watch/signals.ts, which needs the graph; the configuration is read below the graph. That table
 * is typed by these names, so that a signal with only one of the two halves does not compile.
 */
export const signalThresholds = {
  // Shown to the model.
  corrections: {
    default: 3,
    description:
      "Messages among the last 14 in which the user sets the agent right or rejects a call; what still fails counts twice.",
  },
  cancels: { default: 3, description: "Turns in a row that the user stopped." },
  failures: {
    default: 4,
    description:
      "Steps in a row in which a tool failed; parallel calls are one step, and reads do not end the streak.",
  },
  failed_checks: {
    default: 4,
    description:
      "Tests or builds that failed after an edit, none passing; with another error than before, one counts half.",
  },
  rewrites: { default: 3, description: "Edits in a row that were made in the same turn before." },
  same_calls: { default: 5, description: "The same call with the same result in a row." },
  // Shown in the status only.
  turns_on_task: { default: 30, description: "User messages on the same task." },
  reads_without_write: {
    default: 60,
    description: "Reading calls within a turn without a write or a saved mem.",
  },
  keywords: { default: 3, description: "Calls in which the agent says that it is stuck." },
  same_updates: { default: 4, description: "Session updates in about the same words." },
  // Unplanned work is welcome: this one is for those who want every session to follow a plan.
  writes_without_task: { default: 0, description: "Writes without an active task." },
  calls_per_minute: { default: 100, description: "Tool calls within one minute." },
  silence_hours: { default: 48, description: "Hours without a sign of life on the current task." },
  finished_branches: {
    default: 30,
    description: "Finished tasks in finished phases that are not folded yet.",
  },
}

export type SignalName = keyof typeof signalThresholds

// Object.keys forgets the names' type; the object is a literal, so it has these keys and no others.
export const signalNames = Object.keys(signalThresholds) as SignalName[]
