import * as z from "zod"
import { type SignalName, signalNames, signalThresholds } from "./signals.ts"

const positive = (value: number, description: string, max?: number) => {
  const number = z.number().positive()
  return (max === undefined ? number : number.max(max)).default(value).describe(description)
}
const between = (min: number, max: number, value: number, description: string) =>
  z.number().min(min).max(max).default(value).describe(description)
const count = (min: number, max: number, value: number, description: string) =>
  z.int().min(min).max(max).default(value).describe(description)
// The cast is safe: `value` is one of `values`, which zod's types do not show.
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

const thresholds = Object.fromEntries(
  signalNames.map((name) => [
    name,
    threshold(signalThresholds[name].default, signalThresholds[name].description),
  ]),
) as Record<SignalName, ReturnType<typeof threshold>>

const detection = z.strictObject({
  ...thresholds,
  cooldown_minutes: threshold(30, "Minutes before the same warning may be added to a tool's output again."),
})

const research = z.strictObject({
  at_once: count(1, 50, 3, "How many researchers may run at the same time."),
  tokens: positive(200_000, "Tokens that one researcher may use, not counting the provider's cache."),
  tokens_per_day: positive(2_000_000, "Tokens that all researchers together may use in 24 hours."),
  minutes: positive(15, "Minutes that one researcher may run.", 10_000),
})

const snapshots = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe("Save the work tree before and after each call that may write, so that files can be restored."),
  keep_days: positive(14, "How long snapshots are kept, in days.", 10_000),
  max_mb: between(
    10,
    1_000_000,
    1024,
    "Disk space for all snapshots, in MB. When it is used up, some of the older ones are deleted.",
  ),
  max_file_mb: positive(50, "Size in MB above which a file is left out of snapshots.", 100_000),
  max_ignored_kb: between(
    0,
    1_000_000,
    1024,
    "Size in KB above which a file that git ignores is left out of snapshots; 0 leaves out all of them.",
  ),
  seconds: positive(5, "Seconds that a call waits for its snapshot before it runs without one.", 600),
})

/** Every option, with its default and its description. The published JSON Schema is generated from this. */
export const config = z
  .strictObject({
    $schema: z.string().optional(),
    governance: oneOf(
      ["assisted", "strict", "off"],
      "assisted",
      "assisted: refuse what cannot be undone and what a role, scope, lock or gate forbids, else warn; strict: also refuse writes without an active task; off: only keep the records.",
    ),
    stale_after_hours: positive(72, "Hours that a mem without its own expiry is shown to the model.", 1e6),
    budget_share: positive(
      0.03,
      "Share of the model's context window that HiveMind's block may fill; by default 3,750 to 8,000 tokens.",
      0.15,
    ),
    run_commands: oneOf(
      ["ask", "allow"],
      "ask",
      "For commands that HiveMind itself runs (its shell tool, a task's verify) in a host that cannot check them against your permission rules. ask: a command runs only after you agree, and not at all in a client that cannot ask you; allow: commands run without asking. The project's configuration file cannot set allow.",
    ),
    verify_minutes: positive(10, "Minutes that a task's verify may take when the task is completed.", 10_000),
    commit_after_files: z
      .int()
      .min(1)
      .default(5)
      .describe("Number of changed files after which the model is reminded to commit."),
    path_scopes: z
      .record(z.string(), z.array(z.string()))
      .default({
        "hive-executor": ["**", "!.git/**", "!**/opencode.json", "!**/opencode.jsonc", "!**/.opencode/**"],
        "hive-investigator": [".hivemind/artifacts/**"],
      })
      .describe(
        "Paths that an agent may write, as globs, by the agent's name. A glob with ! excludes paths from the others. Every agent may write in temporary folders; an agent that is not listed may write everywhere.",
      ),
    allow_commands: z
      .array(z.string().min(1))
      .default([])
      .describe(
        "Shell commands that are allowed although a snapshot could not undo them. Give the beginning of the command: `git push --force origin gh-pages`. Protected paths, roles and path scopes still apply.",
      ),
    detection: detection.prefault({}).describe("Warning thresholds; 0 turns a warning off."),
    purification: oneOf(
      ["rules", "researcher"],
      "rules",
      "Who writes the report for the next compaction. rules: HiveMind, without a model; researcher: a separate session, which costs tokens.",
    ),
    research: research.prefault({}).describe("Limits for researchers. One that exceeds them is stopped."),
    cache_lapse_minutes: positive(
      60,
      "Minutes without a request after which the provider's cache counts as expired, and old tool output may be removed.",
    ),
    split: oneOf(
      ["off", "ask", "auto"],
      "ask",
      "What happens when a session's context window is nearly full. ask: a line suggests /hive-split; auto: the work continues in a fresh session; off: nothing.",
    ),
    split_at: between(0.1, 1, 0.8, "Split when the context window is this full (0.1 to 1)."),
    export_on_idle: z
      .boolean()
      .default(true)
      .describe("Write a summary of each turn to .hivemind/sessions/archive/exports/."),
    exports_kept: count(4, 10_000, 40, "How many exports stay on disk."),
    sync: oneOf(
      ["off", "manual", "auto"],
      "manual",
      "manual: after each turn the log is backed up in the .git folder, and `hivemind sync` shares it; auto: the log is also shared automatically, after your first sync; off: nothing is saved outside of .hivemind/.",
    ),
    snapshots: snapshots
      .prefault({})
      .describe(
        "Snapshots of the work tree, for `hivemind restore`. The project's configuration file cannot switch them off or lower a limit.",
      ),
    fold_after_kb: z
      .number()
      .min(16)
      .default(1024)
      .describe("KiB of changes in the log after which HiveMind tidies its files."),
    log_level: oneOf(
      ["error", "info", "debug"],
      "info",
      "How much detail is written to .hivemind/system/log/. HiveMind never logs to the screen.",
    ),
  })
  .describe(
    "Configuration of HiveMind: .hivemind/system/config.json, or the plugin's options in opencode.json.",
  )
export type Config = Omit<z.infer<typeof config>, "$schema">

export const defaultConfig: Config = config.parse({})
