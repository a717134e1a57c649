import { defineConfig } from "vitest/config"

// "unit" runs first, in parallel; "live" starts the real OpenCode, two at a time: more would only slow each other down.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/live/**"],
          testTimeout: 120_000,
          // On a small machine one process would leave half of it idle. Some count pauses or compare times: what failed once
          // and then passed is listed as repeated.
          maxWorkers: "100%",
          retry: 1,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: "live",
          include: ["test/live/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
          // Several processes of others are in each of these. What failed once and then passed is listed as repeated.
          retry: 1,
          // What happens between turns is waited for, however busy the machine is.
          expect: { poll: { timeout: 30_000, interval: 50 } },
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
