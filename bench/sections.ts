import { cacheSection } from "./cache/cache-section.ts"
import { clonesSection } from "./clones/clones-section.ts"
import { codemapSection } from "./codemap/codemap-section.ts"
import { commandsSection } from "./commands/commands-section.ts"
import { continuitySection } from "./continuity/continuity-section.ts"
import { costSection } from "./cost/cost-section.ts"
import { dashboardSection } from "./dashboard/dashboard-section.ts"
import { edgesSection } from "./edges/edges-section.ts"
import { gateSection } from "./gate/gate-section.ts"
import { growthSection } from "./growth/growth-section.ts"
import { millionSection } from "./growth/million-section.ts"
import { historySection } from "./history/history-section.ts"
import { holdSection } from "./hold/hold-section.ts"
import { hooksSection } from "./hooks/hooks-section.ts"
import { importSection } from "./import/import-section.ts"
import { injectSection } from "./inject/inject-section.ts"
import { loadSection } from "./load/load-section.ts"
import { memorySection } from "./load/memory-section.ts"
import { migrateSection } from "./migrate/migrate-section.ts"
import { processesSection } from "./processes/processes-section.ts"
import { queueSection } from "./queue/queue-section.ts"
import { recallSection } from "./recall/recall-section.ts"
import { remoteMillionSection, remoteSection } from "./remote/remote-section.ts"
import { rulesSection } from "./rules/rules-section.ts"
import { saveSection } from "./save/save-section.ts"
import { scalingSection } from "./scaling/scaling-section.ts"
import { scanSection } from "./scan/scan-section.ts"
import type { Section } from "./section.ts"
import { sessionsSection } from "./sessions/sessions-section.ts"
import { snapshotsSection } from "./snapshots/snapshots-section.ts"
import { startSection } from "./start/start-section.ts"
import { writesSection } from "./tree/writes-section.ts"
import { validateSection } from "./validate/validate-section.ts"
import { watchSection } from "./watch/watch-section.ts"

/** All sections, in the order in which they run and stand in results.json. */
export const sections: Section[] = [
  saveSection,
  loadSection,
  memorySection,
  growthSection,
  millionSection,
  holdSection,
  processesSection,
  queueSection,
  clonesSection,
  remoteSection,
  remoteMillionSection,
  startSection,
  cacheSection,
  injectSection,
  recallSection,
  rulesSection,
  continuitySection,
  gateSection,
  hooksSection,
  scalingSection,
  watchSection,
  costSection,
  dashboardSection,
  snapshotsSection,
  writesSection,
  commandsSection,
  sessionsSection,
  validateSection,
  migrateSection,
  scanSection,
  importSection,
  historySection,
  codemapSection,
  edgesSection,
]
