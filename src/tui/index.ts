import { openCodePanel } from "./opencode.ts"
import { openCode2Panel } from "./opencode2.ts"

/** The entry point for terminal UIs: OpenCode 1 calls `tui`, OpenCode 2 calls `setup`. */
export interface HiveMindPanel {
  id: string
  tui: (...given: never[]) => Promise<void>
  setup: (...given: never[]) => Promise<() => void>
}

const panel: HiveMindPanel = { id: "hivemind", tui: openCodePanel, setup: openCode2Panel }

export default panel
