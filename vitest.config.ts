import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { longRun } from "./test/support/effort.ts"
import { SlowFilesFirst } from "./test/support/slow-files-first.ts"

/** Says that the agents are tested on request: downloading them takes minutes, and so do their tests. */
const ON_REQUEST = "test/agents/on-request.test.ts"

/** These replace a module for the whole process, so they cannot share one with other tests. */
const REPLACES_MODULES = ["test/store/slices.test.ts", "test/hosts/opencode/first-turn.test.ts"]

// A worker keeps its modules from file to file (`isolate: false`): loading them anew for every file took minutes.
export default defineConfig({
  test: {
    // One queue for all projects, and one worker more than there are cores: many tests wait for a process or the disk.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: SlowFilesFirst },
    reporters: ["default", "./test/support/slowest-files.ts"],
    testTimeout: longRun ? 2 * 3_600_000 : 120_000,
    hookTimeout: 120_000,
    setupFiles: ["test/support/restore-env.ts"],
    // A deadline for a busy machine, not a measurement: a poll ends as soon as it sees what it waits for.
    expect: { poll: { timeout: 60_000, interval: 20 } },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/live/**", "test/agents/**", ...REPLACES_MODULES],
          isolate: false,
        },
      },
      { extends: true, test: { name: "isolated", include: REPLACES_MODULES } },
      {
        extends: true,
        test: {
          name: "agents",
          include: [process.env["HIVEMIND_AGENTS"] === "1" ? "test/agents/**/*.test.ts" : ON_REQUEST],
          exclude: process.env["HIVEMIND_AGENTS"] === "1" ? [ON_REQUEST] : [],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "live",
          include: ["test/live/**/*.test.ts"],
          globalSetup: ["test/live/bed/end-hosts.ts"],
          // Each worker starts a real OpenCode and keeps it from file to file.
          isolate: false,
        },
      },
    ],
  },
})
