import { openBed } from "../test/live/bed/bed.ts"
import { goesOn } from "./goes-on.ts"
import { keepsTheThread } from "./keeps-the-thread.ts"
import { createNarrator } from "./narrator.ts"
import { readsTheState } from "./reads-the-state.ts"
import { refusedThenDone } from "./refused-then-done.ts"
import { remembers } from "./remembers.ts"
import { severalAgents } from "./several-agents.ts"

// The real OpenCode, this plugin, and a model that follows a script: no key, no account, no network.
const narrator = createNarrator((text) => console.log(text))

narrator.scene("HiveMind in the real OpenCode, with a scripted model")
narrator.step("Starting `opencode serve` in a scratch project with the plugin…")
await using bed = await openBed({ ownHost: true, git: true, pluginOptions: { governance: "strict" } })
const { data: tools } = await bed.client.tool.ids()
const ours = (tools ?? []).filter((id) => id.startsWith("hivemind_"))
narrator.step(`Loaded. The model is offered: ${ours.join(", ")}`)

for (const scene of [remembers, readsTheState, refusedThenDone, keepsTheThread, goesOn, severalAgents])
  await scene(bed, narrator)

narrator.done(
  "That was the real thing. Next: install it and run `hivemind init` in a project of yours (see README.md).",
)
