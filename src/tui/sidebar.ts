import { createSignal, onCleanup } from "solid-js"
import { box, drawLines } from "./draw.ts"
import type { LiveHive } from "./live-hive.ts"
import type { PanelHost } from "./port.ts"
import { readPanel } from "./read/panel.ts"
import type { Line } from "./text/line.ts"
import { sidebarLines } from "./text/sidebar-lines.ts"

/** The part of the host's sidebar that is ours, for the session that it shows. */
export function sidebar({ follow }: LiveHive, { colour }: PanelHost, session: () => string): unknown {
  const [lines, setLines] = createSignal<readonly Line[]>([])
  const following = follow(session, async (hive) => setLines(sidebarLines(await readPanel(hive, session()))))
  onCleanup(following.stop)
  return box({}, drawLines(lines, colour, "word"))
}
