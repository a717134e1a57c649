import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { REPOSITORY } from "../../test/live/bed/scratch.ts"
import { agentSteps, WALKED_AGENTS } from "./agent-steps.ts"
import { firstSteps } from "./first-steps.ts"

// usage: npx tsx demo/first-steps/main.ts [claude | codex]: all pages, or that of one agent.
const page = (name: string) => join(REPOSITORY, "docs", name)
const [only] = process.argv.slice(2)

if (only === undefined) writeFileSync(page("first-steps.md"), await firstSteps())
for (const agent of WALKED_AGENTS)
  if (only === undefined || only === agent)
    writeFileSync(page(`first-steps-${agent}.md`), await agentSteps(agent))
