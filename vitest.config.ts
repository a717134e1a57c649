import { defineConfig } from "vitest/config"

// "unit" runs in parallel; "live" starts the real OpenCode, so its files run one after the other.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/live/**"],
          testTimeout: 120_000,
        },
      },
      {
        test: {
          name: "live",
          include: ["test/live/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
})
