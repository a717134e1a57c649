/**
 * Every pattern that is watched for: its name, from which value on it is worth a warning unless the user says
 * otherwise, and its line in the configuration. How each is measured and worded is in watch/signals.ts, which needs the
 * graph; the configuration is read below the graph. That table is typed by these names, so that a signal with only one
 * of the two halves does not compile.
 */
export const signalThresholds = {
  failures: {
    default: 4,
    description:
      "Tool failures in a row; a refusal counts as one, and looking at something does not end the row.",
  },
  failed_fixes: {
    default: 5,
    description:
      "Commands that failed after an edit, none passing; with another error than before, one counts half.",
  },
  cancels: {
    default: 3,
    description:
      "Turns in a row that the user stopped; from then on assisted governance is strict in that session.",
  },
  turns_on_task: {
    default: 6,
    description:
      "User messages in a row between which something was tried and nothing was achieved; one that says so counts two.",
  },
  reads_without_write: {
    default: 60,
    description: "Reading calls within a turn without a write or a saved mem.",
  },
  repeats: {
    default: 4,
    description:
      "The same again: a call with the same result, a file as it was, an edit back, words of a search, an update or to a subagent.",
  },
  keywords: {
    default: 3,
    description: "Words of being stuck in what the agent says of its own work.",
  },
  off_task: { default: 6, description: "Edits in a row away from where the task is." },
  against_knowledge: {
    default: 1,
    description: "Calls that do what a false path or a critical anchor warns of.",
  },
  // Unplanned work is welcome: these two are for those who want every session to follow a plan.
  writes_without_task: { default: 0, description: "Writes without an active task." },
  calls_per_minute: { default: 100, description: "Tool calls within one minute." },
  silence_hours: { default: 48, description: "Hours without a sign of life on the task at hand." },
  finished_branches: {
    default: 30,
    description: "Finished tasks in finished phases that are not folded yet.",
  },
  calls_without_plan: { default: 0, description: "Tool calls in a session that has no plan." },
}

export type SignalName = keyof typeof signalThresholds

// Object.keys forgets the names' type; the object is a literal, so it has these keys and no others.
export const signalNames = Object.keys(signalThresholds) as SignalName[]
