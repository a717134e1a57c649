import * as z from "zod"
import { type SignalName, signalNames, signalThresholds } from "./signals.ts"

const threshold = (value: number, description: string) =>
  z.number().min(0).max(1_000_000).default(value).describe(description)

// Object.fromEntries forgets the names' type; each name of the list is an entry.
const thresholds = Object.fromEntries(
  signalNames.map((name) => [
    name,
    threshold(signalThresholds[name].default, signalThresholds[name].description),
  ]),
) as Record<SignalName, ReturnType<typeof threshold>>

/** Every option, with its default and a line for people. The published JSON Schema is made from this. */
export const config = z
  .strictObject({
    $schema: z.string().optional(),
    governance: z
      .enum(["assisted", "strict", "off"])
      .default("assisted")
      .describe(
        "assisted: inform and warn; strict: block writes without an active task; off: only keep the graph.",
      ),
    stale_after_hours: z
      .number()
      .positive()
      .max(1_000_000)
      .default(72)
      .describe("How long a mem stays in the packed state when it names no time of its own, in hours."),
    budget_share: z
      .number()
      .positive()
      .max(0.15)
      .default(0.03)
      .describe(
        "Share of the model's window that the packed state may take; by default between 3,750 and 8,000 tokens.",
      ),
    run_commands: z
      .enum(["ask", "allow"])
      .default("ask")
      .describe(
        "Commands that HiveMind itself runs (its shell, a task's verify), where the host cannot hold them against your permission rules. ask: only with your leave, where the client can ask for it; allow: they run. A project's file cannot allow it.",
      ),
    verify_minutes: z
      .number()
      .positive()
      .max(10_000)
      .default(10)
      .describe("How long a task's verify may take when completing it runs it, in minutes."),
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
    detection: z
      .strictObject({
        ...thresholds,
        cooldown_minutes: threshold(
          30,
          "How long a warning that has ended stays quiet if it comes back; one that got worse is shown.",
        ),
      })
      .prefault({})
      .describe("From when on a pattern is worth a warning; 0 turns that one off."),
    purification: z
      .enum(["rules", "researcher"])
      .default("rules")
      .describe(
        "Who writes the report for the next compaction: rules cost nothing; a researcher is a session of its own.",
      ),
    research: z
      .strictObject({
        at_once: z.int().min(1).max(50).default(3).describe("How many researchers may be at work at once."),
        tokens: z
          .number()
          .positive()
          .default(200_000)
          .describe("What one of them may take; what comes from the provider's cache does not count."),
        tokens_per_day: z
          .number()
          .positive()
          .default(2_000_000)
          .describe("What all of them may take in 24 hours; then no more is started."),
        minutes: z.number().positive().max(10_000).default(15).describe("How long one may be at work."),
      })
      .prefault({})
      .describe("Limits of researchers; one that is over them is stopped."),
    cache_lapse_minutes: z
      .number()
      .positive()
      .default(60)
      .describe(
        "After this long without a request the provider's cache is taken to be gone, and old tool output may go.",
      ),
    split: z
      .enum(["off", "ask", "auto"])
      .default("ask")
      .describe(
        "What happens when a session's window is nearly full. ask: you are told of /hive-split; auto: the work goes on in a fresh session by itself; off: nothing.",
      ),
    split_at: z
      .number()
      .min(0.1)
      .max(1)
      .default(0.8)
      .describe("Share of the window from which on a session is split."),
    export_on_idle: z
      .boolean()
      .default(true)
      .describe("Write what each turn came to into .hivemind/sessions/archive/exports/."),
    exports_kept: z.int().min(4).max(10_000).default(40).describe("How many exports stay on disk."),
    sync: z
      .enum(["off", "manual", "auto"])
      .default("manual")
      .describe(
        "manual: after a turn the log is backed up in git's own folder, `hivemind sync` shares it; auto: also shared by itself, once you have synced; off: nothing is kept outside of .hivemind/.",
      ),
    snapshots: z
      .strictObject({
        enabled: z
          .boolean()
          .default(true)
          .describe(
            "Keep the work tree before and after each call that may write, so that files can be restored.",
          ),
        keep_days: z
          .number()
          .positive()
          .max(10_000)
          .default(14)
          .describe("How long snapshots are kept, in days."),
        max_mb: z
          .number()
          .min(10)
          .max(1_000_000)
          .default(1024)
          .describe(
            "How much disk all snapshots of a repository may take, in MB; then older ones are thinned out.",
          ),
        max_file_mb: z
          .number()
          .positive()
          .max(100_000)
          .default(50)
          .describe("Larger files are left out of snapshots, in MB."),
        max_ignored_kb: z
          .number()
          .min(0)
          .max(1_000_000)
          .default(1024)
          .describe("The same for files that git ignores, in KB; 0 leaves all of them out."),
        seconds: z
          .number()
          .positive()
          .max(600)
          .default(5)
          .describe("How long a call may wait for its snapshot, in seconds; then it runs without one."),
      })
      .prefault({})
      .describe(
        "Snapshots of the work tree, for `hivemind restore`. A project's file cannot switch them off or lower a limit.",
      ),
    fold_after_kb: z
      .number()
      .min(16)
      .default(1024)
      .describe("How much of the log, in KiB, may be written before what changed is folded into the parts."),
    log_level: z
      .enum(["error", "info", "debug"])
      .default("info")
      .describe("What goes into .hivemind/system/log/: nothing is ever printed on the screen."),
  })
  .describe(
    "Configuration of HiveMind: .hivemind/system/config.json, or the plugin's options in opencode.json.",
  )
export type Config = Omit<z.infer<typeof config>, "$schema">

export const defaultConfig: Config = config.parse({})
