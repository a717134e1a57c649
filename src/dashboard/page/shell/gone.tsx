import { isExport } from "../data/data.ts"
import { isLive, wasLive } from "./follow.ts"

/** Says what to do where the server has ended: what is on the page stays, and gets old. */
export function Gone() {
  if (isExport || isLive.value || !wasLive.value) return null
  return (
    <p class="callout tone-wait gone" role="alert">
      <strong>The server has ended.</strong> What you see is how things stood then, and nothing can be
      changed. It ends with the terminal or the OpenCode that it was started in: run{" "}
      <code>hivemind dashboard</code> or <code>/hive-dashboard</code> again and use the address that it opens.
    </p>
  )
}
