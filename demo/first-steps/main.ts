import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { REPOSITORY } from "../../test/live/bed/scratch.ts"
import { firstSteps } from "./first-steps.ts"

writeFileSync(join(REPOSITORY, "docs", "first-steps.md"), await firstSteps())
