import { callSnapshots } from "../../src/turns/call-snapshots.ts"
import { changeNotes } from "../../src/turns/change-notes.ts"

/** What the steps around a call need to know of files. */
export function callSteps(toasts: string[] = []) {
  const log = () => {}
  const toast = async (message: string) => void toasts.push(message)
  return {
    tree: callSnapshots(log, (message) => void toasts.push(message)),
    changeNotes: changeNotes(toast, log),
    stepOf: () => null,
  }
}
