import { madeAnew, readPlanText } from "./documents.ts"
import { readDelegations, readIdumbPlans, readIdumbState, readKnowledge } from "./idumb-2.ts"
import type { Layout } from "./layout.ts"
import { readSettings } from "./settings.ts"

/** iDumb, both versions: their files have the same names, and their fields tell them apart. */
export const idumb: Layout = {
  name: "iDumb",
  folder: ".idumb",
  files: [
    ...["graph.json", "task-graph.json", "plan-state.json", "tasks.json"].map(
      (name) => ({ path: `brain/${name}`, step: "graph", read: readIdumbPlans }) as const,
    ),
    ...["brain/state.json", "brain/hook-state.json", "state.json"].map(
      (path) => ({ path, step: "state", read: readIdumbState }) as const,
    ),
    { path: "brain/delegations.json", step: "orphans", read: readDelegations },
    { path: "brain/knowledge.json", step: "mems", read: readKnowledge },
    { path: "config.json", step: "settings", read: readSettings },
    { path: "brain/plan.json", step: "documents", read: readPlanText },
    {
      path: "brain",
      step: "documents",
      read: madeAnew,
      names: /^(registry|codemap|project-map)\.json$/,
    },
  ],
}
