// npm run test:agents [-- part of a path… [-t "part of a title"]]: installs what is missing, and tests it.
import { spawnSync } from "node:child_process"
import { installPrograms } from "./bed/programs.ts"

for (const program of installPrograms()) console.log(`installed ${program}`)
const { status } = spawnSync("npx", ["vitest", "run", "--project", "agents", ...process.argv.slice(2)], {
  stdio: "inherit",
  env: { ...process.env, HIVEMIND_AGENTS: "1" },
})
process.exitCode = status ?? 1
