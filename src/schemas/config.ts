import * as z from "zod"
import { type SignalName, signalNames, signalThresholds } from "./signals.ts"

/** A number above 0, with its default. */
const positive = (value: number, description: string, max?: number) => {
  const number = z.number().positive()
  return (max === undefined ? number : number.max(max)).default(value).describe(description)
}
const between = (min: number, max: number, value: number, description: string) =>
  z.number().min(min).max(max).default(value).describe(description)
const count = (min: number, max: number, value: number, description: string) =>
  z.int().min(min).max(max).default(value).describe(description)
// The cast: zod does not see that one of the values is a value of the enum.
const oneOf = <const V extends readonly [string, ...string[]]>(
  values: V,
  value: V[number],
  description: string,
) =>
  z
    .enum(values)
    .default(value as never)
    .describe(description)
const threshold = (value: number, description: string) => between(0, 1_000_000, value, description)

// Object.fromEntries forgets the names' type; each name of the list is an entry.
const thresholds = Object.fromEntries(
  signalNames.map((name) => [
    name,
    threshold(signalThresholds[name].default, signalThresholds[name].description),
  ]),
) as Record<SignalName, ReturnType<typeof threshold>>

const detection = z.strictObject({
  ...thresholds,
  cooldown_minutes: threshold(30, "How long a warning that was added to a tool's output is not repeated."),
})

const research = z.strictObject({
  at_once: count(1, 50, 3, "How many researchers may be at work at once."),
  tokens: positive(
    200_000,
    "Tokens that one of them may take; those from the provider's cache do not count.",
  ),
  tokens_per_day: positive(
    2_000_000,
    "Tokens that all of them may take in 24 hours; then no more is started.",
  ),
  minutes: positive(15, "How long one may be at work.", 10_000),
})

const snapshots = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe("Keep the work tree before and after each call that may write, so that files can be restored."),
  keep_days: positive(14, "How long snapshots are kept, in days.", 10_000),
  max_mb: between(
    10,
    1_000_000,
    1024,
    "How much disk all snapshots of a repository may take, in MB; then older ones are thinned out.",
  ),
  max_file_mb: positive(50, "Larger files are left out of snapshots, in MB.", 100_000),
  max_ignored_kb: between(
    0,
    1_000_000,
    1024,
    "The same for files that git ignores, in KB; 0 leaves all of them out.",
  ),
  seconds: positive(
    5,
    "How long a call may wait for its snapshot, in seconds; then it runs without one.",
    600,
  ),
})

/** Every option, with its default and a line for people. The published JSON Schema is made from this. */
export const config = z
  .strictObject({
    $schema: z.string().optional(),
    governance: oneOf(
      ["assisted", "strict", "off"],
      "assisted",
      "assisted: inform and warn; strict: block writes without an active task; off: only keep the graph.",
    ),
    stale_after_hours: positive(
      72,
      "How long a mem stays in the packed state when it names no time of its own, in hours.",
      1_000_000,
    ),
    budget_share: positive(
      0.03,
      "Share of the model's window that the packed state may take; by default between 3,750 and 8,000 tokens.",
      0.15,
    ),
    run_commands: oneOf(
      ["ask", "allow"],
      "ask",
      "Commands that HiveMind itself runs (its shell, a task's verify), where the host cannot hold them against your permission rules. ask: only with your leave, where the client can ask for it; allow: they run. A project's file cannot allow it.",
    ),
    verify_minutes: positive(
      10,
      "How long a task's verify may take when completing it runs it, in minutes.",
      10_000,
    ),
    commit_after_files: z
      .int()
      .min(1)
      .default(5)
      .describe("After this many changed files the model is reminded to commit."),
    path_scopes: z
      .record(z.string(), z.array(z.string()))
      .default({
        "hive-executor": ["**", "!.git/**", "!**/opencode.json", "!**/opencode.jsonc", "!**/.opencode/**"],
        "hive-investigator": [".hivemind/artifacts/**"],
      })
      .describe(
        "Which paths an agent may write, as globs, by the agent's name; one with ! takes out of the others. Temporary folders are always free; an agent that is not here may write all.",
      ),
    allow_commands: z
      .array(z.string().min(1))
      .default([])
      .describe(
        "Shell commands that the gate lets pass though a snapshot could not undo them, by how they begin: `git push --force origin gh-pages`. Protected paths, roles and scopes hold all the same.",
      ),
    detection: detection.prefault({}).describe("Warning thresholds; 0 turns a warning off."),
    purification: oneOf(
      ["rules", "researcher"],
      "rules",
      "Who writes the report for the next compaction: rules cost nothing; a researcher is a session of its own.",
    ),
    research: research.prefault({}).describe("Limits of researchers; one that is over them is stopped."),
    cache_lapse_minutes: positive(
      60,
      "After this long without a request the provider's cache is taken to be gone, and old tool output may go.",
    ),
    split: oneOf(
      ["off", "ask", "auto"],
      "ask",
      "When a session's window is nearly full. ask: a line suggests /hive-split; auto: the work continues in a fresh session by itself; off: nothing.",
    ),
    split_at: between(0.1, 1, 0.8, "Split when the context window is this full (0.1 to 1)."),
    export_on_idle: z
      .boolean()
      .default(true)
      .describe("Write a summary of each turn into .hivemind/sessions/archive/exports/."),
    exports_kept: count(4, 10_000, 40, "How many exports stay on disk."),
    sync: oneOf(
      ["off", "manual", "auto"],
      "manual",
      "manual: after a turn the log is backed up in git's own folder, `hivemind sync` shares it; auto: also shared by itself, once you have synced; off: nothing is kept outside of .hivemind/.",
    ),
    snapshots: snapshots
      .prefault({})
      .describe(
        "Snapshots of the work tree, for `hivemind restore`. A project's file cannot switch them off or lower a limit.",
      ),
    fold_after_kb: z
      .number()
      .min(16)
      .default(1024)
      .describe("How much of the log, in KiB, may be written before the changes are folded into the parts."),
    log_level: oneOf(
      ["error", "info", "debug"],
      "info",
      "Detail of the files in .hivemind/system/log/. Nothing is ever printed on the screen.",
    ),
  })
  .describe(
    "Configuration of HiveMind: .hivemind/system/config.json, or the plugin's options in opencode.json.",
  )
export type Config = Omit<z.infer<typeof config>, "$schema">

export const defaultConfig: Config = config.parse({})
