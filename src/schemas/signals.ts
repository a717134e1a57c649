/**
 * Every pattern that is watched for: its name, from which value on it is worth a warning unless the user says
 * otherwise, and its line in the configuration. How each is measured and worded is in watch/signals.ts, which needs the
 * graph; the configuration is read below the graph. That table is typed by these names, so that a signal with only one
 * of the two halves does not compile.
 */
export const signalThresholds = {
  failures: { default: 3, description: "Tool failures in a row; a refusal counts as one." },
  cancels: {
    default: 3,
    description:
      "Turns in a row that the user stopped; from then on assisted governance is strict in that session.",
  },
  turns_on_task: { default: 12, description: "User messages on one task without a checkpoint." },
  reads_without_write: { default: 15, description: "Reading calls in a row without a write." },
  repeats: { default: 4, description: "The same call, or the same words in an update, in a row." },
  keywords: {
    default: 3,
    description: "Words of being stuck (retry, confused, in circles) in what the agent says in its calls.",
  },
  // Unplanned work is welcome: these two are for those who want every session to follow a plan.
  writes_without_task: { default: 0, description: "Writes without an active task." },
  calls_per_minute: { default: 40, description: "Tool calls within one minute." },
  silence_hours: { default: 2, description: "Hours without a sign of life on the task at hand." },
  finished_branches: {
    default: 5,
    description: "Finished tasks in finished phases that are not folded yet.",
  },
  calls_without_plan: { default: 0, description: "Tool calls in a session that has no plan." },
}

export type SignalName = keyof typeof signalThresholds

// Object.keys forgets the names' type; the object is a literal, so it has these keys and no others.
export const signalNames = Object.keys(signalThresholds) as SignalName[]
